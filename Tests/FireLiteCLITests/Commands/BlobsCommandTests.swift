import FireLite
import FireLiteR4
import FireLiteRecords
import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `attach`, `detach` and `blobs`.
struct BlobsCommandTests {
    private static func payload(_ number: Int, _ size: Int) -> String {
        var state = UInt32(truncatingIfNeeded: number) &* 2_654_435_761 &+ 1
        var bytes = [UInt8](repeating: 0, count: size)
        for index in 0..<size {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes[index] = UInt8(truncatingIfNeeded: state >> 24)
        }
        return Data(bytes).fhirBase64
    }

    private static func patient(_ number: Int, _ size: Int) -> Patient {
        Patient {
            $0.id = "\(number)"
            $0.photo = [Attachment { $0.data = payload(number, size) }]
        }
    }

    /// A sparse file of a terabyte: reading it would end the test's memory.
    @Test func aFileBeyondTheLimitIsNotRead() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        let file = try database.folder.write("huge.bin", "")
        try #require(truncate(file, 1 << 40) == 0)
        let run = try database.run("attach", ["Patient/1", file])
        #expect(run.status == .incomplete && run.error.contains("\(1 << 40)") && run.error.contains("limit"))
        #expect(try FileContents.bytes(of: file, upTo: 10).bytes == nil)
        // A file without a size is read no further than the limit.
        #expect(try FileContents.bytes(of: "/dev/zero", upTo: 1 << 20).bytes == nil)
        let short = try database.folder.write("short.bin", "abc")
        #expect(try FileContents.bytes(of: short, upTo: 3).bytes == Data("abc".utf8) && FileContents.bytes(of: short, upTo: 2).bytes == nil)
    }

    @Test(arguments: [
        ("n.txt", "plain text", "text/plain"), ("notes", "Größe", "text/plain"), ("t.CSV", "a,b", "text/csv"),
        ("letter.bin", "%PDF-1.7 ", "application/pdf"), ("no.pdf", "text", "text/plain"),
        ("data", "\u{0}\u{1}", "application/octet-stream"),
    ])
    func everyFileHasAMediaType(_ name: String, _ content: String, _ type: String) throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        let run = try database.run("attach", ["Patient/1", try database.folder.write(name, content), "--json"])
        #expect(run.status == .done && run.output.contains("\"type\":\"\(type)\""), "\(run.output) \(run.error)")
        #expect(try database.run("get", ["Patient/1"]).output.contains("\"contentType\":\"\(type)\""))
        // What was attached is no reason to refuse a later change.
        #expect(try database.run("patch", ["Patient/1", "gender=female"]).status == .done)
        #expect(try database.run("validate", []).status == .done)
    }

    @Test func aFileIsAttachedPrintedWholeAndDetached() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        let pdf = Data("%PDF-1.7 ".utf8) + Data(count: 9_000)
        let file = try database.folder.write("letter.pdf", String(decoding: pdf, as: UTF8.self))
        #expect(try database.run("blobs", ["apart"]).output == "moved 0\n")
        #expect(try database.run("attach", ["Patient/1", file]).output.contains("attached Patient/1"))
        #expect(try database.run("get", ["Patient/1"]).output.contains(pdf.fhirBase64))
        let found = try database.run("find", ["Patient", "--json"]).output
        #expect(!found.contains("blob:sha256:") && found.contains(pdf.fhirBase64))
        let short = try database.run("find", ["Patient", "--json", "--references"]).output
        #expect(short.contains("blob:sha256:") && !short.contains(pdf.fhirBase64))
        for form in [[], ["--format", "ndjson"], ["--json"]] {
            let whole = try database.run("search", ["Patient?_id=1"] + form).output
            #expect(!whole.contains("blob:sha256:") && whole.contains(pdf.fhirBase64), "\(form)")
            let short = try database.run("search", ["Patient?_id=1", "--references"] + form).output
            #expect(short.contains("blob:sha256:") && !short.contains(pdf.fhirBase64), "\(form)")
        }
        let parts = try database.run("search", ["Patient?_id=1&_elements=name"])
        #expect(parts.status == .done && !parts.output.contains(pdf.fhirBase64))
        #expect(try database.run("blobs", ["verify"]).output == "every payload matches its hash\n")
        #expect(try database.run("blobs", ["list"]).lines.count == 2)
        #expect(try database.run("blobs", ["back"]).output == "moved 1\n")
        #expect(try database.run("find", ["Patient", "--json"]).output.contains(pdf.fhirBase64))
        #expect(try database.run("detach", ["Patient/1"]).output == "detached Patient/1, left 0\n")
        #expect(try database.run("detach", ["Patient/1"]).status == .incomplete)
        #expect(try database.run("attach", ["Patient/2", file]).status == .incomplete)
        let program = try database.folder.write("program.pdf", "#!/bin/sh\n")
        let refused = try database.run("attach", ["--content-type", "application/pdf", "Patient/1", program])
        #expect(refused.status == .incomplete && refused.error.contains("application/pdf"))
        #expect(try database.run("blobs", ["drop"]).status == .usage)
        #expect(try database.run("blobs", ["list", "--at-least", "1"]).status == .usage)
        #expect(try database.run("blobs", ["list", "--in-files", "1"]).status == .usage)
        #expect(try database.run("blobs", ["apart", "--in-files", "5000"]).status == .done)
        #expect(try database.run("attach", ["Patient/1", file]).status == .done)
        let copy = database.folder.file("copy.sqlite")
        #expect(try database.run("backup", [copy]).status == .done)
        for path in [database.path, copy] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + "-payloads").count == 1)
        }
        #expect(try database.run("get", ["Patient/1"]).output.contains(pdf.fhirBase64))
    }

    @Test func sealedPayloadsNeedTheKeyring() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        let keys = database.folder.file("keys.json")
        let file = try database.folder.write("letter.pdf", "%PDF-1.7 " + String(repeating: "x", count: 9_000))
        let whole = Data(("%PDF-1.7 " + String(repeating: "x", count: 9_000)).utf8).fhirBase64
        #expect(try database.run("records", ["keyring"]).status == .usage)
        #expect(try database.run("blobs", ["apart", "--keyring", keys]).status != .done)
        let made = try database.run("records", ["keyring", "--keyring", keys, "--json"]).output
        #expect(made.contains("00000000-0000-0000-0000-000000000000"))
        var status = stat()
        #expect(stat(keys, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try database.run("blobs", ["apart"]).status == .done)
        #expect(try database.run("attach", ["Patient/1", file]).status == .done)
        #expect(try database.run("blobs", ["list", "--json"]).output.contains(#""sealed":false"#))
        #expect(try database.run("blobs", ["apart", "--keyring", keys]).output == "moved 1\n")
        #expect(try database.run("blobs", ["list", "--json"]).output.contains(#""sealed":true"#))
        for command in [["get", "Patient/1"], ["find", "Patient"], ["search", "Patient"], ["export", "--output", "-"]] {
            let closed = try database.run(command[0], Array(command.dropFirst()))
            #expect(closed.status != .done && !closed.output.contains(whole), "\(command)")
            let open = try database.run(command[0], command.dropFirst() + ["--keyring", keys])
            #expect(open.status == .done && open.output.contains(whole), "\(command)")
        }
        let verified = try database.run("blobs", ["verify"])
        #expect(verified.status == .incomplete && verified.output.contains("the keyring with its key is not set"))
        let old = try Data(contentsOf: URL(fileURLWithPath: keys))
        #expect(try database.run("records", ["rotate", "--keyring", keys]).output.hasPrefix("wrapped 1\n"))
        #expect(try database.run("records", ["rewrap", "--keyring", keys]).output.hasPrefix("wrapped 0\n"))
        #expect(try database.run("blobs", ["verify", "--keyring", keys]).status == .done)
        let keyring = try RecordKeyring(exported: Secret(Data(contentsOf: URL(fileURLWithPath: keys))))
        #expect(keyring.ids.count == 2 && keyring.primaryID != RecordKeyring.firstID)
        // The old keyring does not have the new key.
        try old.write(to: URL(fileURLWithPath: keys))
        #expect(chmod(keys, 0o600) == 0)
        #expect(try database.run("get", ["Patient/1", "--keyring", keys]).status == .incomplete)
        #expect(chmod(keys, 0o644) == 0)
        #expect(try database.run("get", ["Patient/1", "--keyring", keys]).error.contains("chmod 600"))
    }

    @Test func aDifferenceIsOneOfPayloadsAndNotOfTheirPlace() throws {
        let patients = [Self.patient(1, 9_000), Self.patient(2, 9_000)]
        let lines = patients.map { FHIRJSON.string($0) }.joined(separator: "\n")
        let (inline, apart) = (try ToolDatabase(lines), try ToolDatabase(lines))
        #expect(try apart.run("blobs", ["apart"]).output == "moved 2\n")
        for (one, other) in [(inline, apart), (apart, inline)] {
            let run = try ToolRun("diff", one.path, other.path)
            #expect(run.status == .done, "\(run.output)\(run.error)")
        }
    }

    // MARK: - Lost payloads

    /// Three patients, of which the first has lost its payload.
    private static func lacking() throws -> ToolDatabase {
        let patients = [patient(1, 9_000), patient(2, 9_000), Patient { $0.id = "3" }]
        let database = try ToolDatabase(patients.map { FHIRJSON.string($0) }.joined(separator: "\n"))
        #expect(try database.run("blobs", ["apart"]).output == "moved 2\n")
        #expect(try database.run("blobs", ["verify"]).output == "every payload matches its hash\n")
        do { try Connection(path: database.path).execute("DELETE FROM _blob WHERE blob = (SELECT min(blob) FROM _blob)") }
        return database
    }

    @Test func verifyNamesALostPayload() throws {
        let run = try Self.lacking().run("blobs", ["verify"])
        #expect(run.status == .incomplete && run.lines.count == 1)
        #expect(run.output.hasSuffix(": it is missing, or a part of it, in Patient/1\n") && !run.output.contains("every payload"))
    }

    @Test func anExportThatSkipsLeavesOutWhatLacksItsPayload() throws {
        let database = try Self.lacking()
        let out = database.folder.file("out")
        let stopped = try database.run("export", ["--output", out])
        #expect(stopped.status == .failed && stopped.error.contains("`firelite export --on-error skip`"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: out).isEmpty)
        let skipping = ["--on-error", "skip", "--ids"]
        let lines = try database.run("export", ["--output", "-"] + skipping)
        #expect(lines.status == .incomplete && lines.lines.count == 2 && !lines.output.contains(#""id":"1""#))
        #expect(lines.output.contains(Self.payload(2, 9_000)) && lines.output.contains(#""id":"3""#))
        #expect(lines.error.contains("skipped Patient/1: the payload ") && lines.error.contains("skipped 1 unreadable resource"))
        let xml = try database.run("export", ["--output", "-", "--format", "xml"] + skipping)
        #expect(xml.status == .incomplete && xml.output.contains(#"<id value="3"/>"#) && !xml.output.contains(#"<id value="1"/>"#))
        #expect(xml.error.contains("skipped Patient/1: the payload "))
        let person = try database.run("export", ["--output", "-", "--patient", "Patient/1"] + skipping)
        #expect(person.status == .incomplete && person.output.isEmpty && person.error.contains("skipped Patient/1: the payload "))
        let written = try database.run("export", ["--output", out] + skipping)
        #expect(written.status == .incomplete && written.output.hasPrefix("exported 2, files 1"))
    }

    /// Without the keyring a sealed payload cannot be read; what else there is can.
    @Test func anExportThatSkipsLeavesOutWhatItHasNoKeyFor() throws {
        let patients = [Self.patient(1, 9_000), Patient { $0.id = "2" }]
        let database = try ToolDatabase(patients.map { FHIRJSON.string($0) }.joined(separator: "\n"))
        let keys = database.folder.file("keys.json")
        #expect(try database.run("records", ["keyring", "--keyring", keys]).status == .done)
        #expect(try database.run("blobs", ["apart", "--keyring", keys]).output == "moved 1\n")
        let run = try database.run("export", ["--output", "-", "--on-error", "skip", "--ids"])
        #expect(run.status == .incomplete && run.lines == [#"{"resourceType":"Patient","id":"2"}"#])
        #expect(run.error.contains("skipped Patient/1: ") && !run.error.contains("keys.json"))
        #expect(try database.run("export", ["--output", "-", "--keyring", keys]).lines.count == 2)
    }

    @Test func anImportThatSkipsRejectsAReferenceToAPayloadThatIsNotThere() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        #expect(try database.run("blobs", ["apart"]).status == .done)
        let reference = "blob:sha256:\(String(repeating: "0", count: 64));9000"
        let given = try database.folder.write(
            "given.ndjson",
            [
                #"{"resourceType":"Patient","id":"2"}"#, #"{"resourceType":"Patient","id":"3","photo":[{"data":"\#(reference)"}]}"#,
                #"{"resourceType":"Patient","id":"4"}"#,
            ].joined(separator: "\n"))
        let run = try database.run("import", ["--on-error", "skip", "--rejects", database.folder.file("rejects.ndjson"), given])
        #expect(run.status == .incomplete && run.output.contains("rejected 1"))
        let rejects = try database.folder.read("rejects.ndjson")
        #expect(rejects.contains(#""line":2"#) && rejects.contains("payload") && rejects.split(separator: "\n").count == 1)
        #expect(try database.run("find", ["Patient", "--count"]).output.contains("3"))
        let stopped = try database.run("import", [given])
        #expect(stopped.status != .done && stopped.error.contains("payload") && stopped.error.contains("2"))
    }

    /// Where payloads go that are moved apart.
    enum Place: CaseIterable, Sendable { case tables, files, sealedFiles }

    /// The tool is killed again and again while it moves payloads apart, and then back: by day 5 MB, at night 1 GB.
    @Test(arguments: Place.allCases) func killsWhilePayloadsMoveLoseNothing(_ place: Place) throws {
        let (count, size) = (Effort.isNightly ? 2_500 : 12, 400_000)
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        do {
            let store = try FHIRStore(path: path, release: .r4)
            for number in 0..<count { try store.write { _ = try $0.upsert(Self.patient(number, size)) } }
            try store.close()
        }
        let keyring = place == .sealedFiles ? try RecordKeyring() : nil
        let keys = folder.file("keys.json")
        if let keyring {
            try keyring.exported().bytes.write(to: URL(fileURLWithPath: keys))
            #expect(chmod(keys, 0o600) == 0)
        }
        let options = keyring == nil ? [] : ["--keyring", keys]
        for (verb, growth) in [("apart", 1_500_000), ("back", 1_000_000)] {
            let placing = verb == "apart" && place != .tables ? ["--in-files", "100000"] : []
            var (kills, isDone) = (0, false)
            while !isDone {
                let before = Self.size(inFolder: path + "-payloads")
                let process = try ToolProcess.make(["blobs", "--database", path, verb] + placing + options)
                try process.run()
                // It is killed when log and files have changed by that much, at another point each time.
                let limit = growth + kills * (Effort.isNightly ? 23_456_789 : 500_000)
                while process.isRunning {
                    if kills < 8, Self.size(path + "-wal") + abs(Self.size(inFolder: path + "-payloads") - before) > limit {
                        kill(process.processIdentifier, SIGKILL)
                        kills += 1
                        break
                    }
                    usleep(200)
                }
                process.waitUntilExit()
                isDone = process.terminationReason == .exit
                if isDone { #expect(process.terminationStatus == 0) }
                try Self.verify(path, count, size, keyring, isComplete: isDone, verb)
            }
            #expect(kills > 0, "\(verb)")
            let files = try? FileManager.default.contentsOfDirectory(atPath: path + "-payloads")
            #expect((files ?? []).count == (placing.isEmpty ? 0 : count), "\(verb)")
        }
    }

    private static func verify(
        _ path: String, _ count: Int, _ size: Int, _ keyring: RecordKeyring?, isComplete: Bool, _ verb: String
    ) throws {
        let store = try FHIRStore(path: path, release: .r4)
        if let keyring { store.records.encryption = .perRecord(keyring) }
        try store.attachments.resume()
        #expect(try store.check().isEmpty)
        #expect(try store.attachments.verify().isEmpty)
        #expect(try store.count(Patient.self) == count)
        // All at the end, and some before.
        for number in stride(from: 0, to: count, by: isComplete ? 1 : 7) {
            let stored = try #require(try store.resource(Patient.self, id: "\(number)"))
            #expect(
                try FHIRJSON.string(store.attachments.resolvingPayloads(in: stored)) == FHIRJSON.string(patient(number, size)), "\(number)")
        }
        if isComplete {
            let payloads = try store.attachments.list()
            #expect(payloads.count == (verb == "apart" ? count : 0))
            #expect(payloads.allSatisfy { $0.isSealed == (keyring != nil) })
        }
        try store.close()
    }

    private static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func size(inFolder path: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { $0 + size(path + "/" + $1) }
    }
}
