import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import FireLiteSync
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Files of which one module's tables cannot be read.
struct DamagedModuleTests {
    private let database: ToolDatabase
    private static let binary =
        #"{"resourceType":"Binary","id":"b1","contentType":"a/b","data":"\#(Data(repeating: 7, count: 6_000).base64EncodedString())"}"#

    /// A database with payloads apart, an identity, samples and an outbox.
    init() throws {
        database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"# + "\n" + Self.binary)
        #expect(try database.run("blobs", ["apart"]).output == "moved 1\n")
        let key = database.folder.file("me.pem")
        #expect(try database.run("sign", ["Patient/1", "--signer", "me", "--signing-key", key]).status == .done)
        let samples = "{\"type\":\"A\",\"start\":\"2026-01-01T00:00:00Z\",\"value\":1}\n"
        let imported = try ToolRun.any(["samples", "--database", database.path, "import", database.folder.write("a.ndjson", samples)])
        #expect(imported.status == .done, "\(imported.error)")
        let store = try FHIRStore(path: database.path, release: .r4)
        let server = try #require(URL(string: "https://fhir.example.org/r4"))
        try store.write { tx in _ = try tx.enqueue(.delete("Patient", id: "b"), for: server) }
        try store.close()
    }

    private func drop(_ table: String) throws {
        let connection = try Connection(path: database.path, createsFile: false, isHardened: false)
        try connection.execute("PRAGMA foreign_keys = OFF")
        switch table {
        case "_trust_key": try connection.execute("DROP TABLE _trust_key")
        case "_blob_chunk": try connection.execute("DROP TABLE _blob_chunk")
        case "_samples_series": try connection.execute("DROP TABLE _samples_series")
        default: try connection.execute("DROP TABLE _outbox_server")
        }
    }

    private func put() throws -> ToolRun {
        let text = try database.folder.write("new.json", #"{"resourceType":"Patient","id":"2","active":true}"#)
        return try database.run("import", [text])
    }

    @Test(arguments: [("_trust_key", "the identities"), ("_blob_chunk", "the payloads"), ("_samples_series", "the samples")])
    func writesAreRefusedIfAModuleThatFollowsThemCannotBeRead(_ table: String, _ name: String) throws {
        #expect(try database.run("get", ["Patient/1"]).error == "")
        try drop(table)
        let refused = try put()
        #expect(refused.status == .failed && refused.error.contains("nothing is written, as \(name)"), "\(refused.error)")
        // Reads go on, and say so.
        #expect(try database.run("get", ["Patient/2"]).status == .incomplete)
        let read = try database.run("get", ["Patient/1"])
        #expect(read.status == .done && read.output.contains(#""resourceType""#), "\(read.error)")
        #expect(read.error.contains("note: \(name)") && read.error.contains("cannot be read"), "\(read.error)")
        #expect(read.error.split(separator: "\n").count == 1, "\(read.error)")
    }

    /// What modules keep about a damaged resource does not hide other faults.
    @Test(arguments: [
        "UPDATE Observation SET status = 'amended'", "UPDATE Consent SET status = 'inactive'",
        "UPDATE Provenance_signature SET data = 'eHg='",
    ]) func checkListsAllDamagedResources(_ sql: String) throws {
        #expect(try put().status == .done)
        let permit = [
            "--grantor", "me", "--signing-key", database.folder.file("me.pem"), "--grantee", "clinic", "--type", "Patient", "--id",
            "clinic-1",
        ]
        #expect(try database.run("permit", permit).status == .done)
        func change(_ sql: String) throws {
            let connection = try Connection(path: database.path, createsFile: false, isHardened: false)
            try connection.run(sql)
            #expect(connection.totalChanges > 0)
        }
        try change(sql)
        let one = try database.run("check", [])
        #expect(one.status == .incomplete, "\(one.output) \(one.error)")
        try change("UPDATE Patient SET active = 0 WHERE id = '2'")
        let two = try database.run("check", [])
        #expect(two.status == .incomplete && !two.error.contains("is damaged"), "\(two.output) \(two.error)")
        func damaged(_ run: ToolRun) -> Set<Substring> {
            Set(run.output.split(separator: "\n").filter { $0.hasSuffix("are not what was stored") })
        }
        #expect(!damaged(one).isEmpty && damaged(two).count == damaged(one).count + 1, "\(two.output)")
        #expect(damaged(two).isSuperset(of: damaged(one)))
    }

    @Test func writesGoOnIfWhatTakesPartInChecksAloneCannotBeRead() throws {
        try drop("_outbox_server")
        let run = try put()
        #expect(run.status == .done && run.error.contains("note: the journals of synchronizations cannot be read"), "\(run.error)")
        #expect(try database.run("get", ["Patient/2"]).status == .done)
    }
}
