import FireLiteR4
import FireLiteSamples
import Foundation
import TestSupport
import Testing

/// A process that is killed while it imports loses no sample and adds none twice.
@Suite(.timeLimit(.minutes(30))) struct SampleCrashTests {
    private static let isNightly = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil
    private static let rounds = isNightly ? 50 : 5
    private static let samples = 600

    private func export(_ folder: TemporaryFolder) throws -> String {
        let records = (0..<Self.samples).map { ExportText.record("HeartRate", "\(50 + $0 % 100)", "count/min", minute: $0) }
        return try folder.write("export.xml", ExportText.of(records))
    }

    @Test func killsLoseNothingAndStoreNothingTwice() throws {
        for round in 1...Self.rounds {
            let folder = try TemporaryFolder()
            var random = SeededGenerator(seed: UInt64(round))
            let (path, file) = (folder.file("store.sqlite"), try export(folder))
            for _ in 0..<3 { try SamplesChildProgram.run(["local", path, file], killedAfter: random.int(1...12), &random) }
            try SamplesChildProgram.run(["local", path, file], killedAfter: nil, &random)
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.count(Observation.self) == Self.samples, "round \(round)")
            #expect(try store.check().isEmpty)
            let statistics = try store.read { try $0.sampleStatistics(of: .heartRate, by: .whole, zone: .gmt) }
            #expect(statistics.map(\.count) == [Self.samples])
        }
    }

    @Test func killsBetweenAddAndAnchorAddNothingTwice() throws {
        for round in 1...Self.rounds {
            let folder = try TemporaryFolder()
            var random = SeededGenerator(seed: UInt64(round))
            let (path, file) = (folder.file("store.sqlite"), try export(folder))
            for _ in 0..<3 { try SamplesChildProgram.run(["folder", path, file, folder.path], killedAfter: random.int(1...24), &random) }
            try SamplesChildProgram.run(["folder", path, file, folder.path], killedAfter: nil, &random)
            let added = try String(contentsOfFile: folder.file("added"), encoding: .utf8).split(separator: "\n")
            #expect(added.count == Self.samples, "round \(round)")
            #expect(Set(added).count == Self.samples, "round \(round)")
        }
    }
}
