import FireLiteSamples
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct NDJSONSampleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func samples(_ text: String) async throws -> [Sample] {
        try await NDJSONSamples(URL(fileURLWithPath: folder.write("samples.ndjson", text))).changes(of: .all, after: nil, limit: 1_000)
            .added
    }

    @Test func samplesComeBackFromTheirLines() async throws {
        let text = SampleObservationTests.lossless.map { $0.json + "\n" }.joined(separator: "\n")
        #expect(try await samples(text) == SampleObservationTests.lossless)
    }

    @Test func aFileIsReadFromItsAnchorOn() async throws {
        let path = try folder.write("samples.ndjson", heartRate(1).json + "\n" + heartRate(2).json)
        let source = try NDJSONSamples(URL(fileURLWithPath: path))
        let first = try await source.changes(of: .all, after: nil, limit: 1)
        #expect(first.added == [heartRate(1)])
        #expect(!first.isComplete)
        let second = try await source.changes(of: .all, after: first.anchor, limit: 5)
        #expect(second.added == [heartRate(2)])
        #expect(second.isComplete)
    }

    @Test func dataPointsOfOpenMHealthAreSamples() async throws {
        let lines = [
            #"{"header":{"id":"00000000-0000-4000-8000-000000000001","schema_id":{"namespace":"omh","name":"heart-rate","version":"2.0"},"acquisition_provenance":{"source_name":"Band","modality":"sensed"}},"body":{"heart_rate":{"value":50,"unit":"beats/min"},"effective_time_frame":{"date_time":"2026-01-01T01:00:00+01:00"}}}"#,
            #"{"header":{"id":"x","schema_id":{"namespace":"omh","name":"step-count"}},"body":{"step_count":7,"effective_time_frame":{"time_interval":{"start_date_time":"2026-01-01T00:00:00Z","duration":{"value":2,"unit":"min"}}}}}"#,
            #"{"header":{"id":"y","schema_id":{"namespace":"omh","name":"blood-pressure"}},"body":{"systolic_blood_pressure":{"value":120,"unit":"mmHg"},"diastolic_blood_pressure":{"value":80,"unit":"mmHg"},"effective_time_frame":{"date_time":"2026-01-01T00:00:00Z"}}}"#,
            #"{"header":{"id":"z","schema_id":{"namespace":"omh","name":"oxygen-saturation"}},"body":{"oxygen_saturation":{"value":97,"unit":"%"},"effective_time_frame":{"date_time":"2026-01-01T00:00:00Z"}}}"#,
        ]
        let samples = try await samples(lines.joined(separator: "\n"))
        #expect(samples.map(\.type) == [.heartRate, .stepCount, .bloodPressure, .oxygenSaturation])
        #expect(samples[0].uuid == testUUID(1))
        #expect(samples[0].value == .quantity(50, unit: "count/min"))
        #expect(samples[0].origin.name == "Band")
        #expect(samples[1].end.timeIntervalSince(samples[1].start) == 120)
        #expect(samples[3].value == .quantity("0.97", unit: "%"))
    }

    /// Of quantities, workouts, parts and durations.
    @Test(arguments: [
        (#""value":1e400,"unit":"count/min""#, "the value of a quantity is too large"),
        (#""value":-1e400"#, "the value of a quantity is too large"),
        (#""activity":"Running","duration":1e400"#, "the value of a quantity is too large"),
        (#""activity":"Running","totals":{"A":{"value":1e400,"unit":"m"}}"#, "the value of a quantity is too large"),
        (
            #""parts":[{"type":"A","start":"2026-01-01T00:00:00Z","value":1e400}]"#, "the value of a quantity is too large"
        ),
        (
            #""header":{"id":"x","schema_id":{"name":"step-count"}},"body":{"step_count":1e400,"effective_time_frame":"#
                + #"{"date_time":"2026-01-01T00:00:00Z"}}"#,
            "the value of a quantity is too large"
        ),
        (
            #""header":{"id":"x","schema_id":{"name":"step-count"}},"body":{"step_count":1,"effective_time_frame":"#
                + #"{"time_interval":{"start_date_time":"2026-01-01T00:00:00Z","duration":{"value":1e400,"unit":"sec"}}}}"#,
            "a duration is too long"
        ),
    ])
    func numbersAreFinite(_ members: String, _ message: String) async throws {
        let line = #"{"type":"A","start":"2026-01-01T00:00:00Z",\#(members)}"#
        let error = await #expect(throws: SampleError.self) { try await samples("\n" + line) }
        #expect(error?.description == "line 2: \(message)")
        let url = URL(fileURLWithPath: try folder.write("some.ndjson", line + "\n" + heartRate(1).json))
        let some = try await NDJSONSamples(url, skipsDamage: true).changes(of: .all, after: nil, limit: 10)
        #expect(some.added == [heartRate(1)] && some.rejections.first == ["line 1: \(message)"])
    }

    @Test(arguments: [
        ("{}", "line 1: a sample has no type"), ("\n{\"type\":\"A\"}", "line 2: a sample has no valid start"),
        ("{\"type\":\"A\",\"start\":\"2026-01-01T00:00:00Z\"}", "line 1: a sample has no value, category, activity or parts"),
    ])
    func damageHasALine(_ text: String, _ message: String) async throws {
        let error = await #expect(throws: SampleError.self) { try await samples(text) }
        #expect(error?.description == message)
    }
}
