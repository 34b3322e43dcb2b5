import FireLite
import FireLiteR4
import Testing

@testable import FireLiteCLI
@testable import FireLiteSynthetic

struct SyntheticPatientsTests {
    private func lines(_ count: Int, seed: UInt64) -> [String] { SyntheticPatients(count: count, seed: seed).map { FHIRJSON.string($0) } }

    @Test func theSeedDecides() {
        #expect(lines(60, seed: 3) == lines(60, seed: 3))
        #expect(lines(10, seed: 3) != lines(10, seed: 4))
        // A larger population begins with the smaller one.
        #expect(Array(lines(60, seed: 3).prefix(lines(10, seed: 3).count)) == lines(10, seed: 3))
        #expect(lines(0, seed: 3) == [])
    }

    @Test func everythingIsValid() throws {
        let reader = FHIRJSONReader(release: .r4)
        for resource in SyntheticPatients(count: 60, seed: 11) {
            let data = FHIRJSON.data(resource)
            let read = try reader.resource(from: data)
            #expect(FHIRJSON.data(read) == data)
            #expect(resource.validate().filter { $0.severity == .error }.isEmpty, "\(resource.resourceType): \(resource.validate())")
        }
    }

    @Test func idsAreUniqueAndReferencesResolve() {
        var keys: Set<String> = []
        var references: Set<String> = []
        for resource in SyntheticPatients(count: 120, seed: 5) {
            references.formUnion(Self.references(in: resource))
            let isNew = keys.insert("\(resource.resourceType)/\(resource.id ?? "")").inserted
            #expect(isNew)
        }
        #expect(references.subtracting(keys).isEmpty)
        #expect(references.count > 1_000)
    }

    private static func references(in object: FHIRObject) -> [String] {
        var found: [String] = []
        if let reference = (object as? Reference)?.reference { found.append(reference) }
        object.forEachSlot { slot in slot.value.forEachChild { found += references(in: $0) } }
        return found
    }

    @Test func thereIsOfEverything() {
        var counts: [String: Int] = [:]
        var bytes = 0
        for resource in SyntheticPatients(count: 100, seed: 1) {
            counts[resource.resourceType, default: 0] += 1
            bytes += FHIRJSON.data(resource).count
        }
        let total = counts.values.reduce(0, +)
        #expect(counts["Patient"] == 100 && counts["Organization"] == 2 && counts["Practitioner"] == 8)
        #expect((3_000...6_000).contains(total))
        #expect((1_000...1_500).contains(bytes / total))
        #expect(counts.count == 12)
    }

    @Test func timesAreThoseOfTheCalendar() {
        #expect(SyntheticTime(year: 1970, dayOfYear: 1, minute: 0).minutes == 0)
        #expect(SyntheticTime(year: 2024, dayOfYear: 60, minute: 61).fhirDateTime?.literal == "2024-02-29T01:01:00-05:00")
        #expect(SyntheticTime(year: 1900, dayOfYear: 60, minute: 0).fhirDate?.literal == "1900-03-01")
        #expect(SyntheticTime(year: 1999, dayOfYear: 365, minute: 1_439).adding(days: 0, minutes: 1).fhirDate?.literal == "2000-01-01")
        for year in 1925...2030 {
            #expect(SyntheticTime(year: year, dayOfYear: 1, minute: 0).fhirDate?.literal == "\(year)-01-01")
            #expect(SyntheticTime(year: year, dayOfYear: 1, minute: 0).adding(days: -1).fhirDate?.literal == "\(year - 1)-12-31")
        }
    }
}
