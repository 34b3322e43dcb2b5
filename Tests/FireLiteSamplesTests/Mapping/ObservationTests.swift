import FireLiteR4
import FireLiteReleases
import FireLiteSamples
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SampleObservationTests {
    private func stored(_ sample: Sample, _ mapping: SampleMapping = .standard) async throws -> String {
        let store = try memoryStore()
        try await SampleEngine(store: store, source: MemorySampleSource([sample]), destinations: [LocalStore(store, mapping: mapping)])
            .run()
        let id = sample.uuid.uuidString.lowercased()
        return try await store.read { tx in try tx.resource(Observation.self, id: id).map { FHIRJSON.string($0) } ?? "" }
    }

    @Test func aHeartRateIsAVitalSign() async throws {
        let sample = Sample(
            uuid: testUUID(1), type: .heartRate, start: testStart, zone: TimeZone(secondsFromGMT: 3_600),
            value: .quantity("61.50", unit: "count/min"))
        #expect(
            try await stored(sample, .standard.about("Patient/1")) == """
                {"resourceType":"Observation","id":"00000000-0000-4000-8000-000000000001",\
                "meta":{"profile":["http://hl7.org/fhir/StructureDefinition/heartrate"]},\
                "identifier":[{"system":"com.apple.health","value":"00000000-0000-4000-8000-000000000001"}],"status":"final",\
                "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"}]}],\
                "code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"},\
                {"system":"com.apple.health","code":"HKQuantityTypeIdentifierHeartRate"}]},\
                "subject":{"reference":"Patient/1"},"effectiveDateTime":"2026-01-01T01:00:00+01:00",\
                "valueQuantity":{"value":61.50,"unit":"beats/minute","system":"http://unitsofmeasure.org","code":"/min"}}
                """)
    }

    @Test func theCompatibleFormIsTheOldOne() async throws {
        let sample = Sample(uuid: testUUID(1), type: .oxygenSaturation, start: testStart, value: .quantity("0.97", unit: "%"))
        #expect(
            try await stored(sample, .compatible) == """
                {"resourceType":"Observation","id":"00000000-0000-4000-8000-000000000001",\
                "identifier":[{"system":"com.apple.health","value":"00000000-0000-4000-8000-000000000001"}],\
                "code":{"coding":[{"system":"http://loinc.org","code":"2708-6"},{"system":"http://loinc.org","code":"59408-5"},\
                {"system":"com.apple.health","code":"HKQuantityTypeIdentifierOxygenSaturation"}]},\
                "effectiveDateTime":"2026-01-01T00:00:00Z",\
                "valueQuantity":{"value":0.97,"unit":"%","system":"http://unitsofmeasure.org","code":"%"}}
                """)
    }

    /// The profiles of vital signs require a subject.
    @Test func withoutASubjectNoProfileIsClaimed() async throws {
        #expect(try await !stored(heartRate(1)).contains("profile"))
    }

    @Test func aZoneAtGreenwichIsKept() async throws {
        var sample = heartRate(1)
        sample.zone = TimeZone(secondsFromGMT: 0)
        let store = try memoryStore()
        try await SampleEngine(store: store, source: MemorySampleSource([sample]), destinations: [LocalStore(store)]).run()
        #expect(try await store.samples(of: .heartRate).map { $0.zone?.secondsFromGMT() } == [0])
    }

    @Test func percentagesAreNotFractions() async throws {
        let sample = Sample(uuid: testUUID(1), type: .oxygenSaturation, start: testStart, value: .quantity("0.97", unit: "%"))
        #expect(try await stored(sample).contains(#""value":97,"unit":"%""#))
    }

    @Test(arguments: [
        ("BodyMass", "154.5", "lb", "70.080021165", "kg"), ("Height", "5.5", "ft", "167.64", "cm"),
        ("BodyTemperature", "98.6", "degF", "37", "Cel"),
        ("StepCount", "12", "count", "12", "{steps}"), ("BloodGlucose", "5", "mmol<180.1558800000541>/L", "90.07794000002705", "mg/dL"),
        ("DistanceWalkingRunning", "1.5", "km", "1500", "m"), ("EnvironmentalAudioExposure", "61", "dBASPL", "61", "dB[SPL]"),
    ])
    func unitsAreConvertedExactly(_ name: String, _ number: String, _ unit: String, _ expected: String, _ code: String) async throws {
        let value = try #require(FHIRDecimal(number))
        let json = try await stored(Sample(uuid: testUUID(1), type: .quantity(name), start: testStart, value: .quantity(value, unit: unit)))
        #expect(json.contains(#""valueQuantity":{"value":\#(expected),"#), "\(json)")
        #expect(json.contains(#""code":"\#(code)"}"#), "\(json)")
    }

    static let lossless: [Sample] = {
        var metadata = heartRate(1)
        metadata.metadata = ["HKMetadataKeyHeartRateMotionContext": "1", "quote": "a \"b\" \\ \n c", "ümlaut": "ß"]
        var zoned = heartRate(10)
        zoned.zone = TimeZone(identifier: "Europe/Berlin")
        let end = testStart.addingTimeInterval(90.25)
        return [
            metadata, zoned, bloodPressure(20, 120, 80),
            Sample(uuid: testUUID(30), type: .bodyMass, start: testStart, value: .quantity("154.50", unit: "lb"), origin: testPhone),
            Sample(uuid: testUUID(31), type: .oxygenSaturation, start: testStart, value: .quantity("0.970", unit: "%")),
            Sample(uuid: testUUID(32), type: .oxygenSaturation, start: testStart, value: .quantity("1", unit: "%")),
            Sample(
                uuid: testUUID(33), type: .sleepAnalysis, start: testStart, end: end,
                value: .category("HKCategoryValueSleepAnalysisAsleepREM")),
            Sample(
                uuid: testUUID(34), type: .workout, start: testStart, end: end,
                value: .workout(
                    WorkoutValue(
                        activity: "HKWorkoutActivityTypeRunning", duration: "88.5",
                        totals: [.activeEnergyBurned: WorkoutTotal("12.5", unit: "kcal")]))),
            Sample(uuid: testUUID(35), type: .quantity("FutureThing"), start: testStart, value: .quantity("1.0", unit: "furlong")),
            Sample(uuid: testUUID(36), type: .quantity("VO2Max"), start: testStart, value: .quantity("41.5", unit: "mL/min·kg")),
        ]
    }()

    @Test(arguments: lossless)
    func samplesComeBackAsTheyWere(_ sample: Sample) async throws {
        let store = try memoryStore()
        try await SampleEngine(store: store, source: MemorySampleSource([sample]), destinations: [LocalStore(store)]).run()
        let back = try await store.samples(of: sample.type)
        #expect(back == [sample])
    }

    @Test func everyMappedTypeIsValidInEveryRelease() async throws {
        for bundled in BundledRelease.all {
            let store = try FHIRStore.inMemory(release: bundled.release)
            var samples: [Sample] = []
            for (number, type) in SampleMapping.standard.entries.keys.sorted().enumerated() {
                samples.append(try #require(Self.example(of: type, number * 10)))
            }
            let local = LocalStore(store, mapping: .standard.about("Patient/1"))
            let result = try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [local]).run()
            #expect(result.added == samples.count)
            let issues = try await store.read { tx in
                var issues: [String] = []
                for name in ["Observation", "Device"] {
                    try tx.forEach(typeName: name) { resource in
                        issues += resource.validate().map { "\(bundled.release) \($0)" }
                    }
                }
                return issues
            }
            #expect(issues.isEmpty, "\(issues.prefix(3))")
        }
    }

    /// A sample of any type in the standard mapping.
    static func example(of type: SampleType, _ number: Int) -> Sample? {
        let unit = SampleMapping.standard.entries[type]?.unit?.code ?? "count"
        let value: Sample.Value
        switch type.kind {
        case .quantity: value = .quantity(unit == "%" ? "0.5" : "12.5", unit: unit)
        case .category: value = .category("HKCategoryValueNotApplicable")
        case .correlation: return bloodPressure(number, 120, 80).with(type)
        case .workout: value = .workout(WorkoutValue(activity: "HKWorkoutActivityTypeWalking", duration: 60))
        case .other: return nil
        }
        return Sample(uuid: testUUID(number), type: type, start: testStart, value: value, origin: testWatch)
    }
}

extension Sample {
    func with(_ type: SampleType) -> Sample {
        var sample = self
        sample.type = type
        return sample
    }
}
