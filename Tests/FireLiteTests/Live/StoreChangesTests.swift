import FireLite
import FireLiteR4
import Foundation
import Testing

/// `FHIRStore.changes()` reports each commit, exactly once and in order.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct StoreChangesTests {
    @Test func eachCommitIsReportedWithItsResources() async throws {
        let store = try freshStore()
        var commits = store.changes().makeAsyncIterator()
        try put(store, "a", "Adams")
        try writing(store) { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "a"))
            patient.active = true
            try tx.upsert(Observation { $0.id = "o" })
        }
        try writing(store) { tx in try tx.delete(Patient.self, id: "a") }
        let added = try #require(await commits.next())
        #expect(marks(added) == ["+Patient/a"])
        #expect(added.isComplete && added.typeNames == ["Patient"])
        #expect(added.mayHaveChanged(Patient.self) && !added.mayHaveChanged(Observation.self))
        let pk = try #require(added.resources.first).pk
        #expect(Set(marks(try #require(await commits.next()))) == ["~Patient/a", "+Observation/o"])
        let deleted = try #require(await commits.next())
        #expect(marks(deleted) == ["-Patient/a"])
        #expect(deleted.resources.first?.pk == pk)
    }

    @Test func whatEndsAsItBeganIsNotReported() async throws {
        let store = try freshStore()
        try put(store, "a", "Adams")
        var commits = store.changes().makeAsyncIterator()
        // Unchanged, rolled back, added and deleted, and nothing at all.
        try put(store, "a", "Adams")
        #expect(throws: CancellationError.self) {
            try writing(store) { tx in
                try tx.upsert(Patient { $0.id = "b" })
                throw CancellationError()
            }
        }
        try writing(store) { tx in
            try tx.upsert(Patient { $0.id = "c" })
            try tx.delete(Patient.self, id: "c")
        }
        try writing(store) { _ in }
        try put(store, "a", "Brown")
        #expect(marks(try #require(await commits.next())) == ["~Patient/a"])
    }

    @Test func changesOfOneResourceInOneWriteAreOne() async throws {
        let store = try freshStore()
        try put(store, "a", "Adams")
        var commits = store.changes().makeAsyncIterator()
        try writing(store) { tx in
            let new = try tx.upsert(Patient { $0.id = "n" })
            new.active = true
            try tx.saveChanges()
            let old = try #require(try tx.resource(Patient.self, id: "a"))
            old.active = true
            try tx.saveChanges()
            old.active = false
            try tx.saveChanges()
            try tx.delete(old)
        }
        #expect(marks(try #require(await commits.next())) == ["+Patient/n", "-Patient/a"])
    }

    @Test func aCallThatIsRolledBackAloneIsNotReported() async throws {
        let store = try freshStore()
        try put(store, "a", "Adams")
        let stale = try #require(try reading(store) { try $0.resource(Patient.self, id: "a") })
        try put(store, "a", "Brown")
        var commits = store.changes().makeAsyncIterator()
        try writing(store) { tx in
            try tx.upsert(Patient { $0.id = "b" })
            // The second one is a conflict, so the first is not stored, either.
            #expect(throws: FHIRStoreError.self) { try tx.upsert([Patient { $0.id = "lost" }, stale]) }
            try tx.upsert(Patient { $0.id = "c" })
        }
        #expect(marks(try #require(await commits.next())) == ["+Patient/b", "+Patient/c"])
    }

    /// A write with a few resources looks for them one by one, one with many in a dictionary.
    @Test(arguments: [3, 8, 9, 30]) func eachOfManyResourcesIsReportedOnce(_ count: Int) async throws {
        let store = try freshStore()
        for number in 0..<count { try put(store, "\(number)", "F") }
        let stale = try #require(try reading(store) { try $0.resource(Patient.self, id: "0") })
        try put(store, "0", "G")
        var commits = store.changes().makeAsyncIterator()
        try writing(store) { tx in
            for number in 0..<count { try #require(try tx.resource(Patient.self, id: "\(number)")).active = true }
            try tx.saveChanges()
            // A call that is rolled back changes some of them, adds others and leaves everything as it was.
            let lost = (0..<count + 2).map { number in
                Patient {
                    $0.id = "\(number + 1)"
                    $0.active = false
                }
            }
            #expect(throws: FHIRStoreError.self) { try tx.upsert(lost + [stale]) }
            for number in 0..<count { try #require(try tx.resource(Patient.self, id: "\(number)")).birthDate = "1970" }
            try tx.saveChanges()
            try tx.upsert(Basic { $0.id = "b" })
            try tx.delete(Patient.self, id: "0")
        }
        let commit = try #require(await commits.next())
        #expect(marks(commit) == ["-Patient/0"] + (1..<count).map { "~Patient/\($0)" } + ["+Basic/b"])
        #expect(commit.typeNames == ["Patient", "Basic"])
        try put(store, "last", "L")
        let next = try #require(await commits.next())
        #expect(marks(next) == ["+Patient/last"] && next.typeNames == ["Patient"])
    }

    @Test func aDeletedResourceWithContainedOnesIsReportedByItsOwnIdOnly() async throws {
        let store = try freshStore()
        try writing(store) { tx in
            try tx.upsert(
                Patient {
                    $0.id = "p"
                    $0.contained = [Account { $0.id = "inner" }]
                })
        }
        var commits = store.changes().makeAsyncIterator()
        try writing(store) { tx in try tx.delete(Patient.self, id: "p") }
        #expect(marks(try #require(await commits.next())) == ["-Patient/p"])
    }

    @Test func tooManyChangesAreReportedByTheirTypesAlone() async throws {
        let store = try freshStore()
        var commits = store.changes().makeAsyncIterator()
        try writing(store) { tx in try tx.upsert((0..<10_001).map { number in Basic { $0.id = "\(number)" } }) }
        try put(store, "a", "Adams")
        let many = try #require(await commits.next())
        #expect(!many.isComplete && many.resources.isEmpty && many.typeNames == ["Basic"])
        #expect(marks(try #require(await commits.next())) == ["+Patient/a"])
    }

    @Test func aSlowConsumerLosesDetailsAndNoCommit() async throws {
        let store = try freshStore()
        var commits = store.changes().makeAsyncIterator()
        try writing(store) { tx in try tx.upsert((0..<9_000).map { number in Basic { $0.id = "\(number)" } }) }
        for round in 0..<11 {
            try writing(store) { tx in
                try tx.upsert(
                    (0..<9_000).map { number in
                        Basic {
                            $0.id = "\(number)"
                            $0.language = "\(round)"
                        }
                    })
            }
        }
        let all = try #require(await commits.next())
        #expect(!all.isComplete && all.typeNames == ["Basic"])
        try put(store, "a", "Adams")
        #expect(marks(try #require(await commits.next())) == ["+Patient/a"])
    }

    @Test func anIndexIsReportedWithoutResources() async throws {
        let store = try freshStore()
        try put(store, "a", "Adams")
        var commits = store.changes().makeAsyncIterator()
        try makeIndex(store)
        let commit = try #require(await commits.next())
        #expect(commit.isComplete && commit.resources.isEmpty && commit.typeNames == [])
    }

    private func makeIndex(_ store: FHIRStore) throws { _ = try store.createIndex(Patient.self) { $0.name.family } }

    @Test func anotherConnectionsCommitIsReportedWithoutDetails() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        var commits = store.changes().makeAsyncIterator()
        let other = try FHIRStore(path: store.path, release: .r4)
        try put(other, "b", "Brown")
        let foreign = try #require(await commits.next())
        #expect(!foreign.isComplete && foreign.typeNames == nil && foreign.resources.isEmpty)
        // Its own commits are still reported in detail, and the other's come before.
        try put(store, "c", "Clark")
        #expect(marks(try #require(await commits.next())) == ["+Patient/c"])
        try put(other, "d", "Davis")
        try put(store, "e", "Evans")
        #expect(try #require(await commits.next()).isComplete == false)
        #expect(marks(try #require(await commits.next())) == ["+Patient/e"])
    }

    @Test func aReadOnlyStoreReportsTheCommitsOfOthers() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        var configuration = FHIRStore.Configuration()
        configuration.access = .readOnly
        configuration.foreignCommitInterval = .milliseconds(5)
        let reader = try FHIRStore(path: store.path, release: .r4, configuration: configuration)
        var commits = reader.changes().makeAsyncIterator()
        try put(store, "b", "Brown")
        #expect(try #require(await commits.next()).isComplete == false)
    }

    @Test func theLoopEndsWithTheStoreAndWithItsTask() async throws {
        let store = try FHIRStore(path: freshStore(isInFile: true).path, release: .r4)
        let started = Gate()
        let task = _Concurrency.Task {
            var count = 0
            started.open()
            for await _ in store.changes() { count += 1 }
            return count
        }
        await started.opened()
        task.cancel()
        _ = await task.value
        var commits = store.changes().makeAsyncIterator()
        try await store.close()
        #expect(await commits.next() == nil)
        var late = store.changes().makeAsyncIterator()
        #expect(await late.next() == nil)
    }
}
