import FireLiteR4
import FireLiteSamples
import Foundation
import Testing

/// What `.compatible` writes for each type of HealthKitOnFhir's table.
@Suite struct CompatibleMappingTests {
    static let rows: [(name: String, codes: [String], unit: String, code: String)] = [
        ("HeartRate", ["http://loinc.org|8867-4"], "count/min", "/min"),
        ("RestingHeartRate", ["http://loinc.org|40443-4"], "count/min", "/min"), ("WalkingHeartRateAverage", [], "count/min", "/min"),
        ("BloodPressureDiastolic", ["http://loinc.org|8462-4"], "mmHg", "mmHg"),
        ("BloodPressureSystolic", ["http://loinc.org|8480-6", "http://snomed.info/sct|271649006"], "mmHg", "mmHg"),
        ("StepCount", ["http://loinc.org|55423-8"], "count", "{tot}"), ("BloodGlucose", ["http://loinc.org|41653-7"], "mg/dL", "mg/dL"),
        ("OxygenSaturation", ["http://loinc.org|2708-6", "http://loinc.org|59408-5"], "%", "%"),
        ("BodyMass", ["http://loinc.org|29463-7", "http://loinc.org|3141-9", "http://snomed.info/sct|27113001"], "kg", "kg"),
        ("BodyTemperature", ["http://loinc.org|8310-5"], "degC", "Cel"),
        ("RespiratoryRate", ["http://loinc.org|9279-1"], "count/min", "/min"), ("Height", ["http://loinc.org|8302-2"], "cm", "cm"),
        ("ActiveEnergyBurned", ["http://loinc.org|41981-2"], "kcal", "kcal"),
        ("DietaryEnergyConsumed", ["http://loinc.org|9052-2"], "kcal", "kcal"),
        ("HeartRateVariabilitySDNN", ["http://loinc.org|80404-7"], "ms", "ms"), ("AppleExerciseTime", [], "ms", "ms"),
        ("AppleStandTime", [], "ms", "ms"), ("EnvironmentalAudioExposure", [], "dBASPL", "B(SPL)"),
    ]

    @Test func theBytesAreThoseOfTheTable() async throws {
        let store = try memoryStore()
        let samples = Self.rows.enumerated().map { number, row in
            Sample(uuid: testUUID(number), type: .quantity(row.name), start: testStart, value: .quantity("12.5", unit: row.unit))
        }
        try await SampleEngine(
            store: store, source: MemorySampleSource(samples), destinations: [LocalStore(store, mapping: .compatible)]
        ).run()
        for (number, row) in Self.rows.enumerated() {
            let id = testUUID(number).uuidString.lowercased()
            let json = try await store.read { tx in try tx.resource(Observation.self, id: id).map { FHIRJSON.string($0) } }
            let own = "com.apple.health|HKQuantityTypeIdentifier\(row.name)"
            let codings = (row.codes + [own]).map { text in
                let parts = text.split(separator: "|")
                return "{\"system\":\"\(parts[0])\",\"code\":\"\(parts[1])\"}"
            }
            #expect(
                json
                    == "{\"resourceType\":\"Observation\",\"id\":\"\(id)\",\"identifier\":[{\"system\":\"com.apple.health\",\"value\":\"\(id)\"}],"
                    + "\"code\":{\"coding\":[\(codings.joined(separator: ","))]},\"effectiveDateTime\":\"2026-01-01T00:00:00Z\","
                    + "\"valueQuantity\":{\"value\":12.5,\"unit\":\"\(row.unit)\",\"system\":\"http://unitsofmeasure.org\",\"code\":\"\(row.code)\"}}",
                "\(row.name)")
        }
    }
}
