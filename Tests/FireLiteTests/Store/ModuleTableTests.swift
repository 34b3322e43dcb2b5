import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLite

/// Tables that a module keeps in the store's file are a part of the store.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct ModuleTableTests {
    private static let jobs = ModuleTable(
        "_parcel", key: "number", columns: [.init("receiver", .text), .init("content", .blob), .init("weight", .real)],
        indexes: [.init("receiver"), .init("receiver", "weight", isUnique: true)])
    private static let places = ModuleTable("_parcel_place", key: "number", columns: [.init("name", .text)])
    private static let first = ModuleTables(module: "parcel", version: 1, tables: [jobs])
    private static let second = ModuleTables(module: "parcel", version: 2, tables: [jobs, places])

    private func put(_ tx: WriteTransaction, _ number: Int64, _ receiver: String, _ module: ModuleTables = first) throws {
        try tx.run(
            on: module, "INSERT INTO _parcel(number, receiver, content, weight) VALUES (?, ?, ?, ?)",
            [.integer(number), .text(receiver), .blob([1, 2, 3]), .real(Double(number) / 2)])
    }

    private func receivers(_ tx: ReadTransaction, _ module: ModuleTables = first) throws -> [String] {
        try tx.rows(of: module, "SELECT receiver FROM _parcel ORDER BY number").compactMap { $0[0].text }
    }

    @Test func rowsAndResourcesCommitTogether() throws {
        let store = try freshStore()
        #expect(try store.read { try receivers($0) } == [])
        #expect(try store.read { try !$0.hasTables(of: Self.first) })
        try store.write { tx in
            try tx.add(Patient { $0.id = "a" })
            try put(tx, 1, "Adams")
            #expect(try receivers(tx) == ["Adams"])
        }
        #expect(throws: CancellationError.self) {
            try store.write { tx in
                try tx.add(Patient { $0.id = "b" })
                try put(tx, 2, "Brown")
                throw CancellationError()
            }
        }
        #expect(try store.read { try receivers($0) } == ["Adams"])
        #expect(try store.count(Patient.self) == 1)
        let changed = try store.write { tx in
            try tx.run(on: Self.first, "UPDATE _parcel SET receiver = ? WHERE number = ?", [.text("Clark"), .integer(1)])
        }
        #expect(changed == 1)
    }

    @Test func tablesThatAFailedWriteCreatedAreCreatedAgain() throws {
        let store = try freshStore()
        #expect(throws: CancellationError.self) {
            try store.write { tx in
                try put(tx, 1, "Adams")
                throw CancellationError()
            }
        }
        #expect(try store.read { try !$0.hasTables(of: Self.first) })
        try store.write { tx in try put(tx, 1, "Brown") }
        #expect(try store.read { try receivers($0) } == ["Brown"])
    }

    @Test func aStoreWithoutTheModuleKeepsAndListsItsTables() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try FHIRStore(path: path, release: .r4).write { tx in for number in 1...3 { try put(tx, Int64(number), "Adams") } }
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(Patient { $0.id = "a" }) }
            let statistics = try store.statistics()
            #expect(statistics.modules.map { "\($0.module) \($0.name) \($0.rows)" } == ["parcel _parcel 3"])
            #expect(statistics.others.isEmpty)
            #expect(try store.check().isEmpty)
            try store.vacuum()
            try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
            let copy = try FHIRStore(path: folder + "/copy.sqlite", release: .r4)
            #expect(try copy.read { try receivers($0) } == ["Adams", "Adams", "Adams"])
        }
    }

    @Test func aLaterVersionAddsTables() throws {
        let store = try freshStore()
        try store.write { tx in try put(tx, 1, "Adams") }
        let early = #expect(throws: FHIRStoreError.self) { try store.read { try receivers($0, Self.second) } }
        #expect(early?.code == .olderFormat)
        try store.write { tx in try put(tx, 2, "Brown", Self.second) }
        #expect(try store.read { try receivers($0, Self.second) } == ["Adams", "Brown"])
        #expect(try store.statistics().modules.map(\.name) == ["_parcel", "_parcel_place"])
        let late = #expect(throws: FHIRStoreError.self) { try store.write { tx in try put(tx, 3, "Clark") } }
        #expect(late?.code == .newerFormat)
    }

    @Test(arguments: [
        "CREATE TABLE _parcel(number INTEGER PRIMARY KEY, receiver TEXT, content BLOB, weight REAL DEFAULT 1)",
        "CREATE TABLE _parcel(number INTEGER PRIMARY KEY, receiver TEXT)",
        "CREATE TABLE _parcel(number, receiver TEXT, content BLOB, weight REAL)",
    ]) func aTableOfAnotherFormIsRefusedToTheModule(_ definition: String) throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.write { tx in try put(tx, 1, "Adams") }
            try store.withWritingConnection { try $0.execute("DROP TABLE _parcel; \(definition)") }
            let error = #expect(throws: FHIRStoreError.self) { try store.write { tx in try put(tx, 1, "Adams") } }
            #expect(error?.code == .notAStore)
            #expect(try store.count(Patient.self) == 0)
        }
    }

    @Test func checkFindsAMissingTable() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.write { tx in try put(tx, 1, "Adams") }
            try store.withWritingConnection { try $0.execute("DROP TABLE _parcel" as StaticString) }
            #expect(try store.check().map(\.kind) == [.module])
        }
    }

    /// Tables that were lost are not tables that were never used: what they remembered must not count as never said.
    @Test func aModuleThatHasLostItsTablesIsRefused() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.write { tx in try put(tx, 1, "Adams") }
            try store.withWritingConnection { try $0.execute("DROP TABLE _parcel" as StaticString) }
            let reading = #expect(throws: FHIRStoreError.self) { try store.read { try receivers($0) } }
            let writing = #expect(throws: FHIRStoreError.self) { try store.write { tx in try put(tx, 1, "Adams") } }
            #expect(reading?.code == .notAStore && writing?.code == .notAStore)
            #expect(try store.check().map(\.table) == ["_parcel"])
            // The rest can be used, and a recovered store says what it lacks and begins again.
            #expect(try store.count(Patient.self) == 0)
            try store.close()
            let report = try FHIRStore.recover(
                from: URL(fileURLWithPath: folder + "/store.sqlite"), to: URL(fileURLWithPath: folder + "/new.sqlite"), release: .r4)
            #expect(report.unreadable.contains { $0.contains("_parcel") })
            let recovered = try FHIRStore(path: folder + "/new.sqlite", release: .r4)
            try recovered.write { tx in try put(tx, 2, "Brown") }
            #expect(try recovered.read { try receivers($0) } == ["Brown"])
        }
    }

    @Test func definitionsAreReadAsTheyAreWritten() {
        for table in [Self.jobs, Self.places] {
            #expect(ModuleTable(definition: table.creation, indexes: table.indexes.map { table.creation(of: $0) }) == table)
        }
        let odd = [
            "CREATE TABLE Patient(_k INTEGER PRIMARY KEY)", "CREATE TABLE _parcel(number INTEGER PRIMARY KEY, a TEXT CHECK(a > 1))",
            "CREATE TABLE _parcel(number INTEGER PRIMARY KEY, a  TEXT)", "CREATE VIRTUAL TABLE _parcel USING fts5(a)", "",
            "CREATE TABLE _parcel(number INTEGER PRIMARY KEY, a TEXT) WITHOUT ROWID", "CREATE TABLE _parcel()",
        ]
        for definition in odd { #expect(ModuleTable(definition: definition) == nil) }
    }

    // MARK: - Observers and the log

    @Test func observersSeeChangesOfTheRows() async throws {
        let store = try freshStore(isInFile: true)
        var updates = store.updates(every: .zero) {
            try $0.rows(of: Self.first, "SELECT receiver FROM _parcel ORDER BY number").map { $0[0] }
        }
        .makeAsyncIterator()
        #expect(try await updates.next() == [])
        try writing(store) { tx in try put(tx, 1, "Adams") }
        #expect(try await updates.next() == ["Adams"])
        try writing(store) { tx in try put(tx, 2, "Brown") }
        #expect(try await updates.next() == ["Adams", "Brown"])
    }

    @Test func rowsAreNoChangesOfResources() async throws {
        let store = try freshStore(isInFile: true)
        try writing(store) { tx in try put(tx, 1, "Adams") }
        try { try store.track(.changes) }()
        var commits = store.changes().makeAsyncIterator()
        try writing(store) { tx in try put(tx, 2, "Brown") }
        try writing(store) { tx in try tx.upsert(Patient { $0.id = "a" }) }
        #expect(try #require(await commits.next()).resources.map(\.id) == ["a"])
        #expect(try reading(store) { _ in try store.changes(since: store.changeLogStart()).map(\.resourceID) } == ["a"])
    }

    // MARK: - Damage

    @Test func recoveryCopiesTheRowsWithoutKnowingTheModule() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in
                    try tx.add(Patient { $0.id = "a" })
                    for number in 1...2_000 { try put(tx, Int64(number), "receiver \(number)") }
                }
            }
            let report = try FHIRStore.recover(
                from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/whole.sqlite"), release: .r4)
            #expect(report.isComplete)
            let whole = try FHIRStore(path: folder + "/whole.sqlite", release: .r4)
            #expect(try whole.read { try receivers($0) } == (1...2_000).map { "receiver \($0)" })
            #expect(
                try whole.sql("SELECT name FROM sqlite_master WHERE tbl_name = '_parcel' AND type = 'index' ORDER BY name").map { $0[0] }
                    == ["_parcel__receiver", "_parcel__receiver_weight"])

            var pages = try DatabasePages(path: path)
            let leaves = try pages.leaves(of: "_parcel")
            try #require(leaves.count > 2)
            let leaf = leaves[1]
            try pages.damage(page: leaf.page)
            let partial = try FHIRStore.recover(
                from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/partial.sqlite"), release: .r4)
            #expect(partial.unreadable.count == 1 && partial.lost.isEmpty)
            #expect(partial.unreadable.first?.hasPrefix("_parcel: the rows \(leaf.keys[0]) to") == true)
            let kept = try FHIRStore(path: folder + "/partial.sqlite", release: .r4)
            #expect(try kept.read { try receivers($0) }.count == 2_000 - leaf.keys.count)
        }
    }

    @Test func secureDeletionReachesTheRows() throws {
        try withTemporaryFolder { folder in
            var configuration = FHIRStore.Configuration()
            configuration.secureDelete = true
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
            let marker = "a-marker-that-is-nowhere-else"
            try store.write { tx in for number in 1...50 { try put(tx, Int64(number), marker + "\(number)") } }
            try store.checkpoint(.truncate)
            #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)).range(of: Data(marker.utf8)) != nil)
            try store.write { tx in try tx.run(on: Self.first, "DELETE FROM _parcel") }
            try store.checkpoint(.truncate)
            for suffix in ["", "-wal"] {
                #expect(try Data(contentsOf: URL(fileURLWithPath: store.path + suffix)).range(of: Data(marker.utf8)) == nil)
            }
        }
    }
}
