import FireLiteR4
import FireLiteUI
import Testing

@MainActor
struct LiveValueTests {
    private let store: FHIRStore

    init() throws {
        store = try FHIRStore(path: ":memory:", release: .r4)
        try store.write { tx in
            try tx.add(Self.weight("1", 70))
            try tx.add(Self.weight("2", 80))
        }
    }

    private nonisolated static func weight(_ id: String, _ kilograms: Int) -> Observation {
        Observation {
            $0.id = id
            $0.valueQuantity = Quantity { $0.value = FHIRDecimal(kilograms) }
        }
    }

    @Test func countsAndAggregatesFollowTheStore() async throws {
        let mean = LiveValue(in: store, every: .zero) { try $0.query(Observation.self).average { $0.valueQuantity.value } }
        let count = LiveValue(in: store, every: .zero) { try $0.query(Observation.self).count() }
        #expect(mean.isLoading && mean.value == nil)
        await until { count.value == 2 && !mean.isLoading }
        #expect(mean.value == 75)
        try await store.write { tx in _ = try tx.add(Self.weight("3", 90)) }
        await until { count.value == 3 && mean.value == 80 }
        #expect(!count.isLoading && count.error == nil)
    }

    @Test func anotherValueReplacesTheLastWithoutAGap() async throws {
        let live = LiveValue(in: store, every: .zero) { try $0.query(Observation.self).count() }
        await until { live.value == 2 }
        live.follow { try $0.query(Observation.self).where { $0.valueQuantity.value > 75 }.count() }
        #expect(live.isLoading && live.value == 2)
        await until { !live.isLoading }
        #expect(live.value == 1)
        try await store.write { tx in _ = try tx.add(Self.weight("3", 20)) }
        try await store.write { tx in _ = try tx.add(Self.weight("4", 90)) }
        await until { live.value == 2 }
    }

    @Test func anErrorEndsItAndAnotherValueBeginsAgain() async throws {
        struct Refusal: Error {}
        let live = LiveValue<Int>(in: store, every: .zero) { _ in throw Refusal() }
        await until { live.error != nil }
        #expect(!live.isLoading && live.error is Refusal)
        live.follow { try $0.query(Observation.self).count() }
        #expect(live.error == nil)
        await until { live.value == 2 }
    }

    @Test func aReleasedValueStopsReading() async throws {
        weak var released: LiveValue<Int>?
        do {
            let live = LiveValue(in: store, every: .zero) { try $0.query(Observation.self).count() }
            await until { live.value == 2 }
            released = live
        }
        #expect(released == nil)
    }

    // MARK: - Presentation

    @Test func eachChangeIsPresentedWithItsDifferences() async throws {
        let steps = Steps()
        let live = LiveQuery(store.query(Observation.self), every: .zero)
        let shown = ShownResults(live) { changes, show in
            steps.all.append(changes)
            show()
        }
        #expect(shown.results.isEmpty)
        await until { shown.results.count == 2 }
        try await store.write { tx in _ = try tx.add(Self.weight("3", 90)) }
        await until { shown.results.count == 3 }
        #expect(steps.all.count == 2 && steps.all.first == .some(nil) && steps.all.last??.insertions == [2])
        live.query = store.query(Observation.self).sort(\.valueQuantity.value, .reverse)
        await until { shown.results.first?.id == "3" }
        #expect(shown.results.compactMap(\.id) == ["3", "2", "1"])
        #expect(shown.results.elementsEqual(live.results, by: ===))
    }

    @Test func releasedPresentationsStop() async throws {
        let live = LiveQuery(store.query(Observation.self), every: .zero)
        weak var released: ShownResults<Observation>?
        do {
            let shown = ShownResults(live)
            await until { shown.results.count == 2 }
            released = shown
        }
        #expect(released == nil)
        try await store.write { tx in _ = try tx.add(Self.weight("3", 90)) }
        await until { live.results.count == 3 }
    }
}

/// The differences that were presented.
@MainActor private final class Steps { var all: [ResultChanges?] = [] }
