import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteCLI

struct EraseCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            """
            {"resourceType":"Patient","id":"1","name":[{"family":"Zyxomma"}]}
            {"resourceType":"Patient","id":"2"}
            {"resourceType":"Observation","id":"o","status":"final","code":{"text":"Zyxomma"},"subject":{"reference":"Patient/1"}}
            {"resourceType":"Binary","id":"b","contentType":"text/plain","data":"Wnl4b21tYQ=="}
            {"resourceType":"DocumentReference","id":"d","status":"current","subject":{"reference":"Patient/1"},"content":[{"attachment":{"url":"Binary/b"}}]}
            """)
    }

    private func files(with text: String) throws -> [String] {
        try database.folder.names.filter { name in
            guard name.hasPrefix("store.sqlite") else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: database.folder.file(name))).range(of: Data(text.utf8)) != nil
        }
    }

    @Test func aDryRunCountsAndChangesNothing() throws {
        let run = try database.run("erase", ["Patient/1", "--dry-run"])
        #expect(run.status == .done && run.output.hasPrefix("would erase 4 resources of Patient/1\n"), "\(run.error)")
        #expect(run.lines.contains("Binary              1") || run.lines.contains { $0.hasPrefix("Binary ") && $0.hasSuffix(" 1") })
        #expect(try database.run("find", ["Patient", "--count"]).output == "2\n")
    }

    @Test func aPersonIsErased() throws {
        #expect(try !files(with: "Zyxomma").isEmpty)
        let run = try database.run("erase", ["Patient/1", "--json"])
        #expect(run.status == .done && run.output.contains(#"{"name":"Patient","count":1}"#), "\(run.error)")
        #expect(try files(with: "Zyxomma") == [] && files(with: "Wnl4b21tYQ") == [])
        #expect(try database.run("check", []).output == "sound\n")
        #expect(try database.run("find", ["Patient", "--count"]).output == "1\n")
        #expect(try database.run("erase", ["Patient/1"]).status == .incomplete)
        let other = try database.run("erase", ["Patient/2"])
        #expect(other.output.hasSuffix("backups and exports are not reached: delete those that have Patient/2\n"), "\(other.output)")
        #expect(try database.run("erase", ["Observation/o"]).status == .usage)
    }

    /// Whoever reads keeps the tool from overwriting; the next run overwrites, and prints what the first could not.
    @Test func anErasureThatCouldNotOverwriteIsCompletedByTheNext() throws {
        let list = #"{"resourceType":"List","id":"l","status":"current","mode":"working","entry":[{"item":{"reference":"Patient/1"}}]}"#
        #expect(try database.run("import", [database.folder.write("list.ndjson", list)]).status == .done)
        let store = try FHIRStore(path: database.path, release: .r4)
        try store.read { (tx: ReadTransaction) throws in
            #expect(try tx.resource(Patient.self, id: "1") != nil)
            let run = try database.run("erase", ["Patient/1", "--json"])
            #expect(run.status == .failed && run.output.isEmpty)
            #expect(run.error.hasPrefix("firelite erase: everything is deleted, but \(database.path) is in use"), "\(run.error)")
            #expect(run.error.hasSuffix("erase again, which overwrites the file and lists what is left\n"), "\(run.error)")
        }
        try store.close()
        let run = try database.run("erase", ["Patient/1", "--json"])
        #expect(run.status == .done && run.output.contains(#"{"name":"Patient","count":1}"#), "\(run.error)")
        #expect(run.output.contains(#""left":[{"kind":"reference","what":"List/l"}]"#))
        #expect(run.output.contains(#""completed":["Patient/1"]"#))
        #expect(try files(with: "Zyxomma") == [] && files(with: #""what":"List/l""#) == [])
        #expect(try database.run("erase", ["Patient/1"]).status == .incomplete)
    }

    @Test func whatIsReferredToAndNotTakenAlongIsCounted() throws {
        let more = try database.folder.write(
            "more.ndjson",
            """
            {"resourceType":"Practitioner","id":"p"}
            {"resourceType":"Device","id":"d"}
            {"resourceType":"Observation","id":"o2","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"},"device":{"reference":"Device/d"},"performer":[{"reference":"Practitioner/p"},{"reference":"Practitioner/other"}]}
            {"resourceType":"Observation","id":"o3","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"},"device":{"reference":"Device/d"}}
            """)
        #expect(try ToolRun("import", "--database", database.path, more).status == .done)
        let run = try database.run("export", ["--patient", "Patient/1", "--output", database.folder.file("taken")])
        #expect(run.status == .done)
        #expect(run.error == "firelite export: not exported, though the resources refer to them: Device 1, Practitioner 1\n")
        #expect(try database.run("export", ["--patient", "Patient/2", "--output", database.folder.file("other")]).error.isEmpty)
    }

    @Test func whatIsTakenAlongIsImportedAgain() throws {
        let folder = database.folder.file("taken")
        let run = try database.run("export", ["--patient", "Patient/1", "--output", folder])
        #expect(run.status == .done && run.output.hasPrefix("exported 4"), "\(run.error) \(run.output)")
        let other = database.folder.file("other.sqlite")
        #expect(try ToolRun("import", "--database", other, folder).status == .done)
        #expect(try ToolRun("get", other, "Binary/b").output.contains("Wnl4b21tYQ=="))
        #expect(try ToolRun("find", other, "Patient", "--count").output == "1\n")
        #expect(try database.run("export", ["--patient", "Patient/9", "--output", folder]).status == .incomplete)
        #expect(try database.run("export", ["--patient", "Patient/1", "--type", "Patient", "--output", folder]).status == .usage)
    }

    @Test func filesAboutOthersAreNotLeftBesideThoseOfAPerson() throws {
        let folder = database.folder.file("all")
        #expect(try database.run("export", ["--output", folder]).status == .done)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let patients = try database.folder.read("all/Patient.ndjson")
        let run = try database.run("export", ["--patient", "Patient/2", "--output", folder])
        #expect(run.status == .usage && run.output.isEmpty)
        let names = "Binary.ndjson, DocumentReference.ndjson, Observation.ndjson"
        #expect(run.error.hasPrefix("firelite export: \(folder) has \(names) of an earlier export, "), "\(run.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
        #expect(try database.folder.read("all/Patient.ndjson") == patients)
        // What the export replaces is no obstacle.
        for _ in 1...2 {
            #expect(try database.run("export", ["--patient", "Patient/2", "--output", database.folder.file("person")]).status == .done)
        }
        #expect(try database.run("export", ["--patient", "Patient/2", "--output", "-"]).status == .done)
    }

    /// Samples, the requests that wait to send them, and the names of the devices that only they came from.
    @Test func samplesAndWhatWaitsToBeSentGo() throws {
        func export(_ source: String, _ value: Int) throws -> String {
            try database.folder.write(
                "\(source)-\(value).xml",
                """
                <HealthData locale="en_US">
                 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="\(source)" unit="count/min" value="\(value)" \
                startDate="2026-01-01 08:00:\(value) +0100" endDate="2026-01-01 08:00:\(value) +0100"/>
                </HealthData>
                """)
        }
        func samples(_ arguments: String...) throws -> ToolRun { try ToolRun.any(["samples", "--database", database.path] + arguments) }
        for (person, source, value) in [("1", "Zyxomma's watch", 10), ("1", "Family's scale", 11), ("2", "Family's scale", 12)] {
            let run = try samples("import", try export(source, value), "--subject", "Patient/\(person)")
            #expect(run.status == .done, "\(run.error)")
            // Each in a request of its own, which waits, as nobody listens there; it names no person.
            _ = try samples("push", "--server", "http://127.0.0.1:9/fhir", "--plain-http")
        }
        func waiting() throws -> Int {
            try ToolRun.any(["outbox", "--database", database.path, "list", "--format", "ndjson"]).lines.filter { $0.contains("POST") }
                .count
        }
        #expect(try waiting() == 3)
        let run = try database.run("erase", ["Patient/1", "--json"])
        #expect(run.status == .done && run.output.contains(#"{"name":"Device","count":1}"#), "\(run.error) \(run.output)")
        #expect(run.output.contains(#"{"name":"_outbox","count":2}"#) && run.output.contains(#"{"name":"_samples_name","count":1}"#))
        #expect(try files(with: "Zyxomma") == [])
        #expect(try waiting() == 1)
        #expect(try database.run("find", ["Device", "--count"]).output == "1\n")
        #expect(try database.run("search", ["Observation?subject=Patient/2", "--count"]).output == "1\n")
        #expect(try database.run("check", []).output == "sound\n")
    }

    /// A Device that is not known to be the person's stays, and is named. R4's compartment of a patient has no Devices.
    @Test func devicesOfOthersAreNamed() throws {
        let lines = """
            {"resourceType":"Device","id":"scanner"}
            {"resourceType":"Device","id":"shared"}
            {"resourceType":"Device","id":"worn","patient":{"reference":"Patient/1"}}
            {"resourceType":"Observation","id":"a","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"},"device":{"reference":"Device/scanner"}}
            {"resourceType":"Observation","id":"b","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"},"device":{"reference":"Device/shared"}}
            {"resourceType":"Observation","id":"c","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/2"},"device":{"reference":"Device/shared"}}
            """
        #expect(try database.run("import", [database.folder.write("devices.ndjson", lines)]).status == .done)
        let run = try database.run("erase", ["Patient/1", "--json"])
        #expect(run.status == .done && !run.output.contains(#""name":"Device""#) && !run.output.contains("Device/shared"), "\(run.error)")
        #expect(run.output.contains(#"{"kind":"named","what":"Device/scanner"}"#))
        #expect(run.output.contains(#"{"kind":"reference","what":"Device/worn"}"#))
        #expect(try database.run("find", ["Device", "--count"]).output == "3\n")
    }
}
