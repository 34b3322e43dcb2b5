import FireLite
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `--json` prints one JSON object and nothing else.
struct JSONOutputTests {
    private let database: ToolDatabase

    init() throws {
        let patient = #"{"resourceType":"Patient","id":"1","name":[{"given":["A","B"]}]}"#
        database = try ToolDatabase(patient + "\n" + #"{"resourceType":"Group"}"#)
    }

    private var folder: TemporaryFolder { database.folder }

    private func object(_ text: String) throws -> [String: Any] {
        #expect(text.hasSuffix("}\n") && text.count { $0 == "\n" } == 1)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func object(of arguments: String...) throws -> [String: Any] {
        let run = try ToolRun(arguments + ["--json"])
        #expect(run.status == .done, "\(run.error)")
        return try object(run.output)
    }

    private func signing(_ option: String) -> [String] { ["--\(option)", "me", "--signing-key", folder.file("me.pem")] }

    /// A run of every command that has such an object; those of find depend on its options.
    private func runs() throws -> [String: [String]] {
        let file = try folder.write("more.ndjson", #"{"resourceType":"Patient","id":"2"}"#)
        for tracking in ["changes", "history"] {
            #expect(try ToolRun("track", "--database", database.path, "on", tracking).status == .done)
        }
        let versions = [#"{"resourceType":"Patient","id":"0"}"#, #"{"resourceType":"Patient","id":"0","active":true}"#]
        for version in versions {
            #expect(try ToolRun("import", "--database", database.path, folder.write("version.ndjson", version)).status == .done)
        }
        let sample = #"{"type":"HKQuantityTypeIdentifierHeartRate","start":"2026-01-01T08:00:00Z","value":60,"unit":"count/min"}"#
        let samples = try ToolRun.any(["samples", "--database", database.path, "import", folder.write("samples.ndjson", sample)])
        #expect(samples.status == .done, "\(samples.error)")
        let guides = folder.file("guides.sqlite")
        let package = try folder.write("p.tgz", TarArchive.package("a.guide", "1.0.0"))
        #expect(try ToolRun("package", "--knowledge", guides, "add", package).status == .done)
        let order = try folder.write(
            "icd10cm_order_2025.txt", "00001 A00     1 \("Cholera".padding(toLength: 60, withPad: " ", startingAt: 0)) Cholera")
        #expect(try !ToolRun.hasFullText || ToolRun("codes", "--knowledge", guides, "add", order).status == .done)
        return [
            "codes": ["--knowledge", guides, "list"],
            "package": ["--knowledge", guides, "list"],
            "samples": ["--database", database.path, "stats", "--type", "heartRate"],
            "bases": ["--database", database.path, "list"],
            "track": ["--database", database.path, "list"], "changes": ["--database", database.path, "--values"],
            "history": ["--database", database.path, "Patient/2"], "prune": ["--database", database.path, "--keep", "9"],
            "restore": ["--database", database.path, "Patient/0"],
            "import": ["--database", database.path, file], "export": ["--database", database.path, "--output", folder.file("out")],
            "put": ["--database", database.path, try folder.write("put.json", #"{"resourceType":"Patient","id":"9"}"#)],
            "patch": ["--database", database.path, "Patient/0", "gender=male"], "edit": ["--database", database.path, "Patient/0"],
            "schema": ["--database", database.path, "Patient"], "sql": ["--database", database.path, "SELECT id FROM Patient"],
            "diff": [database.path, database.path], "erase": ["--database", database.path, "Patient/0", "--dry-run"],
            "info": ["--database", database.path], "check": ["--database", database.path],
            "delete": ["--database", database.path, "Patient/1"], "index": ["--database", database.path, "list"],
            "backup": ["--database", database.path, folder.file("copy.sqlite")], "vacuum": ["--database", database.path],
            "view": ["--database", database.path, "--standard"],
            "publish": ["--database", database.path, "--to", folder.file("lake")],
            "recover": [database.path, folder.file("recovered.sqlite")], "reseal": ["--database", database.path],
            "find": ["--database", database.path, "Patient", "--count"], "search": ["--database", database.path, "Patient", "--count"],
            "annotate": ["--database", database.path, "Patient/0", "fitness"], "records": ["--database", database.path, "list", "Patient"],
            "appdata": ["--database", database.path, "list"],
            "version": [], "outbox": ["--database", database.path, "list"],
            "attach": ["--database", database.path, "Patient/0", file], "blobs": ["--database", database.path, "list"],
            "detach": ["--database", database.path, "Patient/0"],
            "audit": ["--database", database.path, "list"],
            "permit": ["--database", database.path, "--id", "1"] + signing("grantor"),
            "revoke": ["--database", database.path, "1"] + signing("grantor"),
            "permissions": ["--database", database.path], "verify": ["--database", database.path, "Patient/0"],
            "sign": ["--database", database.path, "Patient/0"] + signing("signer"),
            "push": ["--database", database.path, "--server", "http://127.0.0.1:1/fhir", "--dry-run"],
            "conflicts": ["--database", database.path], "fhirpath": ["--database", database.path, "Patient/0", "id"],
            "migrate": [
                "--database", database.path, try folder.write("old.ndjson", #"{"resourceType":"Patient","id":"3","pk":"x","name":[]}"#),
            ],
        ]
    }

    /// The keys in the form that the runs have, of commands with several.
    private static let keysOfForm = [
        "find": ["count"], "search": ["count"], "sql": ["rows"], "view": ["created"], "diff": ["changes", "withoutID"],
    ]

    @Test func everyObjectHasTheKeysOfTheHelp() throws {
        let runs = try runs()
        for definition in FireLiteTool.definitions where !definition.jsonKeys.isEmpty {
            // As push does, with a server.
            if ["sync", "pull"].contains(definition.name) { continue }
            if definition.name == "publish", !LakeProgram.isInstalled { continue }
            // Code systems need SQLite's FTS5.
            if definition.name == "codes", !ToolRun.hasFullText { continue }
            let arguments = try #require(runs[definition.name], "no run of \(definition.name)")
            let run = try ToolRun.any([definition.name] + arguments + ["--json"], environment: ["EDITOR": "true"])
            if definition.name == "reseal", run.error.contains("no room for checksums") { continue }
            #expect(run.status == .done && run.error.isEmpty, "\(definition.name): \(run.error)")
            let object = try object(run.output)
            let keys = Self.keysOfForm[definition.name] ?? definition.jsonKeys.map(\.name)
            #expect(Set(object.keys) == Set(keys), "\(definition.name)")
            let help = try ToolRun("help", definition.name).output
            for key in definition.jsonKeys {
                #expect(help.contains("\n  \(key.name) "), "\(definition.name): \(key.name)")
                #expect(key.name.wholeMatch(of: /[a-z]+([A-Z]+[a-z]*)*/) != nil)
                if definition.name == "sql" { continue }
                // The help of a list names the keys of its objects.
                for case let item as [String: Any] in object[key.name] as? [Any] ?? [] {
                    for inner in item.keys { #expect(key.help.contains(inner), "\(definition.name): \(key.name).\(inner)") }
                }
            }
        }
    }

    @Test func everyKeyIsOnThePage() throws {
        let page = try PackageFolder.text(of: "Sources/FireLite/FireLite.docc/CommandLine.md")
        for definition in FireLiteTool.definitions where !definition.jsonKeys.isEmpty {
            let row = page.split(separator: "\n").first { $0.hasPrefix("| `\(definition.name)` |") }
            for key in definition.jsonKeys { #expect(row?.contains("`\(key.name)`") == true, "\(definition.name): \(key.name)") }
        }
    }

    @Test func figuresAreNumbers() throws {
        let file = try folder.write("two.ndjson", #"{"resourceType":"Patient","id":"1"}"# + "\n" + #"{"resourceType":"Patient","id":"3"}"#)
        let imported = try object(of: "import", "--database", database.path, file)
        #expect(imported["added"] as? Int == 1 && imported["updated"] as? Int == 1 && imported["rejected"] as? Int == 0)
        #expect(imported["seconds"] is Double)
        let info = try object(of: "info", "--database", database.path)
        #expect(info["resources"] as? Int == 3 && info["release"] as? String == "R4")
        let types = info["types"] as? [[String: Any]]
        #expect(types?.compactMap { $0["type"] as? String } == ["Group", "Patient"])
        #expect(types?.compactMap { $0["resources"] as? Int } == [1, 2])
        let exported = try object(of: "export", "--database", database.path, "--output", folder.file("out"))
        #expect(exported["exported"] as? Int == 3 && exported["files"] as? Int == 2 && exported["withoutID"] as? Int == 1)
        #expect(try object(of: "find", "--database", database.path, "Patient", "--count")["count"] as? Int == 2)
        let vacuumed = try object(of: "vacuum", "--database", database.path)
        #expect((vacuumed["bytesAfter"] as? Int).map { $0 > 0 } == true)
        let backup = try object(of: "backup", "--database", database.path, folder.file("copy.sqlite"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("copy.sqlite"))
        #expect(backup["bytes"] as? Int == (attributes[.size] as? NSNumber)?.intValue)
    }

    @Test func failuresLeaveStandardOutputToTheObject() throws {
        let deleted = try ToolRun("delete", "--database", database.path, "Patient/1", "Patient/9", "--json")
        #expect(deleted.status == .incomplete && deleted.error == "firelite delete: Patient/9 is not in \(database.path)\n")
        #expect(deleted.output == #"{"deleted":1,"missing":["Patient/9"]}"# + "\n")
        let file = try folder.write("bad.ndjson", #"{"resourceType":"Patient","birthDate":"SECRET"}"#)
        let stopped = try ToolRun("import", "--database", database.path, file, "--json")
        #expect(stopped.status == .incomplete && !stopped.error.isEmpty && !stopped.output.contains("SECRET"))
        #expect(try object(stopped.output)["added"] as? Int == 0)
        let missing = try ToolRun("info", "--database", folder.file("none.sqlite"), "--json")
        #expect(missing.status == .failed && missing.output.isEmpty)
    }

    @Test func faultsAreObjects() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: database.path))
        let damaged = try folder.write("damaged.sqlite", bytes.prefix(bytes.count / 2 / 4_096 * 4_096))
        let text = try ToolRun("check", "--database", damaged)
        #expect(text.status == .incomplete)
        let run = try ToolRun("check", "--database", damaged, "--json")
        #expect(run.status == .incomplete && run.error == text.error)
        let object = try object(run.output)
        #expect(object["sound"] as? Bool == false)
        let faults = try #require(object["faults"] as? [[String: Any]])
        #expect(faults.compactMap { $0["text"] as? String } == text.lines)
        #expect(faults.allSatisfy { Set($0.keys) == ["kind", "table", "type", "number", "text"] })
    }

    @Test func indexesAreListed() throws {
        #expect(try ToolRun("index", "--database", database.path, "create", "Patient", "name.given").status == .done)
        #expect(try ToolRun("index", "--database", database.path, "create", "--set", "dates").status == .done)
        let indexes = try #require(try object(of: "index", "--database", database.path, "list")["indexes"] as? [[String: Any]])
        #expect(indexes.compactMap { $0["kind"] as? String }.sorted() == ["set", "values"])
        #expect(indexes.first { $0["kind"] as? String == "set" }?["type"] is NSNull)
        let create = try ToolRun("index", "--database", database.path, "create", "Patient", "gender", "--json")
        #expect(create.status == .usage && create.error == "firelite index: --json needs list\n")
    }

    @Test func findPrintsLinesOnTerminalsToo() throws {
        func find(_ arguments: String...) throws -> ToolRun {
            try ToolRun(["find", "--database", database.path, "Patient"] + arguments, isTerminal: true)
        }
        #expect(try find("--format", "ndjson").output == #"{"resourceType":"Patient","id":"1","name":[{"given":["A","B"]}]}"# + "\n")
        #expect(try find("--format", "ndjson", "--values", "id,name.given").output == #"{"id":"1","name.given":["A","B"]}"# + "\n")
        let explained = try object(try find("--explain", "--json", "name.given=A").output)
        #expect(Set(explained.keys) == ["sql", "plan"] && (explained["plan"] as? [String])?.isEmpty == false)
        let both = try find("--json", "--format", "csv", "--values", "id")
        #expect(both.error == "firelite find: --json and --format csv are given: choose one\n")
    }

    @Test func whatExcludesJSONIsAUsageError() throws {
        let file = folder.file("in.ndjson")
        #expect(try ToolRun("import", "--database", database.path, file, "--json", "--quiet").status == .usage)
        #expect(try ToolRun("export", "--database", database.path, "--output", "-", "--json").status == .usage)
    }
}
