import FireLiteR4
import FireLiteSampleSync
import FireLiteSamples
import Foundation
import TestSupport
import Testing

/// Samples at a real FHIR server, which `Scripts/servers.sh run` has started.
@Suite(.timeLimit(.minutes(30))) struct SampleServerTests {
    private static let isNightly = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil
    private static let rounds = isNightly ? 50 : 3
    private static let samples = 200

    /// A type of samples that no other test uses, so that its Observations can be counted.
    private func uniqueType() -> SampleType { .quantity("Test" + UUID().uuidString.replacingOccurrences(of: "-", with: "")) }

    private func count(_ type: SampleType, _ server: URL) async throws -> Int? {
        let client = try FHIRClient(base: server, release: .r4)
        return try await client.count(Observation.self, ["code": "com.apple.health|\(type.rawValue)"])
    }

    @Test(.enabled(if: SampleServers.fhir != nil, "the server does not run: Scripts/servers.sh run swift test"))
    func updatesAndDeletionsReachTheServer() async throws {
        let server = try #require(SampleServers.fhir)
        let type = uniqueType()
        let client = try FHIRClient(base: server, release: .r4)
        func sample(_ uuid: UUID, _ value: FHIRDecimal) -> Sample {
            Sample(uuid: uuid, type: type, start: testStart, value: .quantity(value, unit: "count"), origin: testWatch)
        }
        let uuids = (0..<3).map { _ in UUID() }
        let source = MemorySampleSource(uuids.map { sample($0, 1) })
        let store = try memoryStore()
        let engine = SampleEngine(store: store, source: source, destinations: [FHIRExternalStore(client)])
        let first = try await engine.run()
        #expect(first.waiting == nil)
        #expect(try await count(type, server) == 3)
        source.delete([sample(uuids[0], 1)])
        source.add([sample(uuids[1], 2)])
        let second = try await engine.run()
        #expect((second.deleted, second.updated, second.waiting) == (1, 1, nil))
        #expect(try await count(type, server) == 2)
        // The same samples from a device that knows nothing of it.
        let other = SampleEngine(
            store: try memoryStore(), source: MemorySampleSource([sample(uuids[2], 1)]), destinations: [FHIRExternalStore(client)])
        #expect(try await other.run().waiting == nil)
        #expect(try await count(type, server) == 2)
    }

    @Test(.enabled(if: SampleServers.fhir != nil, "the server does not run: Scripts/servers.sh run swift test"))
    func killsSendNothingTwice() async throws {
        let server = try #require(SampleServers.fhir)
        for round in 1...Self.rounds {
            let folder = try TemporaryFolder()
            var random = SeededGenerator(seed: UInt64(round))
            let type = uniqueType()
            let name = String(type.rawValue.dropFirst("HKQuantityTypeIdentifier".count))
            let records = (0..<Self.samples).map { ExportText.record(name, "\(50 + $0 % 100)", "count", minute: $0) }
            let arguments = try [
                "push", folder.file("store.sqlite"), folder.write("export.xml", ExportText.of(records)), server.absoluteString,
            ]
            for _ in 0..<2 { try SamplesChildProgram.run(arguments, killedAfter: random.int(1...6), &random) }
            try SamplesChildProgram.run(arguments, killedAfter: nil, &random)
            #expect(try await count(type, server) == Self.samples, "round \(round)")
            let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
            #expect(try await store.read { try $0.outboxEntries().isEmpty })
        }
    }
}
