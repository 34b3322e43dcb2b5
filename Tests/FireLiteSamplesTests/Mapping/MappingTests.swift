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
}
