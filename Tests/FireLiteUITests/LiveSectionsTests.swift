import FireLiteR4
import Testing

@testable import FireLiteUI

@MainActor
struct LiveSectionsTests {
    private let store: FHIRStore

    init() throws {
        store = try FHIRStore(path: ":memory:", release: .r4)
        try store.write { tx in
            for (id, date) in [("1", "2020-01-05"), ("2", "2020-01-07"), ("3", "2021-03-01")] { try tx.add(Self.visit(id, date)) }
        }
    }

    private nonisolated static func visit(_ id: String, _ date: String) -> Encounter {
        Encounter {
            $0.id = id
            $0.status = .finished
            $0.`class` = Coding { $0.code = "AMB" }
            $0.period = Period { $0.start = FHIRDateTime(date) }
        }
    }

    @Test func resultsAreInSectionsThatFollowTheStore() async throws {
        let live = LiveSections(store.query(Encounter.self).sort(\.period.start), every: .zero) {
            DateSection(.month, of: $0.period?.start)
        }
        await until { !live.live.isLoading }
        #expect(live.sections.map(\.id.description) == ["2020-01", "2021-03"])
        #expect(live.sections.map { $0.results.compactMap(\.id) } == [["1", "2"], ["3"]])
        #expect(live.takeChanges().insertedSections == [0, 1])
        try await store.write { tx in try tx.add(Self.visit("4", "2020-01-06")) }
        await until { live.live.results.count == 4 }
        #expect(live.sections.first?.results.compactMap(\.id) == ["1", "4", "2"])
        #expect(live.takeChanges().insertedItems == [.init(section: 0, item: 1)])
        #expect(live.takeChanges().isEmpty)
    }

    @Test func anotherQueryReplacesTheResultsWithoutAnEmptyList() async throws {
        let live = LiveQuery(store.query(Encounter.self).sort(\.period.start), every: .zero)
        await until { !live.isLoading }
        let first = live.results
        #expect(first.compactMap(\.id) == ["1", "2", "3"])
        live.query = store.query(Encounter.self).where { $0.period.start < "2021" }.sort(\.period.start, .reverse)
        #expect(live.isLoading && live.results.count == 3)
        await until { !live.isLoading }
        #expect(live.results.compactMap(\.id) == ["2", "1"])
        // What both have are the same objects.
        #expect(live.results.first === first[1] && live.results.last === first[0])
        #expect(live.changes?.deletions == [2] && live.changes?.moves.count == 1)
        // The new query is the one that is followed.
        try await store.write { tx in try tx.add(Self.visit("5", "2019-01-01")) }
        await until { live.results.count == 3 }
        #expect(live.results.compactMap(\.id) == ["2", "1", "5"])
    }

    @Test func aQueryOfAnotherStoreIsFollowedToo() async throws {
        let live = LiveQuery(store.query(Encounter.self), every: .zero)
        await until { !live.isLoading }
        let other = try FHIRStore(path: ":memory:", release: .r4)
        try await other.write { tx in try tx.add(Self.visit("9", "2022-01-01")) }
        live.query = other.query(Encounter.self)
        await until { !live.isLoading }
        #expect(live.results.compactMap(\.id) == ["9"])
    }
}
