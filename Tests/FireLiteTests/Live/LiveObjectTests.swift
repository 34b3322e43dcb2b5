import FireLite
import FireLiteR4
import Foundation
import Observation
import Testing

@testable import FireLite

/// Objects of user interfaces follow the store, and held objects can be brought up to date.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct LiveObjectTests {
    /// Waits until `value` is true of what it reads, whenever that changes.
    @MainActor private func until(_ value: @escaping @MainActor () -> Bool) async {
        let (changes, changed) = AsyncStream<Void>.makeStream()
        var iterator = changes.makeAsyncIterator()
        while !withObservationTracking(value, onChange: { changed.yield() }) { await iterator.next() }
    }

    @Test @MainActor func aLiveQueryFollowsAndPages() async throws {
        let store = try FHIRStore(path: freshStore(isInFile: true).path, release: .r4)
        for number in 0..<5 { try put(store, "\(number)", "F\(number)") }
        let live = LiveQuery(store.query(Patient.self).sort { $0.name.family.ascending }, pageSize: 2, every: .zero)
        #expect(live.isLoading && live.results.isEmpty)
        await until { live.results.count == 2 }
        #expect(!live.isLoading && live.hasMore && live.error == nil)
        let first = live.results[0]
        live.loadMore()
        await until { live.results.count == 4 }
        #expect(live.results[0] === first)
        live.loadMore()
        await until { live.results.count == 5 }
        #expect(!live.hasMore)
        try put(store, "0", "F00")
        await until { live.results.first?.name.first?.family == "F00" }
        #expect(live.changes?.updates == [ResultChanges.Update(index: 0, paths: ["name[0].family"])])
        try await store.close()
        await until { live.error != nil }
        #expect(live.results.count == 5)
    }

    @Test @MainActor func aLiveQueryEndsWhenItIsReleased() async throws {
        let store = try freshStore(isInFile: true)
        weak var released: LiveQuery<Patient>?
        do {
            let live = LiveQuery(store.query(Patient.self), every: .zero)
            released = live
            await until { !live.isLoading }
        }
        #expect(released == nil)
        #expect(await isUnobserved(store))
    }

    /// Whether nobody observes the store, once the tasks that were cancelled have ended.
    private func isUnobserved(_ store: FHIRStore) async -> Bool {
        let limit = Date(timeIntervalSinceNow: 300)
        while store.announcer.isObserved, Date() < limit { await _Concurrency.Task.yield() }
        return !store.announcer.isObserved
    }

    @Test @MainActor func aLiveResourceKeepsItsObject() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let live = LiveResource(Patient.self, id: "a", in: store, every: .zero)
        await until { live.resource != nil }
        let object = try #require(live.resource)
        let name = object.name[0]
        try put(store, "a", "Brown")
        await until { live.resource?.name.first?.family == "Brown" }
        #expect(live.resource === object && object.name[0] === name)
        // It can be saved at any time.
        try writing(store) { _ in object.active = true }
        #expect(try reading(store) { try $0.resource(Patient.self, id: "a")?.active } == true)
        try writing(store) { tx in try tx.delete(Patient.self, id: "a") }
        await until { live.resource == nil }
    }

    @Test @MainActor func aLiveResourceKeepsItsObjectWhenTheStoreIsClosedAndEndsWhenItIsReleased() async throws {
        let store = try FHIRStore(path: freshStore(isInFile: true).path, release: .r4)
        try put(store, "a", "Adams")
        weak var released: LiveResource<Patient>?
        do {
            let live = LiveResource(Patient.self, id: "a", in: store, every: .zero)
            released = live
            await until { live.resource != nil }
        }
        #expect(released == nil)
        #expect(await isUnobserved(store))
        let live = LiveResource(Patient.self, id: "a", in: store, every: .zero)
        await until { live.resource != nil }
        try await store.close()
        await until { live.error != nil }
        #expect((live.error as? FHIRStoreError)?.code == .closed && live.resource?.id == "a" && !live.isLoading)
    }

    @Test @MainActor func twoFetchesGiveOneObject() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let objects = LiveObjects(store)
        let first = try #require(try objects.resource(Patient.self, id: "a"))
        try put(store, "a", "Brown")
        let second = try #require(try objects.all(store.query(Patient.self)).first)
        #expect(first === second && first.name[0].family == "Brown")
    }

    @Test @MainActor func anObjectIsSharedWhileItIsUsedAndItsResourceExists() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        try writing(store) { tx in try tx.upsert(Basic { $0.id = "a" }) }
        let objects = LiveObjects(store)
        let first = try #require(try objects.resource(Patient.self, id: "a"))
        let name = first.name[0]
        // The same id of another type is another resource.
        #expect(try objects.resource(Basic.self, id: "a")?.id == "a")
        // It is changed in a write like any other, and fetching keeps what the write has stored.
        try writing(store) { _ in first.active = true }
        #expect(try objects.resource(Patient.self, id: "a") === first && first.active == true)
        try put(store, "a", "Brown")
        #expect(try objects.all(store.query(Patient.self)).first === first)
        #expect(first.name[0] === name && name.family == "Brown" && first.active == nil)
        // Stored again after a deletion it is another resource, and the object of the old one stays as it is.
        try writing(store) { tx in try tx.delete(Patient.self, id: "a") }
        #expect(try objects.resource(Patient.self, id: "a") == nil)
        try put(store, "a", "Clark")
        let second = try #require(try objects.resource(Patient.self, id: "a"))
        #expect(second !== first && name.family == "Brown")
        // Another LiveObjects has objects of its own.
        #expect(try LiveObjects(store).resource(Patient.self, id: "a") !== second)
    }

    @Test @MainActor func sharedObjectsAreNotKept() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let objects = LiveObjects(store)
        weak var released: Patient?
        do { released = try objects.resource(Patient.self, id: "a") }
        #expect(released == nil)
        #expect(try objects.resource(Patient.self, id: "a")?.name[0].family == "Adams")
    }

    @Test func aStaleObjectIsRefreshedAndSaved() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let held = try #require(try store.resource(Patient.self, id: "a"))
        #expect(held.isCurrent)
        let name = held.name[0]
        try writing(store) { tx in
            let other = try #require(try tx.resource(Patient.self, id: "a"))
            other.name.insert(HumanName { $0.text = "first" }, at: 0)
            other.name[1].given = ["Ann"]
            other.contact = [PatientContact { $0.gender = .female }]
        }
        #expect(!held.isCurrent)
        #expect(throws: FHIRStoreError.self) { try store.write { _ in held.active = true } }
        #expect(try held.refresh())
        #expect(held.isCurrent)
        #expect(held.name.count == 2 && held.name[1] === name && name.given == ["Ann"])
        #expect(held == (try store.resource(Patient.self, id: "a")))
        try store.write { _ in
            held.name[1].family = "Brown"
            try held.populate(from: held.copy())
            held.contact[0].gender = .male
        }
        #expect(held == (try store.resource(Patient.self, id: "a")))
        try store.write { tx in _ = try tx.delete(Patient.self, id: "a") }
        #expect(try !held.refresh())
        #expect(!held.isCurrent)
    }

    /// A property answers; what cannot be found out is not known to be current, and a method says why.
    @Test func anObjectOfAClosedStoreIsNotKnownToBeCurrent() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let held = try #require(try store.resource(Patient.self, id: "a"))
        #expect(try held.checkCurrent() && held.isCurrent)
        #expect(!Patient().isCurrent)
        try withTemporaryFolder { folder in
            let other = try FHIRStore(path: folder + "/other.sqlite", release: .r4)
            try put(other, "a", "Adams")
            let lost = try #require(try other.resource(Patient.self, id: "a"))
            try other.close()
            #expect(!lost.isCurrent)
            #expect(throws: FHIRStoreError.self) { try lost.checkCurrent() }
        }
    }

    @Test func elementsThatAreGoneBecomeObjectsOfTheirOwn() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let held = try #require(try store.resource(Patient.self, id: "a"))
        let name = held.name[0]
        let pk = name.pk
        try store.write { tx in try #require(try tx.resource(Patient.self, id: "a")).name = [] }
        try held.refresh()
        #expect(held.name.isEmpty && name.family == "Adams" && name.pk == pk)
        // It is nobody's, so it can be changed.
        name.family = "Changed"
    }
}
