import FireLiteR4
import FireLiteSamples
import Foundation
import Testing

/// Every question of a delegate, each answer, and what it hears afterwards.
@Suite(.timeLimit(.minutes(30))) struct SampleDelegateTests {
    enum Step: String, Sendable {
        case run, fetch, add, update, delete
    }

    /// Answers one question in one way, and notes what it hears.
    private actor Answering: SampleDelegate {
        private let step: Step
        private let number: Int
        private let decision: SampleDecision
        private(set) var heard: [String] = []

        init(_ step: Step, _ number: Int, _ decision: SampleDecision) {
            self.step = step
            self.number = number
            self.decision = decision
        }

        private func answer(_ step: Step, _ uuid: UUID) -> SampleDecision {
            step == self.step && uuid == testUUID(number) ? decision : .proceed
        }

        private func hear(_ step: Step, _ object: ExternalObject) { heard.append("\(step) \(object.uuid.uuidString.suffix(1))") }

        func shouldRun(_ type: SampleType, at store: any ExternalStore) -> SampleDecision { step == .run ? decision : .proceed }
        func shouldFetch(_ object: ExternalObject, at store: any ExternalStore) -> SampleDecision { answer(.fetch, object.uuid) }
        func shouldAdd(_ object: ExternalObject, at store: any ExternalStore) -> SampleDecision { answer(.add, object.uuid) }
        func shouldUpdate(_ object: ExternalObject, at store: any ExternalStore) -> SampleDecision { answer(.update, object.uuid) }
        func shouldDelete(_ object: ExternalObject, at store: any ExternalStore) -> SampleDecision { answer(.delete, object.uuid) }
        func fetchComplete(_ object: ExternalObject, at store: any ExternalStore) { hear(.fetch, object) }
        func addComplete(_ object: ExternalObject, at store: any ExternalStore) { hear(.add, object) }
        func updateComplete(_ object: ExternalObject, at store: any ExternalStore) { hear(.update, object) }
        func deleteComplete(_ object: ExternalObject, at store: any ExternalStore) { hear(.delete, object) }
    }

    /// A store with samples 1 to 4; then 1 and 2 change, 3 and 4 are deleted, and 5 and 6 come.
    private struct Scene {
        let store: FHIRStore
        let external = RecordingStore()
        let source = MemorySampleSource((1...4).map { heartRate($0) })

        init() async throws {
            store = try memoryStore()
            try await SampleEngine(store: store, source: source, destinations: [external]).run()
            source.add([heartRate(1, 61), heartRate(2, 62), heartRate(5), heartRate(6)])
            source.delete([heartRate(3), heartRate(4)])
        }

        func run(_ delegate: any SampleDelegate) async throws -> SampleRunResult {
            try await SampleEngine(store: store, source: source, destinations: [external], delegate: delegate).run()
        }

        var numbers: [Int] { get async { await external.samples.keys.map { Int($0.uuidString.suffix(1), radix: 16) ?? 0 }.sorted() } }
    }

    @Test func everyStepIsHeardOf() async throws {
        let scene = try await Scene()
        let delegate = Answering(.run, 0, .proceed)
        let result = try await scene.run(delegate)
        #expect((result.added, result.updated, result.deleted, result.skipped) == (2, 2, 2, 0))
        #expect(
            await delegate.heard == ["fetch 5", "fetch 6", "delete 3", "delete 4", "add 5", "add 6", "update 1", "update 2"])
        #expect(await scene.numbers == [1, 2, 5, 6])
    }

    @Test(arguments: [
        (Step.fetch, 5, [1, 2, 6], 1, 2, 2), (.add, 6, [1, 2, 5], 1, 2, 2), (.update, 1, [1, 2, 5, 6], 2, 1, 2),
        (.delete, 3, [1, 2, 3, 5, 6], 2, 2, 1),
    ])
    func aSkipAffectsOneObject(
        _ step: Step, _ number: Int, _ left: [Int], _ added: Int, _ updated: Int, _ deleted: Int
    ) async throws {
        let scene = try await Scene()
        let delegate = Answering(step, number, .skip)
        let result = try await scene.run(delegate)
        #expect((result.added, result.updated, result.deleted, result.skipped) == (added, updated, deleted, 1))
        #expect(await scene.numbers == left)
        #expect(await !delegate.heard.contains("\(step) \(number)"))
        if step == .update { #expect(await scene.external.samples[testUUID(1)] == heartRate(1)) }
        // The anchor is past what was skipped.
        #expect(try await scene.run(Answering(.run, 0, .proceed)).read == 0)
    }

    @Test(arguments: [(Step.fetch, 5), (.add, 6), (.update, 2), (.delete, 4)])
    func aStopComesBackToTheObject(_ step: Step, _ number: Int) async throws {
        let scene = try await Scene()
        let result = try await scene.run(Answering(step, number, .stop))
        #expect(result.isStopped)
        #expect(result.changed < 6)
        let rest = try await scene.run(Answering(.run, 0, .proceed))
        #expect(!rest.isStopped)
        #expect(rest.changed + result.changed == 6)
        #expect(await scene.numbers == [1, 2, 5, 6])
        #expect(await scene.external.samples[testUUID(2)] == heartRate(2, 62))
    }

    @Test func aTypeThatIsSkippedWaits() async throws {
        let scene = try await Scene()
        let skipped = try await scene.run(Answering(.run, 0, .skip))
        #expect((skipped.read, skipped.isStopped) == (0, false))
        let stopped = try await scene.run(Answering(.run, 0, .stop))
        #expect((stopped.read, stopped.isStopped) == (0, true))
        #expect(try await scene.run(Answering(.run, 0, .proceed)).changed == 6)
    }

    @Test func theStoreItselfAsksToo() async throws {
        let store = try memoryStore()
        let source = MemorySampleSource((1...3).map { heartRate($0) })
        let engine = { SampleEngine(store: store, source: source, destinations: [LocalStore(store)], delegate: $0) }
        #expect(try await engine(Answering(.add, 2, .skip)).run().added == 2)
        #expect(try await store.samples(of: .heartRate) == [heartRate(1), heartRate(3)])
        source.add([heartRate(1, 99)])
        source.delete([heartRate(3)])
        #expect(try await engine(Answering(.delete, 3, .skip)).run().updated == 1)
        #expect(try await store.samples(of: .heartRate) == [heartRate(1, 99), heartRate(3)])
    }
}
