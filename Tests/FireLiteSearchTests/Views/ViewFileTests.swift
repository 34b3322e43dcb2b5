import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// Views written to files, and views in files that are copied and recovered.
struct ViewFileTests {
    private static let view = ViewDefinition(
        name: "families", resource: "Patient",
        selects: [
            ViewDefinition.Select(columns: [
                ViewDefinition.Column(name: "id", path: "id"), ViewDefinition.Column(name: "family", path: "name.family.first()"),
            ])
        ])

    private static let patients = [
        #"{"resourceType":"Patient","id":"a","name":[{"family":"O\"Hara, K"}]}"#, #"{"resourceType":"Patient","id":"b"}"#,
    ]

    @Test func rowsAreWrittenToFiles() throws {
        let folder = try TemporaryFolder()
        let store = try ViewStore.store(Self.patients)
        #expect(try store.writeRows(of: Self.view, as: .csv, to: URL(fileURLWithPath: folder.file("rows.csv"))) == 2)
        let csv = try String(contentsOfFile: folder.file("rows.csv"), encoding: .utf8)
        #expect(csv == "id,family\r\na,\"O\"\"Hara, K\"\r\nb,\r\n")
        #expect(throws: FHIRStoreError.self) {
            try store.writeRows(of: Self.view, as: .ndjson, to: URL(fileURLWithPath: folder.file("rows.csv")))
        }
        #expect(try store.writeRows(of: Self.view, as: .ndjson, to: URL(fileURLWithPath: folder.file("rows.csv")), replacing: true) == 2)
        let lines = try String(contentsOfFile: folder.file("rows.csv"), encoding: .utf8)
        #expect(lines == #"{"id":"a","family":"O\"Hara, K"}"# + "\n" + #"{"id":"b","family":null}"# + "\n")
    }

    /// SQLite would take one for the other.
    @Test func aTableHasNoColumnsThatDifferInCaseAlone() throws {
        let store = try ViewStore.store(Self.patients)
        var view = Self.view
        view.selects[0].columns[1].name = "ID"
        #expect(try ViewStore.rows(view, store, by: .sql).get().count == 2)
        for body in [{ try store.createView(view) }, { _ = try store.published(view) }] as [() throws -> Void] {
            let error = try #require(throws: ViewError.self) { try body() }
            #expect(error.code == .columns && error.message.contains("'id' and 'ID'"))
        }
    }

    @Test func aFailureLeavesNoFile() throws {
        let folder = try TemporaryFolder()
        let store = try ViewStore.store([#"{"resourceType":"Patient","id":"a","name":[{"family":"A"},{"family":"B"}]}"#])
        var view = Self.view
        view.selects[0].columns[1].path = "name.family"
        #expect(throws: ViewError.self) { try store.writeRows(of: view, as: .csv, to: URL(fileURLWithPath: folder.file("rows.csv"))) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func streamsGetWholeLines() throws {
        let store = try ViewStore.store(
            (0..<6_000).map { #"{"resourceType":"Patient","id":"p\#($0)","name":[{"family":"\#(String(repeating: "x", count: 60))"}]}"# })
        var pieces: [Data] = []
        #expect(try store.writeRows(of: Self.view, as: .ndjson) { pieces.append($0) } == 6_000)
        #expect(pieces.count == 2 && pieces.allSatisfy { $0.last == UInt8(ascii: "\n") })
        #expect(pieces.reduce(0) { $0 + $1.filter { $0 == UInt8(ascii: "\n") }.count } == 6_000)
    }

    @Test func backupsHaveViewsAndRecoveredFilesHaveNone() throws {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        try store.write { tx in for json in Self.patients { try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) } }
        try store.createView(Self.view)
        try store.backup(to: URL(fileURLWithPath: folder.file("backup.sqlite")))
        let backup = try FHIRStore(path: folder.file("backup.sqlite"), release: .r4)
        #expect(try backup.sql("SELECT id FROM families ORDER BY id").map { $0[0].text } == ["a", "b"])
        #expect(try backup.check().isEmpty)
        let report = try FHIRStore.recover(
            from: URL(fileURLWithPath: folder.file("backup.sqlite")), to: URL(fileURLWithPath: folder.file("recovered.sqlite")),
            release: .r4)
        #expect(report.recovered == 2)
        let recovered = try FHIRStore(path: folder.file("recovered.sqlite"), release: .r4)
        #expect(throws: FHIRStoreError.self) { try recovered.sql("SELECT id FROM families") }
        try recovered.createView(Self.view)
        #expect(try recovered.sql("SELECT id FROM families ORDER BY id").map { $0[0].text } == ["a", "b"])
    }

    /// A mark with an accent is one character for Swift, and must not end a text of SQL.
    @Test func marksWithAccentsStayInTheirText() throws {
        let mark = "'\u{301} OR 1 = 1 --"
        let store = try ViewStore.store([
            #"{"resourceType":"Patient","id":"1","language":"\#(mark)"}"#, #"{"resourceType":"Patient","id":"2","language":"de"}"#,
        ])
        let view = try ViewDefinition(
            json: Data(
                #"{"resourceType":"ViewDefinition","name":"marked","resource":"Patient","constant":[{"name":"c","valueString":"\#(mark)"}],"select":[{"column":[{"name":"id","path":"id"}]}],"where":[{"path":"language = %c"}]}"#
                    .utf8))
        try store.createView(view)
        #expect(try store.sql("SELECT id FROM marked").map(\.values) == [["1"]])
        var rows: [String] = []
        try store.forEachRow(of: view) { rows.append($0.json) }
        #expect(rows == [#"{"id":"1"}"#])
    }

    /// Rows whose numbers no resource can have, and numbers far apart, are the same however many cores make them.
    @Test func keysOfOtherProgramsGiveTheSameRows() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let patients = (0..<600).map { #"{"resourceType":"Patient","id":"p\#($0)","name":[{"family":"F\#($0)"}]}"# }
        let one = try ViewStore.store(patients, at: path, cores: 1)
        let many = try ViewStore.store([], at: path, cores: 3)
        let tool = try Connection(path: path, pageChecksums: .unverified)
        try tool.execute("UPDATE Patient SET _k = _k - (700 << 24) WHERE id IN ('p3', 'p4')")
        try tool.execute("UPDATE Patient SET _k = _k + (500000000000 << 24) WHERE id IN ('p5', 'p6')")
        for backEnd in [ViewBackEnd.sql, .automatic] {
            let rows = try ViewStore.rows(Self.view, one, by: backEnd).get()
            #expect(rows.count == 600 && rows.first?["id"] == .text("p3") && rows.last?["id"] == .text("p6"))
            #expect(try ViewStore.rows(Self.view, many, by: backEnd).get() == rows)
        }
    }
}
