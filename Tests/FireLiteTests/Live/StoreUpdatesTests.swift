import FireLite
import FireLiteR4
import Foundation
import Testing

/// `FHIRStore.updates` gives the result of any read now and after each commit that changes it.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct StoreUpdatesTests {
    /// The first results of a read, with a write before each but the first.
    private func results<Value>(
        _ store: FHIRStore, _ read: @escaping @Sendable (ReadTransaction) throws -> Value, after writes: [() throws -> Void]
    ) async throws -> [Value?] {
        var updates = store.updates(every: .zero, read).makeAsyncIterator()
        var results = [try await updates.next()]
        for write in writes {
            try write()
            results.append(try await updates.next())
        }
        return results
    }

    @Test func countsFollow() async throws {
        let store = try freshStore(isInFile: true)
        let counts = try await results(
            store, { try $0.query(Patient.self).where { $0.active == true }.count() },
            after: [
                // The first of two writes does not change the count, so the next result comes with the second.
                {
                    try put(store, "a", "Adams")
                    try writing(store) { tx in try #require(try tx.resource(Patient.self, id: "a")).active = true }
                },
                { try writing(store) { tx in try tx.delete(Patient.self, id: "a") } },
            ])
        #expect(counts == [0, 1, 0])
    }

    @Test func countsOfTypesProjectionsAndAggregatesFollow() async throws {
        let store = try freshStore(isInFile: true)
        let read: @Sendable (ReadTransaction) throws -> [String] = { tx in
            let query = tx.query(Patient.self).sort { $0.name.family.ascending }
            let families = try query.values { $0.name.family }.compactMap { $0 }
            let greatest = try query.max { $0.name.family }
            return families + [greatest ?? "", "\(try tx.count(Patient.self))", "\(try tx.counts().count)"]
        }
        let found = try await results(
            store, read, after: [{ try put(store, "b", "Brown") }, { try put(store, "a", "Adams") }, { try putObservation(store, "o") }])
        #expect(
            found == [
                ["", "0", "0"], ["Brown", "Brown", "1", "1"], ["Adams", "Brown", "Brown", "2", "1"], ["Adams", "Brown", "Brown", "2", "2"],
            ])
    }

    @Test func resourcesByIdAndPKAndScansFollow() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let pk = try #require(try reading(store) { try $0.resource(Patient.self, id: "a")?.pk })
        let read: @Sendable (ReadTransaction) throws -> [String] = { tx in
            var found = [try tx.resource(pk: pk).map { ($0 as? Patient)?.name.first?.family ?? "" } ?? "none"]
            found += try tx.resources(Patient.self, ids: ["a", "b"]).map { $0.id ?? "" }
            try tx.forEach(Basic.self) { found.append($0.id ?? "") }
            return found
        }
        let found = try await results(
            store, read,
            after: [
                { try put(store, "a", "Brown") }, { try put(store, "b", "Clark") },
                { try writing(store) { tx in try tx.upsert(Basic { $0.id = "x" }) } },
                { try writing(store) { tx in try tx.delete(Patient.self, id: "a") } },
            ])
        #expect(found == [["Adams", "a"], ["Brown", "a"], ["Brown", "a", "b"], ["Brown", "a", "b", "x"], ["none", "b", "x"]])
    }

    @Test func sqlFollowsTheTablesItReads() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let read: @Sendable (ReadTransaction) throws -> [String] = { tx in
            try tx.store.sql("SELECT family FROM Patient_name ORDER BY family").map { $0.values[0].text ?? "" }
        }
        let found = try await results(store, read, after: [{ try put(store, "b", "Brown") }, { try put(store, "a", "Clark") }])
        #expect(found == [["Adams"], ["Adams", "Brown"], ["Brown", "Clark"]])
        let revisions = try await results(
            store, { try $0.store.sql("SELECT sum(revision) FROM _resource")[0].values[0] }, after: [{ try put(store, "b", "Davis") }])
        #expect(revisions == [.integer(3), .integer(4)])
    }

    /// The store keeps the last 64 commits for reads that are under way.
    @Test(arguments: [0, 1, 63, 64, 100]) func aCommitDuringAReadIsNotMissed(_ later: Int) async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        try putObservation(store, "o")
        let (reads, continues) = (Gate(), Gate())
        let writer = _Concurrency.Task {
            await reads.opened()
            try put(store, "b", "Brown")
            for number in 0..<later { try putObservation(store, "o", status: number.isMultiple(of: 2) ? .amended : .final) }
            continues.open()
        }
        var updates = store.updates(every: .zero) { tx in
            let count = try tx.query(Patient.self).where { $0.name.family == "Brown" }.count()
            reads.open()
            continues.wait()
            return count
        }.makeAsyncIterator()
        #expect(try await updates.next() == 0)
        try await writer.value
        #expect(try await updates.next() == 1)
    }

    @Test func aBlockThatReadsTheLogOrTheHistoryFollowsIt() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "A1")
        try track(store)
        let start = try newest(store)
        let writes: [() throws -> Void] = [
            { try put(store, "a", "A2") }, { try putObservation(store, "o") },
            { try writing(store) { tx in try tx.delete(Patient.self, id: "a") } },
        ]
        let changes = try await results(store, { try $0.changes(since: start).map { "\($0.kind) \($0.typeName)" } }, after: writes)
        #expect(changes == [[], ["updated Patient"], ["updated Patient", "added Observation"], ["deleted Patient", "added Observation"]])
        try put(store, "b", "B1")
        let versions = try await results(
            store, { try $0.history(typeName: "Patient", id: "b").count }, after: [{ try put(store, "b", "B2") }])
        #expect(versions == [1, 2])
        let rows = try await results(
            store, { try $0.store.sql("SELECT max(seq) FROM _change")[0].values[0] }, after: [{ try put(store, "c", "C1") }])
        #expect(rows[0] != rows[1])
    }

    private func track(_ store: FHIRStore) throws {
        try store.track(.changes)
        try store.track(.history)
    }

    private func newest(_ store: FHIRStore) throws -> Int64 { try store.newestChange() }

    @Test func oneResourceFollowsUntilItIsDeletedAndWhenItComesAgain() async throws {
        let store = try freshStore(isInFile: true)
        var updates = store.updates(of: Patient.self, id: "a", every: .zero).makeAsyncIterator()
        func next() async throws -> String { try await updates.next()??.name.first?.family ?? "none" }
        #expect(try await next() == "none")
        try put(store, "other", "Other")
        try put(store, "a", "Adams")
        #expect(try await next() == "Adams")
        try put(store, "a", "Brown")
        #expect(try await next() == "Brown")
        try writing(store) { tx in try tx.delete(Patient.self, id: "a") }
        #expect(try await next() == "none")
        try put(store, "a", "Clark")
        #expect(try await next() == "Clark")
        // Another id is another resource.
        try writing(store) { tx in try #require(try tx.resource(Patient.self, id: "a")).id = "b" }
        #expect(try await next() == "none")
    }

    @Test func aReadThatThrowsEndsTheLoop() async throws {
        let store = try freshStore(isInFile: true)
        var updates = store.updates { _ -> Int in throw FHIRStoreError.sample }.makeAsyncIterator()
        await #expect(throws: FHIRStoreError.self) { try await updates.next() }
    }

    @Test func anIntervalHoldsBackFurtherReads() async throws {
        let store = try freshStore(isInFile: true)
        var updates = store.updates(every: .milliseconds(200)) { try $0.count(Patient.self) }.makeAsyncIterator()
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try await updates.next() == 0)
        for number in 0..<5 { try put(store, "\(number)", "F") }
        #expect(try await updates.next() == 5)
        #expect(clock.now - start >= .milliseconds(200))
    }

    @Test func anInMemoryStoreIsObservedToo() async throws {
        let store = try freshStore()
        var updates = store.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.count == 0)
        try put(store, "a", "Adams")
        #expect(try await updates.next()?.count == 1)
    }
}

extension FHIRStoreError {
    fileprivate static var sample: FHIRStoreError {
        do {
            _ = try FHIRStore(path: "/nowhere/at/all.sqlite", release: .r4)
        } catch let error as FHIRStoreError {
            return error
        } catch {}
        preconditionFailure("a store was opened where there is no folder")
    }
}
