import FireLiteR4
import TestSupport
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

    /// What a live list shows in sections, its batch updates and the sizes of its sections are those that SQL says, after every commit.
    @Test(arguments: Effort.seeds(byDay: 3, atNight: 40))
    func sectionsByDatesAgreeWithSQLAfterEveryCommit(_ seed: UInt64) async throws {
        var run = try SectionRun(seed: seed &+ 100)
        let query = run.store.query(Patient.self).sort(\.deceasedDateTime, .reverse)
        let live = LiveSections(query, every: .zero, by: .day, of: \.deceasedDateTime)
        let paged = LiveSections(query, pageSize: 2, every: .zero, by: .day, of: \.deceasedDateTime)
        let named = LiveSections(query, every: .zero, by: \.name.given)
        var before = SectionedSnapshot<DateSection, String>()
        for _ in 0..<10 {
            try run.commit()
            let (after, names, sizes) = try Self.read(query)
            await until { live.snapshot == after && live.counts == sizes && paged.counts == sizes && named.snapshot == names }
            #expect(live.takeChanges() == after.changes(from: before))
            #expect(live.sections.map(\.id) == sizes.map(\.id) && live.sections.map(\.results.count) == sizes.map(\.count))
            before = after
        }
        let loaded = min(2, run.entries.count)
        await until { paged.live.results.count == loaded }
    }

    // Blocking forms, as asynchronous functions otherwise pick the asynchronous ones.
    private static func read(
        _ query: FHIRQuery<Patient>
    ) throws -> (SectionedSnapshot<DateSection, String>, SectionedSnapshot<String?, String>, [SectionCount<DateSection>]) {
        (
            try query.snapshot(by: .day, of: \.deceasedDateTime), try query.snapshot(by: \.name.given),
            try query.sections(by: .day, of: \.deceasedDateTime)
        )
    }

    @Test func countsAreThoseOfTheQueryThatIsSet() async throws {
        let live = LiveSections(store.query(Encounter.self).sort(\.period.start), pageSize: 1, every: .zero, by: .year, of: \.period.start)
        await until { live.counts != nil && !live.live.isLoading }
        #expect(live.counts?.map(\.id.description) == ["2020", "2021"] && live.counts?.map(\.count) == [2, 1])
        #expect(live.sections.map(\.id.description) == ["2020"] && live.sections.first?.results.count == 1)
        live.live.query = store.query(Encounter.self).where { $0.period.start > "2020-01-06" }.sort(\.period.start, .reverse)
        await until { live.counts?.map(\.count) == [1, 1] }
        #expect(live.counts?.map(\.id.description) == ["2021", "2020"])
        let other = try FHIRStore(path: ":memory:", release: .r4)
        try await other.write { tx in try tx.add(Self.visit("9", "2022-01-01")) }
        live.live.query = other.query(Encounter.self)
        await until { live.counts?.map(\.id.description) == ["2022"] }
        // A block needs the resources, so nothing is counted.
        let block = LiveSections(store.query(Encounter.self), every: .zero) { $0.status?.rawValue }
        await until { !block.live.isLoading }
        #expect(block.counts == nil && block.sections.count == 1)
    }

    @Test func theAsynchronousFormsReturnWhatTheBlockingOnesDo() async throws {
        let query = store.query(Encounter.self).sort(\.period.start)
        let sections = try await query.sections(by: .month, of: \.period.start)
        #expect(sections.map(\.id.text) == ["2020-01", "2021-03"] && sections.map(\.count) == [2, 1])
        let snapshot = try await query.snapshot(by: .month, of: \.period.start)
        #expect(snapshot.sections == sections.map(\.id) && snapshot.count == 3)
        let states = try await query.sections(by: \.status)
        #expect(states.map(\.id) == [.finished] && states.map(\.count) == [3])
        let inStates = try await query.snapshot(by: \.status)
        #expect(inStates.sections == [.finished] && inStates.count == 3)
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
