import FireLiteR4
import Testing

@testable import FireLiteUI

/// What the property wrappers for SwiftUI keep between the updates of a view: each update passes the store and what the view was made with last.
@MainActor
struct FollowerTests {
    private typealias Query = FHIRQuery<Patient>
    private let store: FHIRStore

    init() throws {
        store = try FHIRStore(path: ":memory:", release: .r4)
        try store.write { tx in
            try tx.add(Self.patient("1", "Ada", isActive: true))
            try tx.add(Self.patient("2", "Ben", isActive: false))
        }
    }

    private nonisolated static func patient(_ id: String, _ family: String, isActive: Bool) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = family }]
            $0.active = isActive
        }
    }

    private func active(_ isActive: Bool) -> GivenQuery<Patient> { GivenQuery { $0.where { $0.active == isActive } } }

    private func ids(_ follower: ResultsFollower<Patient>) -> [String] { follower.shown?.results.compactMap(\.id) ?? [] }

    private func name(_ state: FHIRLoadingState) -> String {
        switch state {
        case .loading: "loading"
        case .empty: "empty"
        case .loaded: "loaded"
        case .failed: "failed"
        }
    }

    // MARK: - Queries

    @Test func resultsFollowTheQueryThatTheViewIsMadeWithAgain() async throws {
        let first = active(true)
        let follower = ResultsFollower(first, pageSize: nil)
        follower.follow(store, first)
        await until { ids(follower) == ["1"] }
        let live = try #require(follower.live)
        follower.follow(store, active(false))
        await until { ids(follower) == ["2"] }
        #expect(follower.live === live)
        try await store.write { tx in _ = try tx.add(Self.patient("3", "Cleo", isActive: false)) }
        await until { ids(follower) == ["2", "3"] }
    }

    @Test func aQueryThatWasSetStaysWhileTheViewIsMadeWithAnEqualOne() async throws {
        let first = active(true)
        let follower = ResultsFollower(first, pageSize: nil)
        follower.follow(store, first)
        await until { ids(follower) == ["1"] }
        follower.query = { $0.sort(\.name.family, .reverse) }
        follower.follow(store, active(true))
        await until { ids(follower) == ["2", "1"] }
        follower.follow(store, active(false))
        await until { ids(follower) == ["2"] }
    }

    @Test func anUpdateOfTheSameViewMakesNoQuery() async throws {
        var count = 0
        let given = GivenQuery<Patient> { query in
            count += 1
            return query
        }
        let follower = ResultsFollower(given, pageSize: nil)
        follower.follow(nil, given)
        #expect(count == 0 && follower.live == nil)
        follower.follow(store, given)
        let made = count
        for _ in 0..<5 { follower.follow(store, given) }
        #expect(made > 0 && count == made)
        await until { ids(follower) == ["1", "2"] }
    }

    @Test func withoutAStoreTheNewestQueryWaits() async throws {
        let follower = ResultsFollower(active(true), pageSize: nil)
        let second = active(false)
        follower.follow(nil, second)
        #expect(name(follower.state) == "loading")
        follower.follow(store, second)
        await until { ids(follower) == ["2"] }
    }

    @Test func anotherStoreKeepsTheQueryThatWasSet() async throws {
        let other = try FHIRStore(path: ":memory:", release: .r4)
        try await other.write { tx in
            _ = try tx.add(Self.patient("8", "Yves", isActive: true))
            _ = try tx.add(Self.patient("9", "Zoe", isActive: true))
        }
        let given = active(true)
        let follower = ResultsFollower(given, pageSize: nil)
        follower.follow(store, given)
        await until { ids(follower) == ["1"] }
        follower.query = { $0.sort(\.name.family, .reverse) }
        follower.follow(other, given)
        await until { ids(follower) == ["9", "8"] }
    }

    @Test func aReplacedStoreReleasesItsPresentation() async throws {
        let given = active(true)
        let follower = ResultsFollower(given, pageSize: nil)
        follower.follow(store, given)
        await until { ids(follower) == ["1"] }
        weak var shown: ShownResults<Patient>?
        shown = follower.shown
        weak var live: LiveQuery<Patient>?
        live = follower.live
        follower.follow(try FHIRStore(path: ":memory:", release: .r4), given)
        #expect(shown == nil && live == nil)
    }

    @Test func queriesAreComparedByWhatTheyAskFor() throws {
        func isSame(_ first: (Query) -> Query, _ second: (Query) -> Query) -> Bool {
            first(store.query(Patient.self)).request.asksTheSame(as: second(store.query(Patient.self)).request)
        }
        let different: [(Query) -> Query] = [
            { $0 }, { $0.limit(1) }, { $0.offset(1) }, { $0.sort(\.birthDate) }, { $0.sort(\.birthDate, .reverse) },
            { $0.sort(\.birthDate).sort(\.id) }, { $0.matching("ada") }, { $0.matching("ben") }, { $0.where { $0.active } },
            { $0.where { !$0.active } }, { $0.where { $0.birthDate > "2000" } }, { $0.where { $0.birthDate > "2001" } },
            { $0.where { $0.birthDate < "2000" } }, { $0.where { $0.name.family == "Ada" } }, { $0.where { $0.name.given == "Ada" } },
            { $0.where { $0.name.family == "Ben" } }, { $0.where { $0.name.count >= 2 } }, { $0.where { $0.name.count >= 3 } },
            { $0.where { $0.active && $0.name.family == "Ada" } }, { $0.where { $0.active || $0.name.family == "Ada" } },
        ]
        for (place, query) in different.enumerated() {
            for (otherPlace, other) in different.enumerated() { #expect(isSame(query, other) == (place == otherPlace)) }
        }
    }

    // MARK: - Resources

    @Test func aChangedIDShowsNoOldResource() async throws {
        let follower = RecordFollower<Patient>(id: "1")
        follower.follow(nil, id: "1")
        #expect(follower.live == nil)
        follower.follow(store, id: "1")
        await until { follower.live?.resource?.id == "1" }
        follower.follow(store, id: "2")
        #expect(follower.id == "2" && follower.live?.resource == nil)
        #expect(name(follower.state) == "loading")
        await until { follower.live?.resource?.id == "2" }
        follower.follow(store, id: "none")
        await until { follower.live?.isLoading == false }
        #expect(name(follower.state) == "empty")
    }

    @Test func anIDThatWasSetStaysUntilTheViewIsMadeWithAnother() async throws {
        let follower = RecordFollower<Patient>(id: "1")
        follower.follow(store, id: "1")
        follower.id = "2"
        let live = try #require(follower.live)
        follower.follow(store, id: "1")
        #expect(follower.id == "2" && follower.live === live)
        await until { follower.live?.resource?.id == "2" }
        follower.follow(store, id: "3")
        #expect(follower.id == "3" && follower.live?.resource == nil)
    }

    @Test func aChangedIDReleasesTheOldFollower() async throws {
        let follower = RecordFollower<Patient>(id: "1")
        follower.follow(store, id: "1")
        await until { follower.live?.resource?.id == "1" }
        weak var live: LiveResource<Patient>?
        live = follower.live
        follower.follow(store, id: "2")
        #expect(live == nil)
    }

    @Test func changesOfAResourceAreAnimatedButNotTheFirstRead() async throws {
        let steps = Steps()
        let follower = RecordFollower<Patient>(id: "1", present: steps.present)
        follower.follow(store, id: "1")
        #expect(follower.resource == nil && name(follower.state) == "loading")
        await until { follower.resource != nil }
        #expect(steps.areChanges == [false] && name(follower.state) == "loaded")
        let ada = try #require(follower.resource)
        try await store.write { tx in _ = try tx.upsert(Self.patient("1", "Augusta", isActive: true)) }
        await until { follower.resource?.name.first?.family == "Augusta" && steps.areChanges.count == 2 }
        #expect(steps.areChanges == [false, true] && follower.resource === ada)
        try await store.write { tx in _ = try tx.deleteAll(Patient.self) }
        await until { follower.resource == nil }
        #expect(steps.areChanges == [false, true, true] && name(follower.state) == "empty")
        try await store.write { tx in _ = try tx.add(Self.patient("1", "Ada", isActive: true)) }
        await until { follower.resource != nil }
        #expect(steps.areChanges == [false, true, true, true])
    }

    @Test func anotherResourceIsNotAnimated() async throws {
        let steps = Steps()
        let follower = RecordFollower<Patient>(id: "1", present: steps.present)
        follower.follow(store, id: "1")
        await until { follower.resource?.id == "1" }
        follower.id = "2"
        #expect(follower.resource == nil)
        await until { follower.resource?.id == "2" }
        #expect(steps.areChanges == [false, false])
    }

    // MARK: - Values

    @Test func changesOfAValueAreAnimatedButNotTheFirst() async throws {
        let steps = Steps()
        let follower = ValueFollower<Int>(id: 1, present: steps.present) { try $0.count(Patient.self) }
        follower.follow(store, id: 1) { try $0.count(Patient.self) }
        await until { follower.value == 2 }
        #expect(steps.areChanges == [false] && name(follower.state) == "loaded")
        try await store.write { tx in _ = try tx.add(Self.patient("3", "Cleo", isActive: true)) }
        await until { follower.value == 3 }
        follower.follow { try $0.query(Patient.self).where { $0.active }.count() }
        await until { follower.value == 2 }
        #expect(steps.areChanges == [false, true, true])
        follower.follow(store, id: 2) { try $0.query(Patient.self).where { !$0.active }.count() }
        #expect(follower.value == nil && name(follower.state) == "loading")
        await until { follower.value == 1 }
        #expect(steps.areChanges == [false, true, true, false])
    }

    @Test func aBlockIsReplacedWithItsIdentityOnly() async throws {
        func count(_ isActive: Bool) -> @Sendable (ReadTransaction) throws -> Int {
            { try $0.query(Patient.self).where { $0.active == isActive }.count() + (isActive ? 0 : 10) }
        }
        let follower = ValueFollower(id: true, count(true))
        follower.follow(store, id: true, count(true))
        await until { follower.live?.value == 1 }
        let live = try #require(follower.live)
        follower.follow(store, id: true, count(false))
        #expect(follower.live === live && live.value == 1)
        follower.follow(store, id: false, count(false))
        #expect(follower.live !== live && follower.live?.value == nil)
        await until { follower.live?.value == 11 }
    }
}

/// Whether each presentation was that of a change.
@MainActor private final class Steps {
    var areChanges: [Bool] = []

    func present(_ isChange: Bool, _ show: () -> Void) {
        areChanges.append(isChange)
        show()
    }
}
