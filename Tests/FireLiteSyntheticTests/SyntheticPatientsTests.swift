import FireLite
import FireLiteR4
import Testing

@testable import FireLiteSynthetic

struct SyntheticPatientsTests {
    private func lines(_ count: Int, seed: UInt64, includesClaims: Bool = false, ids: SyntheticIDs = .uuids) -> [String] {
        SyntheticPatients(count: count, seed: seed, includesClaims: includesClaims, ids: ids).map { FHIRJSON.string($0) }
    }

    /// Ids as servers number them: every type has the same ones, and nothing else of the resources is different.
    @Test(arguments: [false, true]) func idsCanBeNumbersThatTypesShare(includesClaims: Bool) {
        let once = lines(30, seed: 3, includesClaims: includesClaims, ids: .numbers)
        #expect(once == lines(30, seed: 3, includesClaims: includesClaims, ids: .numbers))
        let fewer = lines(10, seed: 3, includesClaims: includesClaims, ids: .numbers)
        #expect(Array(once.prefix(fewer.count)) == fewer)
        var ids: [String: [String]] = [:]
        let plain = Array(SyntheticPatients(count: 40, seed: 5, includesClaims: includesClaims))
        let numbered = Array(SyntheticPatients(count: 40, seed: 5, includesClaims: includesClaims, ids: .numbers))
        #expect(plain.map(\.resourceType) == numbered.map(\.resourceType))
        for resource in numbered { ids[resource.resourceType, default: []].append(resource.id ?? "") }
        for (type, ids) in ids {
            #expect(Set(ids).count == ids.count, "\(type)")
            #expect(Array(ids.prefix(3)) == Array(["1", "2", "3"].prefix(ids.count)), "\(type)")
        }
        let patients = ids["Patient"] ?? []
        #expect(Array(patients.prefix(6)) == ["1", "2", "3", "id-4", "ID-4", "6"])
        #expect(patients[6] == String(repeating: "0", count: 63) + "7")
    }

    @Test func theSeedDecides() {
        #expect(lines(30, seed: 3) == lines(30, seed: 3))
        #expect(lines(10, seed: 3) != lines(10, seed: 4))
        // A larger population begins with the smaller one.
        #expect(Array(lines(30, seed: 3).prefix(lines(10, seed: 3).count)) == lines(10, seed: 3))
        #expect(lines(0, seed: 3) == [])
    }

    @Test func claimsAreAddedToTheSameResources() {
        let (plain, claimed) = (lines(30, seed: 3), lines(30, seed: 3, includesClaims: true))
        #expect(claimed == lines(30, seed: 3, includesClaims: true))
        let added: Set<String> = ["Claim", "ExplanationOfBenefit", "Coverage", "Location"]
        #expect(claimed.filter { line in !added.contains { line.hasPrefix("{\"resourceType\":\"\($0)\"") } } == plain)
    }

    @Test(arguments: [false, true], SyntheticIDs.allCases)
    func everythingIsValid(includesClaims: Bool, ids: SyntheticIDs) throws {
        let reader = FHIRJSONReader(release: .r4)
        for resource in SyntheticPatients(count: 20, seed: 11, includesClaims: includesClaims, ids: ids) {
            let data = FHIRJSON.data(resource)
            let read = try reader.resource(from: data)
            #expect(FHIRJSON.data(read) == data)
            #expect(resource.validate().filter { $0.severity == .error }.isEmpty, "\(resource.resourceType): \(resource.validate())")
        }
    }

    @Test(arguments: [false, true], SyntheticIDs.allCases)
    func idsAreUniqueAndReferencesResolve(includesClaims: Bool, ids: SyntheticIDs) {
        var keys: Set<String> = []
        var references: Set<String> = []
        for resource in SyntheticPatients(count: 40, seed: 5, includesClaims: includesClaims, ids: ids) {
            references.formUnion(Self.references(in: resource))
            let isNew = keys.insert("\(resource.resourceType)/\(resource.id ?? "")").inserted
            #expect(isNew)
            for contained in (resource as? DomainResource)?.contained ?? [] { keys.insert("#\(contained.id ?? "")") }
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

    /// What `Benchmarks` needs of its second kind of data: many types, and long resources that most of the JSON is of.
    @Test func claimsAreLongAndOfManyLevels() {
        var counts: [String: Int] = [:]
        var bytes: [String: Int] = [:]
        var items: [Int] = []
        for resource in SyntheticPatients(count: 30, seed: 1, includesClaims: true) {
            counts[resource.resourceType, default: 0] += 1
            bytes[resource.resourceType, default: 0] += FHIRJSON.data(resource).count
            guard let benefit = resource as? ExplanationOfBenefit else { continue }
            items.append(benefit.item.count)
            #expect(benefit.contained.count == 2 && benefit.item.allSatisfy { $0.adjudication.count == 6 && $0.extension.count >= 2 })
            #expect(benefit.extension[0].extension.count == 2)
        }
        #expect(counts.count == 16)
        #expect(bytes.max { $0.value < $1.value }?.key == "ExplanationOfBenefit")
        #expect(counts["ExplanationOfBenefit"] == counts["Claim"])
        #expect((9_000...16_000).contains((bytes["ExplanationOfBenefit"] ?? 0) / items.count))
        #expect(items.min() == 1 && (items.max() ?? 0) > 25)
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
