import FireLite
import FireLiteR4
import FireLiteRecords
import FireLiteSync
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `annotate`, `records`, `appdata` and `find --annotated`.
struct RecordCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(#"{"resourceType":"Patient","id":"a"}"# + "\n" + #"{"resourceType":"Patient","id":"b"}"#)
    }

    private func object(_ run: ToolRun) throws -> [String: Any] {
        #expect(run.status == .done, "\(run.error)")
        return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    private func annotations(_ arguments: String...) throws -> [String] {
        try #require(try object(database.run("annotate", arguments + ["--json"]))["annotations"] as? [String])
    }

    @Test func annotationsAreAddedRemovedAndReplaced() throws {
        #expect(try database.run("annotate", ["Patient/a"]).output == "no annotations\n")
        #expect(try annotations("Patient/a", "Fitness ", "sleep") == ["fitness", "sleep"])
        #expect(try annotations("Patient/a", "x") == ["fitness", "sleep", "x"])
        #expect(try annotations("Patient/a", "--remove", "SLEEP") == ["fitness", "x"])
        #expect(try database.run("annotate", ["Patient/a"]).output == "fitness\nx\n")
        let found = try database.run("find", ["Patient", "--annotated", "X,fitness", "--count"])
        #expect(found.output == "1\n")
        #expect(try database.run("find", ["Patient", "--annotated", "none", "--count"]).output == "0\n")
        #expect(try annotations("Patient/a", "--replace") == [])
        #expect(try database.run("annotate", ["Patient/z", "x"]).status == .incomplete)
        #expect(try database.run("annotate", ["Patient/a", " "]).status == .incomplete)
        for wrong in [["a"], ["Patient/a", "--remove"], ["Patient/a", "x", "--remove", "--replace"]] {
            #expect(try database.run("annotate", wrong).status == .usage, "\(wrong)")
        }
    }

    @Test func recordsAreListedReconciledAndPurged() throws {
        #expect(try database.run("records", ["reconcile"]).output == "changed 2\n")
        #expect(try annotations("Patient/a", "fitness") == ["fitness"])
        let listed = try #require(
            try object(database.run("records", ["list", "Patient", "--json"]))["records"] as? [[String: Any]])
        #expect(listed.compactMap { $0["id"] as? String } == ["a", "b"] && listed[0]["annotations"] as? [String] == ["fitness"])
        #expect(listed[0]["status"] as? String == "active" && listed[0]["created"] is String)
        let text = try database.run("records", ["list", "Patient", "--annotated", "fitness"]).output
        #expect(text.contains("fitness") && text.split(separator: "\n").count == 2)
        #expect(try database.run("delete", ["Patient/a"]).status == .done)
        // The tombstone is there at once.
        #expect(try database.run("records", ["list", "Patient", "--status", "deleted"]).output.contains("deleted"))
        #expect(try database.run("records", ["reconcile"]).output == "changed 0\n")
        #expect(try database.run("records", ["purge"]).output == "purged 1\n")
        #expect(try database.run("records", ["list", "Patient", "--status", "deleted"]).output == "no records\n")
        for wrong in [
            ["list"], ["drop"], ["purge", "Patient"], ["list", "Nothing"], ["list", "Patient", "--status", "x"], ["purge", "--limit", "1"],
        ] {
            #expect(try database.run("records", wrong).status == .usage, "\(wrong)")
        }
    }

    @Test func appDataIsStoredPrintedListedAndDeleted() throws {
        let file = try database.folder.write("settings.json", #"{"theme":"dark"}"#)
        let stored = try object(
            database.run("appdata", ["put", "settings", "--input", file, "--form", "application/json", "--annotation", "UI", "--json"]))
        #expect((stored["items"] as? [[String: Any]])?.first?["annotations"] as? [String] == ["ui"])
        #expect(try database.run("appdata", ["get", "settings"]).output == #"{"theme":"dark"}"#)
        #expect(try database.run("appdata", ["list", "--annotation", "ui"]).output.contains("settings"))
        #expect(try database.run("appdata", ["get", "other"]).status == .incomplete)
        let deleted = try database.run("appdata", ["delete", "settings", "other"])
        #expect(deleted.status == .incomplete && deleted.error.contains("other is not in"))
        #expect(try database.run("appdata", ["list"]).output == "no app data\n")
        #expect(try database.run("appdata", ["list", "--deleted"]).output.contains("deleted"))
        for wrong in [["get"], ["get", "a", "b"], ["list", "a"], ["delete"], ["get", "a", "--json"], ["list", "--form", "x"], ["move"]] {
            #expect(try database.run("appdata", wrong).status == .usage, "\(wrong)")
        }
    }

    @Test func sealedRecordsAreListedAndAppDataIsOpenedWithTheKeyring() throws {
        let keys = database.folder.file("keys.json")
        #expect(try database.run("records", ["keyring", "--keyring", keys]).status == .done)
        let keyring = try RecordKeyring(exported: Secret(Data(contentsOf: URL(fileURLWithPath: keys))))
        do {
            let store = try FHIRStore(path: database.path, release: .r4)
            store.records.encryption = .perRecord(keyring, resources: ["Patient": .only("name")])
            try store.records.create(Patient { $0.id = "s" }, annotations: ["secret"])
            try store.close()
        }
        let closed = try database.run("records", ["list", "Patient"])
        #expect(closed.status == .done && closed.output.contains("sealed") && !closed.output.contains("secret"))
        #expect(try database.run("records", ["list", "Patient", "--keyring", keys]).output.contains("secret"))
        let file = try database.folder.write("note.txt", "a note")
        #expect(try database.run("appdata", ["put", "note", "--input", file, "--keyring", keys]).status == .done)
        #expect(try database.run("appdata", ["list"]).status == .done)
        #expect(try database.run("appdata", ["get", "note"]).status == .incomplete)
        #expect(try database.run("appdata", ["get", "note", "--keyring", keys]).output == "a note")
        let rotated = try object(database.run("records", ["rotate", "--keyring", keys, "--json"]))
        #expect(rotated["wrapped"] as? Int == 2 && rotated["failed"] as? Int == 0)
        #expect((rotated["keys"] as? [[String: Any]])?.count == 2)
        #expect(try database.run("appdata", ["get", "note", "--keyring", keys]).output == "a note")
        // A keyring that knows none of the keys.
        let others = database.folder.file("others.json")
        #expect(try database.run("records", ["keyring", "--keyring", others]).status == .done)
        let failed = try database.run("records", ["rotate", "--keyring", others])
        #expect(failed.status == .incomplete && failed.output.contains("failed 2"))
        #expect(try database.run("appdata", ["get", "note", "--keyring", keys]).output == "a note")
        for wrong in [["rotate"], ["rewrap"], ["keyring", "Patient", "--keyring", keys]] {
            #expect(try database.run("records", wrong).status == .usage, "\(wrong)")
        }
    }

    @Test func whatWaitsInTheOutboxIsPending() throws {
        let store = try FHIRStore(path: database.path, release: .r4)
        let server = try #require(URL(string: "https://fhir.example.org/r4"))
        try store.write { tx in _ = try tx.enqueue(.update(Patient { $0.id = "a" }), for: server) }
        #expect(try store.records.query(Patient.self).status([.pending]).ids() == ["a"])
        #expect(try store.records.fetch(Patient.self, id: "b")?.metadata.status == .active)
        try store.write { tx in _ = try tx.enqueue(.create(Patient { $0.id = "b" }), for: server) }
        #expect(try store.records.query(Patient.self).status([.pending]).count() == 2)
        #expect(try store.records.query(Patient.self).status([.active]).count() == 0)
        try store.close()
        #expect(try database.run("records", ["list", "Patient", "--status", "pending"]).output.contains("pending"))
    }

    /// A request that does not show which record it is about: all that it may be about are pending.
    @Test func whatMayWaitInTheOutboxIsPending() throws {
        let store = try FHIRStore(path: database.path, release: .r4)
        let server = try #require(URL(string: "https://fhir.example.org/r4"))
        try store.write { tx in try tx.add(Basic { $0.id = "c" }) }
        func pending(_ request: FHIRRequest, isSealed: Bool = false) throws -> [String] {
            try store.write { tx in
                let number = try tx.enqueue(request, for: server, marksCreates: false)
                if isSealed { try tx.run(onModuleTable: "_outbox", "UPDATE _outbox SET endpoint = 'https://sealed.example.org'", []) }
                defer { try? tx.discardOutboxEntry(number) }
                return try store.records.query(Patient.self).status([.pending]).ids()
                    + store.records.query(Basic.self).status([.pending]).ids()
            }
        }
        let xml = Data(#"<Patient xmlns="http://hl7.org/fhir"><id value="a"/></Patient>"#.utf8)
        #expect(try pending(FHIRRequest(.post, "Patient", body: xml)) == ["a", "b"])
        #expect(try pending(FHIRRequest(.post, "", body: xml)) == ["a", "b", "c"])
        #expect(try pending(.create(Patient { $0.active = true })) == ["a", "b"])
        #expect(try pending(.create(Patient { $0.id = "a" })) == ["a"])
        #expect(try pending(.create(Patient { $0.id = "a" }), isSealed: true) == ["a", "b"])
        #expect(try pending(FHIRRequest(.delete, "Basic", parameters: ["code": "x"])) == ["c"])
        let bundle =
            #"{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"DELETE","url":"Patient/b"}},"#
            + #"{"request":{"method":"GET","url":"Basic"}}]}"#
        #expect(try pending(FHIRRequest(.post, "", body: Data(bundle.utf8))) == ["b"])
        #expect(try store.records.query(Patient.self).status([.pending]).count() == 0)
    }

    /// What looks like a backup is one.
    @Test func sealedResourcesAreOpenedOrRefused() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"p"}"#)
        let keys = database.folder.file("sealed.json")
        #expect(try database.run("records", ["keyring", "--keyring", keys]).status == .done)
        let keyring = try RecordKeyring(exported: Secret(Data(contentsOf: URL(fileURLWithPath: keys))))
        let store = try FHIRStore(path: database.path, release: .r4)
        store.records.encryption = .perRecord(keyring, resources: ["Observation": .keeping("status")])
        try store.records.create(
            Observation {
                $0.id = "o"
                $0.status = .final
                $0.code = CodeableConcept { $0.text = "hidden" }
            })
        try store.close()
        let commands: [(String, [String])] = [
            ("get", ["Observation/o"]), ("find", ["Observation", "--json"]), ("find", ["Observation", "--json", "--references"]),
            ("search", ["Observation?status=final", "--format", "ndjson"]), ("export", ["--output", "-"]),
        ]
        for (command, arguments) in commands {
            let opened = try database.run(command, arguments + ["--keyring", keys])
            #expect(opened.status == .done && opened.output.contains("hidden"), "\(command)")
            let refused = try database.run(command, arguments)
            #expect(refused.status == .failed && refused.error.contains("sealed") && refused.error.contains("--keyring"), "\(command)")
            #expect(!refused.output.contains("final"), "\(command)")
        }
        let line = try database.folder.write(
            "new.ndjson", #"{"resourceType":"Observation","id":"o","status":"amended","code":{"text":"newer"}}"#)
        let left = try database.run("import", [line])
        #expect(left.status != .done && left.error.contains("sealed"))
        #expect(try database.run("import", [line, "--keyring", keys]).status == .done)
        #expect(try database.run("get", ["Observation/o", "--keyring", keys]).output.contains("newer"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: database.path)).range(of: Data("newer".utf8)) == nil)
    }
}
