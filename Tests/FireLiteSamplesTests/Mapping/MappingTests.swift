import FireLiteSamples
import Foundation
import Testing

@Suite struct SampleMappingTests {
    @Test func ownMappingsMergeMemberByMember() throws {
        let json = Data(
            #"{"HeartRate": {"valueQuantity": {"unit": "bpm"}}, "HKCategoryTypeIdentifierFever": {"category": ["survey"]}}"#.utf8)
        let mapping = try SampleMapping.standard.merging(json: json)
        let entry = try #require(mapping.entries[.heartRate])
        #expect(entry.unit == SampleMapping.Unit("bpm", code: "/min"))
        #expect(entry.codes == SampleMapping.standard.entries[.heartRate]?.codes)
        #expect(mapping.entries[.category("Fever")]?.categories == ["survey"])
        #expect(mapping.entries.count == SampleMapping.standard.entries.count)
    }

    @Test(arguments: [
        ("[]", "line 1: a mapping is an object from types to codes"),
        ("{\n \"HeartRate\": {\n  \"code\": 1}}", "line 3, HeartRate.code: a concept with a list 'coding' is expected"),
        (
            "{\"HeartRate\": {\"code\": {\"coding\": [{\"system\": \"s\",\n\"code\": \"\"}]}}}",
            "line 2, HeartRate.code.coding[0].code: a text is expected"
        ),
        ("{\"HeartRate\": {\"unit\": {}}}", "line 1, HeartRate.unit: only category, code, profile, valueQuantity, values are expected"),
        ("{\"HeartRate\"", "line 1: a colon is missing"), ("{\"A\": {}, \"A\": {}}", "line 1: a member occurs twice"),
    ])
    func mistakesHaveLineAndPath(_ json: String, _ message: String) throws {
        let error = #expect(throws: SampleError.self) { try SampleMapping.standard.merging(json: Data(json.utf8)) }
        #expect(error?.description == message)
    }

    @Test func shortNamesAreCamelCase() {
        #expect(SampleType.heartRate.shortName == "heartRate")
        #expect(SampleType.quantity("VO2Max").shortName == "vo2Max" || SampleType.quantity("VO2Max").shortName == "vO2Max")
        #expect(SampleType.quantity("UVExposure").shortName == "uvExposure")
        #expect(SampleType.workout.shortName == "workout")
    }

    @Test func everyQuantityHasAUnit() {
        let quantities = SampleMapping.standard.entries.filter { $0.key.kind == .quantity }
        #expect(quantities.count == 119)
        #expect(quantities.allSatisfy { $0.value.unit != nil })
        #expect(SampleMapping.standard.entries.count == 119 + 68 + 2 + 1)
    }

    /// The codes' check digits: LOINC's by Luhn, SNOMED CT's by Verhoeff.
    @Test func everyCodeHasItsCheckDigit() {
        let entries = SampleMapping.standard.entries.values
        let codings = entries.flatMap { $0.codes + $0.values.values.flatMap { $0 } }
        #expect(codings.count > 80)
        for coding in codings {
            switch coding.system {
            case "http://loinc.org": #expect(Self.isLOINC(coding.code), "\(coding.code)")
            case "http://snomed.info/sct": #expect(Self.isSNOMED(coding.code), "\(coding.code)")
            default: Issue.record("\(coding.system)")
            }
        }
        let quantities = SampleMapping.standard.entries.filter { $0.key.kind == .quantity && !$0.value.codes.isEmpty }
        let categories = SampleMapping.standard.entries.filter { $0.key.kind == .category && !$0.value.codes.isEmpty }
        #expect((quantities.count, categories.count) == (36, 40))
    }

    private static func isLOINC(_ code: String) -> Bool {
        let parts = code.split(separator: "-")
        guard parts.count == 2 else { return false }
        let sum = parts[0].reversed().enumerated().reduce(0) { sum, digit in
            let value = (digit.element.wholeNumberValue ?? 0) * (digit.offset % 2 == 0 ? 2 : 1)
            return sum + value / 10 + value % 10
        }
        return (10 - sum % 10) % 10 == Int(parts[1])
    }

    /// Verhoeff's scheme by the dihedral group of ten elements.
    private static func isSNOMED(_ code: String) -> Bool {
        func product(_ left: Int, _ right: Int) -> Int {
            switch (left < 5, right < 5) {
            case (true, true): (left + right) % 5
            case (true, false): (left + right - 5) % 5 + 5
            case (false, true): (left - 5 - right + 5) % 5 + 5
            case (false, false): (left - right + 5) % 5
            }
        }
        let step = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
        var check = 0
        for (place, digit) in code.reversed().enumerated() {
            var value = digit.wholeNumberValue ?? 0
            for _ in 0..<place % 8 { value = step[value] }
            check = product(check, value)
        }
        return check == 0
    }

    @Test func stagesOfSleepAndSymptomsAreCoded() throws {
        let sleep = try #require(SampleMapping.standard.entries[.sleepAnalysis])
        #expect(sleep.codes.map(\.code) == ["258158006"])
        #expect(sleep.values["HKCategoryValueSleepAnalysisAsleepREM"]?.map(\.code) == ["89129007"])
        #expect(sleep.values["HKCategoryValueSleepAnalysisInBed"] == nil)
        let fever = try #require(SampleMapping.standard.entries[.category("Fever")])
        #expect(fever.codes == [.snomed("386661006", "Fever")])
        #expect(fever.values["HKCategoryValueSeveritySevere"] == [.snomed("24484000", "Severe")])
    }
}
