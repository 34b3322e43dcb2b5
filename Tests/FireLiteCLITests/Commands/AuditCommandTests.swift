import FireLiteR4
import FireLiteSQLiteBridge
import FireLiteTrust
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct AuditCommandTests {
    private let folder: TemporaryFolder
    private let path: String
    private let key: PrivateKey

    /// A database with two patients, of which one was changed, and the key that signed its trail.
    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("audited.sqlite")
        key = try PrivateKey()
        let store = try FHIRStore(path: path, release: .r4)
        try store.startAudit(by: SigningIdentity(id: "Device/7", key: key), party: AuditParty("Practitioner/7", purpose: "TREAT"))
        for (id, isActive) in [("1", false), ("2", true), ("1", true)] {
            try store.write { tx in
                try tx.upsert(
                    Patient {
                        $0.id = id
                        $0.active = isActive
                    })
            }
        }
        try store.close()
    }

    private func run(_ arguments: String...) throws -> ToolRun { try ToolRun(["audit", "--database", path] + arguments) }

    @Test func verifyNamesTheFirstRowThatDoesNotFit() throws {
        let head = try run("head").output
        let heads = try folder.write("heads", head)
        let pem = try folder.write("public.pem", key.publicKey.pem)
        let good = try run("verify", "--head", heads, "--signed-by", pem)
        #expect(good.status == .done && good.output == "3 rows, 0 of them pruned, 4 heads: intact\n", "\(good.error)\(good.output)")
        let other = try folder.write("other.pem", PrivateKey().publicKey.pem)
        #expect(try run("verify", "--head", heads, "--signed-by", other).status == .incomplete)
        do { try Connection(path: path).execute("UPDATE _audit SET actor = 'x' WHERE seq = 2") }
        let bad = try run("verify", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bad.output.utf8)) as? [String: Any])
        let finding = object["finding"] as? [String: Any]
        #expect(bad.status == .incomplete && finding?["row"] as? Int == 2 && finding?["kind"] as? String == "changed")
    }

    /// `check` verifies the trail of a file that has one.
    @Test func checkVerifiesTheTrail() throws {
        #expect(try ToolRun("check", "--database", path).output == "sound\n")
        do { try Connection(path: path).execute("UPDATE _audit SET actor = 'x' WHERE seq = 2") }
        let changed = try ToolRun("check", "--database", path)
        #expect(changed.status == .incomplete && changed.output.hasPrefix("the audit trail: row 2 was changed: "), "\(changed.output)")
        do { try Connection(path: path).execute("DELETE FROM _audit; DELETE FROM _audit_head; DELETE FROM _audit_node") }
        let emptied = try ToolRun("check", "--database", path)
        #expect(emptied.status == .incomplete, "\(emptied.output)")
        #expect(emptied.output.hasPrefix("the audit trail: there is no audit trail: "), "\(emptied.output)")
    }

    /// A file whose trail was removed does not verify, and neither does one that never had a trail.
    @Test func aMissingTrailIsNotIntact() throws {
        let plain = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        let never = try plain.run("audit", ["verify"])
        #expect(try plain.run("audit", ["head"]).status == .incomplete)
        let list = try plain.run("audit", ["list"])
        #expect(list.status == .done && list.lines.first?.contains("has no audit trail") == true, "\(list.output)")
        #expect(never.status == .incomplete && never.output.contains("has no audit trail"), "\(never.output)")
        let tables = try ToolRun(
            "sql", "--database", path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_audit%' ESCAPE '\\'")
        let names = tables.lines.compactMap { $0.components(separatedBy: "\"").dropLast().last }
        #expect(names.count > 1)
        do {
            let connection = try Connection(path: path)
            for name in names { try connection.run("DROP TABLE \(name)") }
        }
        let removed = try run("verify", "--json")
        #expect(removed.status == .incomplete, "\(removed.output) \(removed.error)")
    }

    @Test func rowsAreListedAndExportedAsAuditEvents() throws {
        let list = try run("list", "--after", "1", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any])
        let entries = try #require(object["entries"] as? [[String: Any]])
        #expect(entries.map { $0["action"] as? String } == ["C", "U"] && entries.map { $0["id"] as? String } == ["2", "1"])
        #expect(entries.allSatisfy { $0["actor"] as? String == "Practitioner/7" && $0["purpose"] as? String == "TREAT" })
        let export = try run("export", "--source", "Device/7")
        let lines = export.output.split(separator: "\n")
        #expect(lines.count == 3)
        for line in lines {
            let event = try FHIRJSON.decode(AuditEvent.self, from: Data(line.utf8))
            #expect(event.validate().isEmpty && event.source?.observer?.reference == "Device/7")
        }
    }

    @Test func aRowThatIsNoAuditEventIsNamed() throws {
        do { try Connection(path: path).execute("UPDATE _audit SET at = 9000000000000000 WHERE seq = 2") }
        let export = try run("export")
        #expect(export.status != .done && export.output.split(separator: "\n").count == 1)
        #expect(export.error.contains("row 2 of the audit trail cannot be an AuditEvent of FHIR R4"), "\(export.error)")
    }

    @Test func proofsAreVerifiedByOthers() throws {
        let run = try run("proof", "Patient/1")
        let proof = try AuditProof(json: Data(run.output.utf8))
        try proof.verify(signedBy: [key.publicKey])
        #expect(proof.entry.number == 3 && proof.resource?.contains("true") == true)
        let row = try AuditProof(json: Data(self.run("proof", "2").output.utf8))
        #expect(row.resource == nil && row.entry.number == 2)
        let bare = try AuditProof(json: Data(self.run("proof", "Patient/1", "--without-resource").output.utf8))
        #expect(bare.resource == nil && bare.entry == proof.entry)
        #expect(try self.run("proof", "Patient/9").status == .incomplete)
    }

    /// The tool has no key that signs the trail.
    @Test func aWriteWithoutARowInTheTrailIsSaid() throws {
        let patient = try folder.write("new.ndjson", #"{"resourceType":"Patient","id":"new"}"# + "\n")
        let before = try run("verify").output
        let written = try ToolRun("import", "--database", path, patient)
        #expect(written.status == .done)
        let note = "note: \(path) has an audit trail, in which what this command changes has no row"
        #expect(written.error.contains(note), "\(written.error)")
        #expect(try run("verify").output == before)
        let read = try ToolRun("get", "--database", path, "Patient/new")
        #expect(read.status == .done && read.error.isEmpty, "\(read.error)")
        // A command that could write and changes nothing has no note.
        for command in [["vacuum"], ["put", "--if-version", "7"]] {
            let patient = try folder.write("bad.json", #"{"resourceType":"Patient","id":"new","actve":true}"#)
            let idle = try ToolRun(command + ["--database", path] + (command[0] == "put" ? [patient] : []))
            #expect(!idle.error.contains("audit trail"), "\(command): \(idle.error)")
        }
        // A file without a trail has no such note.
        let plain = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        #expect(try !plain.run("import", [patient]).error.contains("audit trail"))
    }

    @Test func wrongArgumentsAreUsageErrors() throws {
        for wrong in [["sign"], ["verify", "Patient/1"], ["proof"], ["proof", "Patient"], ["proof", "Nothing/1"]] {
            #expect(try ToolRun(["audit", "--database", path] + wrong).status == .usage, "\(wrong)")
        }
        #expect(try run("verify", "--head", folder.file("missing")).status == .failed)
        #expect(try run("verify", "--head", folder.write("empty", "\n")).status == .failed)
    }
}
