import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Random writes of random resources, some of which fail and some of which come from a server. After each, what observers were given, the log and the
/// history are compared with the states that the test kept.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct RandomWriteTests {
    @Test(arguments: Effort.seeds(byDay: 3, atNight: 14))
    func liveResultsLogAndHistoryAgreeWithTheStoreAfterEveryCommit(_ seed: UInt64) async throws {
        let store = try Self.trackingStore()
        var random = RandomInstance(seed: seed &+ 7_000)
        var state = WrittenState()
        var live = try await LiveComparison(store)
        var log = LogComparison(start: try Self.newest(store))
        for step in 0..<(Effort.isNightly ? 50 : 25) {
            let isOurs = random.generator.percent(80)
            let steps = try Self.write(store, isOurs ? .local : .server, &random)
            let before = state
            state = try WrittenState(store)
            try log.expect(store, from: before, to: state, isLogged: isOurs)
            // Whatever the write does, another commit follows.
            try putObservation(store, "sentinel", status: step % 2 == 0 ? .final : .amended)
            log.skip(to: try Self.newest(store))
            try await live.expect(store, from: before, to: state, steps: steps)
        }
        try log.expectHistory(of: store)
        try Self.expectNoFault(store)
    }

    // Blocking forms, as asynchronous functions otherwise pick the asynchronous ones.

    private static func trackingStore() throws -> FHIRStore {
        let store = try freshStore(isInFile: true)
        try store.track(.changes)
        try store.track(.history)
        return store
    }

    private static func expectNoFault(_ store: FHIRStore) throws { #expect(try store.check().isEmpty) }

    private static func newest(_ store: FHIRStore) throws -> Int64 { try store.newestChange() }

    /// One random write; returns the number of its steps.
    private static func write(_ store: FHIRStore, _ origin: WriteOrigin, _ random: inout RandomInstance) throws -> Int {
        let fails = random.generator.percent(10)
        let steps = random.generator.int(1...4)
        do {
            try store.write(origin: origin) { tx in
                for _ in 0..<steps {
                    let id = "\(random.generator.int(0...WrittenState.ids))"
                    switch random.generator.int(0...9) {
                    case 0...3:
                        let patient = random.make(Patient.self)
                        patient.id = id
                        try tx.upsert(patient)
                    case 4...5:
                        guard let patient = try tx.resource(Patient.self, id: id) else { continue }
                        let elements = patient.layout.elements.filter { $0.slot > 0 && $0.kind != .resource }
                        random.change(random.generator.pick(elements), of: patient)
                    case 6: try tx.delete(Patient.self, id: id)
                    case 7:
                        let language = "\(random.generator.int(0...2))"
                        try tx.upsert(
                            Basic {
                                $0.id = id
                                $0.language = language
                            })
                    default:
                        guard let patient = try tx.resource(Patient.self, id: id) else { continue }
                        patient.active = random.generator.percent(50)
                    }
                }
                if fails { throw CancellationError() }
            }
        } catch is CancellationError {}
        return steps
    }
}
