import FireLiteR4
import Foundation
import Testing

@testable import FireLiteRecords

@Suite(.timeLimit(.minutes(30))) struct AppDataTests {
    private struct Settings: Codable, Equatable {
        var theme: String
        var since: Date
    }

    @Test(arguments: [false, true]) func bytesAndValuesComeBack(_ isSealed: Bool) throws {
        try withRecordStore { store in
            if isSealed { store.records.encryption = .perRecord(try RecordKeyring()) }
            let clock = TestClock()
            clock.follow(store)
            let begun = clock.now
            let settings = Settings(theme: "dark", since: Date(timeIntervalSince1970: 1_000))
            try store.appData.put(encoding: settings, id: "settings", annotations: ["UI "])
            try store.appData.put(Data([0, 1, 2]), id: "bytes", form: "application/octet-stream")
            try store.appData.put(Data(), id: "empty")
            let stored = try #require(try store.appData.get("settings"))
            #expect(try stored.decoded(Settings.self) == settings)
            #expect(stored.form == "application/json" && stored.annotations == ["ui"] && stored.version == 1)
            #expect(try store.appData.get("bytes")?.data == Data([0, 1, 2]))
            #expect(try store.appData.get("empty")?.data == Data())
            #expect(throws: RecordError.self) { _ = try store.appData.get("bytes")?.decoded(Settings.self) }
            let changed = clock.advance()
            try store.appData.put(Data("x".utf8), id: "settings")
            let again = try #require(try store.appData.get("settings"))
            #expect(again.version == 2 && again.annotations == ["ui"] && again.form == "application/json")
            #expect(again.metadata.created == begun && again.metadata.updated == changed)
            try store.appData.annotate("settings", with: ["a", "b"])
            #expect(try store.appData.query.annotated("a", "B").all().map(\.id) == ["settings"])
            #expect(try store.appData.query.annotated("ui").count() == 0)
            #expect(try store.appData.query.annotated(any: ["a", "c"]).count() == 1)
            #expect(try store.appData.query.updated(to: QueryDate(begun)).all().map(\.id) == ["bytes", "empty"])
        }
    }

    /// Numbers come from a file that others write to: none is counted on from without a check.
    @Test(arguments: [Int64.max, Int64.max - 1, Int64(1) << 62]) func numbersThatNothingGivesAreRefused(_ number: Int64) throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.appData.put(Data("x".utf8), id: "a")
        try store.records.create(observation("o"), annotations: ["one"])
        let module = RecordTables.appData.module
        func set(_ table: String, _ column: String, _ value: Int64) throws {
            let module = table == "_record" ? RecordTables.records.module : module
            try store.write { tx in _ = try tx.run(on: module, "UPDATE \(table) SET \(column) = ?", [.integer(value)]) }
        }
        func refused(_ table: String, _ body: () throws -> Void) throws {
            let error = #expect(throws: FHIRStoreError.self) { try body() }
            #expect(error?.code == .notAStore && error?.message.contains("a row of \(table) has the number \(number)") == true)
            #expect(try store.check().filter { $0.table == table && $0.kind == .mismatch }.isEmpty == (number == 1 << 62))
        }
        try set("_appdata", "version", number)
        try refused("_appdata") { try store.appData.put(Data("y".utf8), id: "a") }
        try set("_appdata", "version", 1)
        try set("_appdata", "edition", number)
        try refused("_appdata") { try store.appData.annotate("a", with: ["b"]) }
        try set("_appdata", "edition", 1)
        try set("_record", "edition", number)
        try refused("_record") { try store.records.annotate("Observation", id: "o", with: ["two"]) }
        try set("_record", "edition", 1)
        try store.records.annotate("Observation", id: "o", with: ["two"])
        #expect(try store.check().isEmpty)
        try set("_appdata", "number", number)
        try refused("_appdata") { try store.appData.put(Data("z".utf8), id: "b") }
    }

    @Test(arguments: [false, true]) func deletedAppDataIsATombstoneUntilItIsPurged(_ isSealed: Bool) throws {
        try withRecordStore { store in
            if isSealed { store.records.encryption = .perRecord(try RecordKeyring()) }
            for id in ["a", "b", "c"] { try store.appData.put(Data(id.utf8), id: id, annotations: [id]) }
            #expect(try store.appData.delete(ids: ["a", "z"]).failed.map(\.id) == ["z"])
            #expect(try store.appData.get("a") == nil)
            #expect(try store.appData.query.count() == 2)
            #expect(try store.appData.query.includingDeleted().summaries().map(\.metadata.status) == [.deleted, .active, .active])
            #expect(try store.appData.query.status([.deleted]).count() == 1)
            #expect(throws: RecordError.self) { try store.appData.delete("a") }
            #expect(throws: RecordError.self) { try store.appData.annotate("a", with: []) }
            try store.appData.put(Data("new".utf8), id: "a")
            let back = try #require(try store.appData.get("a"))
            #expect(back.data == Data("new".utf8) && back.annotations == [] && back.metadata.status == .active)
            try store.appData.delete("b")
            #expect(try store.appData.purge(deletedBefore: Date(timeIntervalSince1970: 0)) == 0)
            #expect(try store.appData.purge() == 1)
            #expect(try store.appData.query.includingDeleted().count() == 2)
        }
    }

    @Test func manyAreStoredAndReadInPages() throws {
        try withRecordStore { store in
            let items = Dictionary(uniqueKeysWithValues: (10..<35).map { ("\($0)", Data("\($0)".utf8)) })
            let result = try store.appData.put(items.merging(["": Data()]) { $1 }, annotations: ["x"])
            #expect(result.succeeded.count == 25 && result.failed.map(\.id) == [""])
            #expect(try store.appData.query.page(number: 3).map(\.id) == ["30", "31", "32", "33", "34"])
            #expect(try store.appData.query.after("32").all().map(\.id) == ["33", "34"])
            #expect(try store.appData.query.offset(23).limit(5).count() == 2)
            #expect(try store.appData.get(ids: ["34", "no", "10"]).succeeded.map(\.id) == ["34", "10"])
        }
    }
}
