import FireLiteR4
import FireLiteSamples
import Foundation
import TestSupport
import Testing

/// The Observation of each type in the standard mapping, byte for byte, and its validity for another program.
@Suite(.timeLimit(.minutes(30))) struct GoldenObservationTests {
    private static let file = "Tests/FireLiteSamplesTests/Fixtures/observations.ndjson"

    /// Where Scripts/servers.sh puts its Python.
    private static let python =
        ProcessInfo.processInfo.environment["FIRELITE_PYTHON"]
        ?? PackageFolder.url.appendingPathComponent(".build/servers/venv/bin/python").path

    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func lines() async throws -> [String] {
        let store = try memoryStore()
        let samples = SampleMapping.standard.entries.keys.sorted().enumerated().compactMap { number, type in
            SampleObservationTests.example(of: type, number * 10)
        }
        let local = LocalStore(store, mapping: .standard.about("Patient/1"))
        try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [local]).run()
        return try await store.read { tx in
            var lines: [(String, String)] = []
            try tx.forEach(Observation.self) { lines.append(($0.id ?? "", FHIRJSON.string($0))) }
            return lines.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    @Test func eachTypeHasItsObservation() async throws {
        let lines = try await lines()
        if ProcessInfo.processInfo.environment["FIRELITE_WRITE_FIXTURES"] != nil {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: PackageFolder.url.appendingPathComponent(Self.file))
        }
        let golden = try PackageFolder.text(of: Self.file).split(separator: "\n").map(String.init)
        #expect(lines.count == golden.count)
        for (line, expected) in zip(lines, golden) { #expect(line == expected) }
    }

    @Test func eachObservationIsValidForPython() async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.python),
            try run(Self.python, ["-c", "import fhir.resources"]).status == 0
        else {
            print("skipped: Scripts/servers.sh install brings fhir.resources")
            return
        }
        let folder = try TemporaryFolder()
        let path = try folder.write("observations.ndjson", try await lines().joined(separator: "\n"))
        // R4B's Observation has the elements of R4's; the package has no R4.
        let program = """
            import sys
            from fhir.resources.R4B.observation import Observation
            count = 0
            for line in open(sys.argv[1], encoding="utf-8"):
                Observation.model_validate_json(line)
                count += 1
            print(count)
            """
        let result = try run(Self.python, ["-c", program, path])
        #expect(result.status == 0, "\(result.output.suffix(2_000))")
        #expect(result.output.hasPrefix("\(SampleMapping.standard.entries.count)\n"))
    }
}
