import FireLite
import FireLiteR4
import Foundation
import Testing

/// The change log lists local changes, with the content before each.
@Suite(.soundStores) struct ChangeLogTests {
    private static func text(_ changes: LoggedChanges) -> [String] {
        changes.map { "\($0.kind.rawValue) \($0.typeName)/\($0.resourceID ?? "")" }
    }

    @Test func nothingIsLoggedUntilItIsSwitchedOn() throws {
        let store = try freshStore()
        try put(store, "a", "Adams")
        #expect(try store.tracked(.changes).isEmpty)
        #expect(try store.changes(since: 0).isEmpty)
        #expect(throws: FHIRStoreError.self) { try store.changeReader(named: "sync") }
        try store.track(.changes)
        #expect(try store.tracked(.changes) == .all)
        #expect(try store.tracked(.history).isEmpty)
        let start = try store.newestChange()
        #expect(try store.changes(since: start).isEmpty)
        // What came before was not logged.
        #expect(code { try store.changes(since: 0) } == .resyncRequired)
    }

    @Test func eachChangeIsLoggedWithTheContentBefore() throws {
        let store = try freshStore()
        try put(store, "a", "Adams")
        try store.track(.changes)
        let start = try store.newestChange()
        try put(store, "b", "Brown")
        try put(store, "a", "Young")
        try put(store, "a", "Young")
        try store.write { tx in try tx.delete(Patient.self, id: "b") }
        let each = try store.changes(since: start, squashed: false)
        #expect(Self.text(each) == ["added Patient/b", "updated Patient/a", "deleted Patient/b"])
        #expect(each.map(\.sequence) == [start + 1, start + 2, start + 3])
        #expect(each[0].base == nil && each[0].current?.contains("Brown") ?? false)
        #expect(each[1].base?.contains("Adams") ?? false && each[1].current?.contains("Young") ?? false)
        #expect(each[2].base?.contains("Brown") ?? false && each[2].current == nil)
        #expect(each[2].pk == each[0].pk)
        #expect(try each[1].differences() == [ElementDifference(path: "name[0].family", old: "\"Adams\"", new: "\"Young\"")])
        // One that was added and deleted is none.
        let squashed = try store.changes(since: start)
        #expect(Self.text(squashed) == ["updated Patient/a"])
        #expect(squashed[0].sequence == start + 2)
    }

    @Test func squashedChangesAreBaseAndCurrent() throws {
        let store = try freshStore()
        for (id, family) in [("a", "A1"), ("b", "B1"), ("c", "C1")] { try put(store, id, family) }
        try store.track(.changes)
        let start = try store.newestChange()
        for family in ["A2", "A3"] { try put(store, "a", family) }
        for family in ["B2", "B1"] { try put(store, "b", family) }
        try put(store, "c", "C2")
        try store.write { tx in try tx.delete(Patient.self, id: "c") }
        try put(store, "d", "D1")
        try put(store, "d", "D2")
        let changes = try store.changes(since: start)
        // b is as it was.
        #expect(Self.text(changes) == ["updated Patient/a", "deleted Patient/c", "added Patient/d"])
        #expect(changes[0].base?.contains("A1") ?? false && changes[0].current?.contains("A3") ?? false)
        #expect(changes[1].base?.contains("C1") ?? false)
        #expect(changes[2].current?.contains("D2") ?? false)
    }

    @Test func severalChangesInOneWriteAreOneEntry() throws {
        let store = try freshStore()
        try put(store, "a", "A1")
        try put(store, "b", "B1")
        try store.track(.changes)
        let start = try store.newestChange()
        try store.write { tx in
            let a = try #require(try tx.resource(Patient.self, id: "a"))
            a.active = true
            try tx.saveChanges()
            a.active = false
            try tx.saveChanges()
            let n = try tx.upsert(Patient { $0.id = "n" })
            n.active = true
            try tx.saveChanges()
            let b = try #require(try tx.resource(Patient.self, id: "b"))
            b.active = true
            try tx.saveChanges()
            try tx.delete(b)
            try tx.upsert(Patient { $0.id = "gone" })
            try tx.delete(Patient.self, id: "gone")
        }
        let each = try store.changes(since: start, squashed: false)
        #expect(Self.text(each) == ["updated Patient/a", "added Patient/n", "deleted Patient/b"])
        #expect(each[0].base?.contains("active") == false && each[0].current?.contains("\"active\":false") ?? false)
        #expect(each[2].base?.contains("active") == false)
    }

    @Test func whatComesFromAServerIsNotLogged() throws {
        let store = try freshStore()
        try store.track(.changes)
        let start = try store.newestChange()
        try store.write(origin: .server) { tx in _ = try tx.upsert(Patient { $0.id = "s" }) }
        #expect(try store.newestChange() == start)
        try store.write { tx in try #require(try tx.resource(Patient.self, id: "s")).active = true }
        #expect(Self.text(try store.changes(since: start)) == ["updated Patient/s"])
    }

    @Test func whatAServerDeletesWithoutAHistoryLeavesNoEntryWithoutAType() throws {
        let store = try freshStore()
        try store.track(.changes)
        let start = try store.newestChange()
        try put(store, "a", "Adams")
        try put(store, "b", "Brown")
        try put(store, "b", "Clark")
        try store.write(origin: .server) { tx in
            try tx.delete(Patient.self, id: "a")
            try tx.delete(Patient.self, id: "b")
        }
        let each = try store.changes(since: start, squashed: false)
        #expect(Self.text(each) == ["added Patient/b", "updated Patient/b"])
        #expect(each[1].base?.contains("Brown") == true && each[1].current == nil)
        #expect(try store.changes(since: start).isEmpty)
    }

    @Test func onlyTrackedTypesAreLogged() throws {
        let store = try freshStore()
        try store.track(.changes, of: Patient.self)
        let start = try store.newestChange()
        try put(store, "a", "Adams")
        try putObservation(store, "o")
        #expect(Self.text(try store.changes(since: start)) == ["added Patient/a"])
        try store.track(.changes, of: Observation.self)
        try putObservation(store, "p")
        #expect(Self.text(try store.changes(since: start)) == ["added Patient/a", "added Observation/p"])
        try store.stopTracking(.changes, of: Patient.self)
        try put(store, "b", "Brown")
        #expect(try store.tracked(.changes) == .only(["Observation"]))
        #expect(Self.text(try store.changes(since: start)) == ["added Observation/p"])
        try store.track(.changes)
        #expect(code { try store.stopTracking(.changes, of: Patient.self) } == .invalidArgument)
    }

    @Test func aWriteThatFailsLogsNothing() throws {
        var configuration = FHIRStore.Configuration()
        configuration.uniqueIDs = true
        let store = try freshStore(configuration)
        try put(store, "a", "Adams")
        try store.track(.changes)
        let start = try store.newestChange()
        #expect(throws: CancellationError.self) {
            try store.write { tx in
                try tx.delete(Patient.self, id: "a")
                throw CancellationError()
            }
        }
        #expect(try store.newestChange() == start)
        try store.write { tx in
            let adams = try #require(try tx.resource(Patient.self, id: "a"))
            adams.active = true
            try tx.saveChanges()
            // This call alone is rolled back.
            #expect(throws: FHIRStoreError.self) { try tx.add(Patient { $0.id = "a" }) }
            adams.active = false
        }
        let changes = try store.changes(since: start)
        #expect(Self.text(changes) == ["updated Patient/a"])
        #expect(changes[0].base?.contains("active") == false)
    }

    @Test func aChangeAfterOneThatWasRolledBackIsLogged() throws {
        let store = try freshStore()
        for id in ["a", "b"] { try put(store, id, "Adams") }
        let stale = try #require(try store.resource(Patient.self, id: "b"))
        try put(store, "b", "Brown")
        try store.track(.changes)
        let start = try store.newestChange()
        let born = Patient {
            $0.id = "a"
            $0.birthDate = "1980"
        }
        try store.write { tx in
            #expect(throws: FHIRStoreError.self) { try tx.upsert([born, stale]) }
            try #require(try tx.resource(Patient.self, id: "a")).active = true
        }
        let changes = try store.changes(since: start, squashed: false)
        #expect(Self.text(changes) == ["updated Patient/a"])
        #expect(try changes[0].differences().map(\.path) == ["active"])
    }

    @Test func readersKeepWhatTheyHaveNotAcknowledged() throws {
        let store = try freshStore(isInFile: true)
        try store.track(.changes)
        let first = try store.changeReader(named: "first")
        try put(store, "a", "Adams")
        let second = try store.changeReader(named: "second")
        try put(store, "b", "Brown")
        #expect(try first.changes().count == 2)
        #expect(try second.changes().count == 1)
        #expect(try store.changeReader(named: "first").changes().count == 2)
        try first.acknowledge(through: store.newestChange())
        #expect(try first.changes().isEmpty)
        #expect(try second.changes().count == 1)
        // The second still needs b; a is gone.
        #expect(try store.sql("SELECT count(*) FROM _change")[0].values[0] == .integer(1))
        #expect(code { try store.changes(since: 0) } == .resyncRequired)
        #expect(code { try first.acknowledge(through: 0) } == .invalidArgument)
        #expect(code { try first.acknowledge(through: 1_000) } == .invalidArgument)
        try store.removeChangeReader(named: "second")
        #expect(try store.sql("SELECT count(*) FROM _change")[0].values[0] == .integer(0))
        #expect(code { try second.changes() } == .resyncRequired)
        // Numbers go on.
        let newest = try store.newestChange()
        try put(store, "c", "Clark")
        #expect(try first.changes().map(\.sequence) == [newest + 1])
        #expect(try store.changeReaders().map(\.name) == ["first"])
    }

    @Test func switchingOffAndOnAgainIsAGap() throws {
        let store = try freshStore()
        try store.track(.changes)
        let reader = try store.changeReader(named: "sync")
        try put(store, "a", "Adams")
        try store.stopTracking(.changes)
        #expect(try store.sql("SELECT count(*) FROM _change")[0].values[0] == .integer(0))
        try put(store, "b", "Brown")
        try store.track(.changes)
        #expect(code { try reader.changes() } == .resyncRequired)
        try reader.skipToNewest()
        try put(store, "c", "Clark")
        #expect(Self.text(try reader.changes()) == ["added Patient/c"])
    }

    @Test func limitsReadTheLogInParts() throws {
        let store = try freshStore()
        try store.track(.changes)
        let reader = try store.changeReader(named: "sync")
        for number in 0..<7 { try put(store, "\(number)", "F") }
        var seen: [String] = []
        while case let part = try reader.changes(limit: 3), !part.isEmpty {
            seen += part.compactMap(\.resourceID)
            try reader.acknowledge(through: part.through)
        }
        #expect(seen == (0..<7).map { "\($0)" })
        // Changes that come to nothing are read, too.
        let place = try reader.place()
        try put(store, "x", "X")
        try store.write { tx in try tx.delete(Patient.self, id: "x") }
        let none = try reader.changes(limit: 2)
        #expect(none.isEmpty && none.through == place + 2)
        try reader.acknowledge(through: none.through)
        #expect(try reader.place() == place + 2)
        #expect(try store.changeLogStart() == place + 2)
    }

    @Test(.enabled(if: Library.hasJSON, "needs the functions of JSON")) func theLogIsPlainSQL() throws {
        let store = try freshStore()
        try put(store, "a", "Adams")
        try store.track(.changes)
        try put(store, "a", "Brown")
        let rows = try store.sql(
            """
            SELECT c.type, c.id, json_extract(c.content, '$.name[0].family'), n.family FROM _change c
            JOIN Patient_name n ON n._k >> 24 = c.root WHERE c.kind = 1
            """)
        #expect(rows.map(\.values) == [[.text("Patient"), .text("a"), .text("Adams"), .text("Brown")]])
    }

    @Test func otherConnectionsLogToo() throws {
        let store = try freshStore(isInFile: true)
        let other = try FHIRStore(path: store.path, release: .r4)
        try put(other, "x", "X")
        try store.track(.changes)
        let start = try store.newestChange()
        try put(other, "a", "Adams")
        try put(store, "b", "Brown")
        #expect(Self.text(try other.changes(since: start)) == ["added Patient/a", "added Patient/b"])
    }

    private func code(_ body: () throws -> some Any) -> FHIRStoreError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? FHIRStoreError)?.code
        }
    }
}
