import FireLite
import FireLiteRecords
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Every option and operand that names a file or a folder, in every command, with paths at which nothing may be written. What a command has comes from its
/// own definition, so that a new option is tried too.
struct OutputTests {
    // MARK: - The folder

    private static let header = #"{"resourceType":"Patient","id":"1"}"#

    /// Another database, its companions, links to them and to other things, a folder, and the command's own files.
    private static let hostile = [
        "other.sqlite", "other.sqlite-wal", "other.sqlite-shm", "other.sqlite-journal", "hard", "link-to-database", "link-to-text",
        "link-to-nothing", "text", "place", "mine.sqlite", "mine.sqlite-wal", "mine.sqlite-journal", "key", "in.ndjson",
        "other.sqlite-payloads", "mine.sqlite-payloads", otherKeyring, "patients.ndjson", "new/", "new/.", "pipe",
    ]
    /// A keyring that no line names.
    private static let otherKeyring = "other-keys.json"

    private static func prepare() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = [
            "in.ndjson": header + "\n{", "patient.json": header, "letter.txt": "text", "text": "mine",
            "view.json": #"{"resource":"Patient","select":[{"column":[{"name":"id","path":"id"}]}]}"#, "map.json": "{}", "heads": "",
            "export.xml": """
            <HealthData><Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" value="60" \
            startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:00:00 +0100"/></HealthData>
            """,
            "key": "0123456789", "key2": "0123456789ab", "server.json": #"{"token":"t"}"#,
            "patients.ndjson": "\(header)\n\(header)\n",
            "icd10cm_order_2025.txt": "00001 A00     1 \("Cholera".padding(toLength: 60, withPad: " ", startingAt: 0)) Cholera",
        ]
        for (name, text) in files { try folder.write(name, text) }
        try folder.write("guide.tgz", TarArchive.package("a.guide", "1.0.0"))
        for name in ["keys.json", otherKeyring] { try folder.write(name, RecordKeyring().exported().bytes) }
        for name in ["key", "key2", "server.json", "keys.json", otherKeyring] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name))
        }
        let good = try folder.write("good.ndjson", header)
        for name in ["mine.sqlite", "other.sqlite", "samples.sqlite"] {
            #expect(try ToolRun("import", "--database", folder.file(name), good).status == .done)
        }
        let manager = FileManager.default
        try manager.linkItem(atPath: folder.file("other.sqlite"), toPath: folder.file("hard"))
        for (link, target) in ["link-to-database": "other.sqlite", "link-to-text": "text", "link-to-nothing": "nothing"] {
            try manager.createSymbolicLink(atPath: folder.file(link), withDestinationPath: folder.file(target))
        }
        try manager.createDirectory(atPath: folder.file("place"), withIntermediateDirectories: false)
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        return folder
    }

    /// What is in the folder: names, links and contents. A database is its resources, as opening one may make companions.
    private static func state(_ folder: TemporaryFolder) throws -> [String: String] {
        var state: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            var status = stat()
            lstat(folder.file(name), &status)
            switch status.st_mode & S_IFMT {
            case S_IFLNK: state[name] = "link to " + (try FileManager.default.destinationOfSymbolicLink(atPath: folder.file(name)))
            case S_IFDIR: state[name] = "folder"
            case S_IFIFO: state[name] = "pipe"
            default:
                let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
                // Opening a database may make them; a file of the tool has JSON.
                if name.hasSuffix("-wal") || name.hasSuffix("-shm"), bytes.first != UInt8(ascii: "{") { continue }
                state[name] = "\(bytes.count) bytes, \(bytes.hashValue)"
            }
        }
        return state
    }

    // MARK: - Rules

    @Test func everyOptionAndOperandWithAPathHasALine() {
        for definition in FireLiteTool.definitions {
            let tried = Set(CommandLines.all.filter { $0.command.name == definition.name }.flatMap(\.places).map(\.name))
            #expect(tried == CommandLines.pathNames(definition), "\(definition.name)")
        }
    }

    /// Everything that a help text calls a file or a folder is declared as one.
    @Test func everyFileIsDeclaredAsAPath() {
        for definition in FireLiteTool.definitions {
            for option in definition.options where ["FILE", "DIR", "PATH"].contains(where: { option.value?.contains($0) == true }) {
                let isExpected = option.kind.isPath || option.name == "release" || option.value == "PATH,…"
                #expect(isExpected, "\(definition.name) --\(option.name)")
            }
        }
    }

    @Test(arguments: hostile) func noCommandWritesWhereItMustNot(_ target: String) throws {
        let folder = try Self.prepare()
        // By day a third of the lines, another third for each target.
        let turn = Self.hostile.firstIndex(of: target) ?? 0
        for (number, line) in CommandLines.all.enumerated() where Effort.isNightly || (number + turn) % 3 == 0 {
            for place in line.places {
                guard Self.isHostile(target, to: place.kind, line), !line.words.contains("{\(target)}") || target == "mine.sqlite" else {
                    continue
                }
                var line = line
                if target == "mine.sqlite", line.words[place.word] == "{mine.sqlite}" { continue }
                line.words[place.word] = "{\(target)}"
                let before = try Self.state(folder)
                let run = try Self.run(line, place, folder)
                let after = try Self.state(folder)
                let what = "\(line.command.name) \(place.name) \(target): \(run.status) \(run.error)"
                let new = Set(after.keys).subtracting(before.keys).filter { !$0.contains("/") }
                // The other outputs of the line may appear.
                let others = Self.expected(line).subtracting([target])
                #expect(new.isSubset(of: others), "\(what): \(new)")
                for name in before.keys where !others.contains(name) {
                    // A command may change the database that it is given.
                    if !place.isOutput, name.hasSuffix(".sqlite") || name == "hard" { continue }
                    #expect(after[name] == before[name], "\(what): \(name)")
                }
                if place.kind == .database, target == "pipe" { #expect(run.status == .usage, "\(what)") }
                if place.isOutput {
                    #expect(run.status == .usage || (run.status == .failed && !Self.isRefusedAtOnce(target, place.kind)), "\(what)")
                    #expect(run.error.split(separator: "\n").count == 1, "\(what)")
                }
                for name in new { try FileManager.default.removeItem(atPath: folder.file(name)) }
            }
        }
        #expect(try ToolRun("check", "--database", folder.file("other.sqlite")).output == "sound\n")
    }

    /// Whether a command that writes to a path of a kind must refuse a file of the folder, or must leave it as it is.
    private static func isHostile(_ target: String, to kind: ValueKind, _ line: CommandLines.Line) -> Bool {
        // What is only read may come from a pipe, for which a command waits.
        guard case .output(let output) = kind else { return target != "pipe" || kind == .database }
        if target.hasPrefix("new/") { return output != .folder }
        switch output {
        // Those that exist are opened, and what is not a database is refused then.
        case .database: return !["other.sqlite", "hard", "link-to-database", "mine.sqlite"].contains(target)
        case .folder: return target != "place"
        // Another database is what --replace is for; a hard link to it is replaced by itself.
        case .copy: return !(line.words.contains("--replace") && ["other.sqlite", "hard"].contains(target))
        // A keyring is what these commands read and change.
        case .secret: return !(target == otherKeyring && line.command.name == "records")
        case .lines: return true
        }
    }

    /// Whether a command refuses an output before it reads anything; others must open what is there.
    private static func isRefusedAtOnce(_ target: String, _ kind: ValueKind) -> Bool {
        if case .output(.lines) = kind { return true }
        return target.hasPrefix("new/") || target == "pipe"
    }

    /// The outputs of a line.
    private static func expected(_ line: CommandLines.Line) -> Set<String> {
        Set(line.places.filter(\.isOutput).map { String(line.words[$0.word].dropFirst().dropLast()) })
            .union(["new.sqlite-rejects.ndjson"])
    }

    /// Runs a line, without a key that this build cannot use unless it is the file in question.
    private static func run(_ line: CommandLines.Line, _ place: CommandLines.Line.Place?, _ folder: TemporaryFolder) throws -> ToolRun {
        var excluded: Set<Int> = []
        for option in ["--key-file", "--new-key-file"] where line.command.name != "rekey" {
            if let index = line.words.firstIndex(of: option), place?.word != index + 1 { excluded.formUnion([index, index + 1]) }
        }
        return try ToolRun.any(line.arguments(in: folder, without: excluded))
    }

    // MARK: - What is written

    @Test func whatIsWrittenIsForItsOwner() throws {
        let folder = try Self.prepare()
        var written: Set<String> = []
        for line in CommandLines.all {
            let before = try Self.state(folder)
            let run = try Self.run(line, nil, folder)
            let new = Set(try Self.state(folder).keys).subtracting(before.keys)
            #expect(new.filter { !$0.contains("/") }.isSubset(of: Self.expected(line)), "\(line.words)")
            for name in new {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(line.command.name): \(name)")
            }
            for place in line.places {
                guard place.isOutput, new.contains(String(line.words[place.word].dropFirst().dropLast())) else { continue }
                written.insert("\(line.command.name) \(place.name)")
            }
            // Signatures need the key, and samples their database.
            for name in new where !["me.pem", "place"].contains(name) && !name.contains("/") {
                for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: folder.file(name + suffix)) {
                    try FileManager.default.removeItem(atPath: folder.file(name + suffix))
                }
            }
            withExtendedLifetime(run) {}
        }
        let declared = Set(
            CommandLines.all.flatMap { line in
                line.places.filter(\.isOutput).map { "\(line.command.name) \($0.name)" }
            })
        // There is no server to register with; the key is made by the first command that signs; a lake needs the package that writes it.
        let unwritten =
            ["register --credentials", "revoke --signing-key", "sign --signing-key"] + (LakeProgram.isInstalled ? [] : ["publish --to"])
        // The names of codes need full text.
        if !ToolRun.hasFullText { written.insert("codes --knowledge") }
        #expect(declared.subtracting(written) == Set(unwritten))
    }

    /// An output of JSON lines replaces a file only if its lines have the same members, and the new file is private even if the old one was not.
    @Test func anEarlierFileIsReplacedWithItsMode() throws {
        let folder = try Self.prepare()
        let earlier = [
            "rejects.ndjson": #"{"file":"old","line":1,"reason":"r","text":"{\"a\":[1,{\"b\":2}]}"}"#,
            "report.ndjson": #"{"file":"old","kind":"null","line":1,"path":"Patient.name","resource":"Patient/1"}"#,
            "events.ndjson": #"{"uuid":"old","startDate":"2026","endDate":"2026","heartRate":60,"unit":"beats/min"}"#,
        ]
        for (name, line) in earlier {
            let path = try folder.write(name, line + "\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        }
        for line in CommandLines.all where ["import", "migrate", "samples"].contains(line.command.name) {
            _ = try Self.run(line, nil, folder)
        }
        for name in ["rejects.ndjson", "report.ndjson", "events.ndjson"] {
            #expect(try !folder.read(name).contains("old"), "\(name)")
            #expect(try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    /// The lines that commands write have the form that their options declare.
    @Test func linesHaveTheirForm() throws {
        let folder = try Self.prepare()
        let record = { (type: String, value: String) in
            """
            <Record type="HK\(type)" sourceName="Watch" \(value) startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:00:00 +0100"/>
            """
        }
        let pressure = ["Systolic", "Diastolic"].map { record("QuantityTypeIdentifierBloodPressure\($0)", #"unit="mmHg" value="90""#) }
        let samples = try folder.write(
            "all.xml",
            """
            <HealthData>\(record("QuantityTypeIdentifierHeartRate", #"unit="count/min" value="60""#))
            \(record("CategoryTypeIdentifierSleepAnalysis", #"value="HKCategoryValueSleepAnalysisAsleepREM""#))
            <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" startDate="2026-01-01 08:00:00 +0100" \
            endDate="2026-01-01 08:00:00 +0100">\(pressure.joined())</Correlation></HealthData>
            """)
        let patients = [#"{"resourceType":"Patient","id":"1","gender":null}"#, #"{"resourceType":"Patient","id":"2","a":1}"#, "{"]
        let bad = try folder.write("bad.ndjson", patients.joined(separator: "\n"))
        let (database, health) = (folder.file("d.sqlite"), folder.file("h.sqlite"))
        let (rejects, report, events) = (folder.file("rejects"), folder.file("report"), folder.file("events"))
        #expect(try ToolRun.any(["samples", "import", samples, "--database", health]).status == .done)
        // The second time replaces what the first one has written.
        for _ in 1...2 {
            let run = try ToolRun("migrate", "--database", database, "--rejects", rejects, "--report", report, bad)
            #expect(run.status == .incomplete && run.error.contains("2 rejected"), "\(run.error)")
            let written = try ToolRun.any(["samples", "events", "--database", health, "--output", events])
            #expect(written.status == .done, "\(written.error)")
        }
        for (path, form, count) in [(rejects, LineForm.rejects, 2), (report, .mends, 1), (events, .events, 3)] {
            #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == count, "\(path)")
            for other in [LineForm.rejects, .mends, .events] { #expect(try other.fits(fileAt: path) == (other == form), "\(path)") }
        }
    }

    /// Neither other members nor text that is not an object in one line passes for what a command has written.
    @Test(arguments: [
        (#"{"file":"a","line":1,"reason":"r","text":"t"}"#, true), (#"{"file":"a","line":1,"reason":"r","text":"t"}"# + "\n\n", false),
        (#"{"file":"a","line":1,"reason":"r","resource":"P/1","text":"\\\"}\n"}"# + "\r\n", true),
        ("", true), ("\n", false), ("{", false),
        (#"{"file":"a","line":1,"reason":"r"}"#, false), (#"{"file":"a","line":1,"reason":"r","text":"t","b":1}"#, false),
        (#"{"file":"a","line":1,"reason":"r","text":"t"}{}"#, false), (#"{"file":"a","line":1,"reason":"r","text":"t"#, false),
        (#"[{"file":"a","line":1,"reason":"r","text":"t"}]"#, false),
        ("{\n\"file\":\"a\",\"line\":1,\"reason\":\"r\",\"text\":\"t\"}", false),
        (#"{"a":{"file":"a","line":1,"reason":"r","text":"t"}}"#, false),
        (#"{"file":{"x":1},"line":[1,"y"],"reason":"","text":null}"#, true),
        (#"{"file":"a","line":1,"reason":"r","text":"t"}"# + "\n" + #"{"resourceType":"Patient"}"#, false),
    ]) func formsAreOfWholeLines(_ text: String, _ fits: Bool) throws {
        let folder = try TemporaryFolder()
        #expect(try LineForm.rejects.fits(fileAt: folder.write("f", text)) == fits)
    }

    /// A line may be longer than what is read at once.
    @Test func aLongLineIsRead() throws {
        let folder = try TemporaryFolder()
        let line = #"{"file":"a","line":1,"reason":"r","text":"\#(String(repeating: #"\","#, count: 100_000))"}"#
        #expect(try LineForm.rejects.fits(fileAt: folder.write("f", line + "\n" + line)))
        #expect(try !LineForm.rejects.fits(fileAt: folder.write("f", line + "\n" + line + ",")))
    }

    /// What is left of a database that was moved away has its latest changes: SQLite would delete it for a new one.
    @Test(arguments: ["-wal", "-journal"]) func companionsOfAMissingDatabaseStay(_ suffix: String) throws {
        let folder = try Self.prepare()
        try folder.write("new.sqlite\(suffix)", "the latest changes")
        for line in CommandLines.all where line.words.contains("{new.sqlite}") {
            let run = try Self.run(line, nil, folder)
            #expect(run.status == .usage && run.error.contains("move that away"), "\(line.words) \(run.error)")
        }
        #expect(try folder.read("new.sqlite\(suffix)") == "the latest changes")
        #expect(try !folder.names.contains("new.sqlite"))
    }

    /// SQLite would take a database of such a name for a part of another one that is made later.
    @Test(arguments: ["-wal", "-shm", "-journal"]) func aNewDatabaseIsNotNamedAsAPartOfAnother(_ suffix: String) throws {
        let folder = try Self.prepare()
        let names = try folder.names
        for line in CommandLines.all {
            for place in line.places {
                guard place.kind == .output(.database) || place.kind == .output(.copy) else { continue }
                var line = line
                line.words[place.word] = "{later.sqlite\(suffix)}"
                let run = try Self.run(line, place, folder)
                #expect(run.status == .usage && run.error.contains("names that end in \(suffix)"), "\(line.words) \(run.error)")
            }
        }
        #expect(try folder.names.filter { !$0.hasPrefix("mine.sqlite-") } == names.filter { !$0.hasPrefix("mine.sqlite-") })
    }

    // MARK: - One place

    /// Only `OutputPath` creates files: no other code of the tool calls what does.
    @Test func onlyOutputPathCreatesFiles() throws {
        let root = PackageFolder.url.appendingPathComponent("Sources/FireLiteCLI")
        let calls = [
            "createFile(", "forWriting", "forUpdating", ".write(to: URL", "write(toFile", "O_CREAT", "fopen(", "PendingFile(",
            "ExportFolder(",
            "PrivateFile.", "createDirectory(", ".moveItem(", "copyItem(", "rename(", "mkdir(", "OutputStream(",
        ]
        let contents = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var files = 0
        for case let file as URL in contents where file.pathExtension == "swift" {
            files += 1
            if file.lastPathComponent == "OutputPath+Writing.swift" { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for call in calls { #expect(!text.contains(call), "\(file.lastPathComponent): \(call)") }
        }
        #expect(files > 90)
    }
}
