import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLite
@testable import FireLiteCLI

/// What `import` reads beside plain NDJSON, documents and Bundles.
struct InputFormTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: String { folder.file("test.sqlite") }

    private func patient(_ id: String) -> String { #"{"resourceType":"Patient","id":"\#(id)"}"# }

    private func ids() throws -> Set<String> {
        Set(
            try ToolRun("export", "--database", database, "--output", "-").lines.compactMap {
                $0.components(separatedBy: #""id":""#).last?.components(separatedBy: "\"").first
            })
    }

    private func importing(_ arguments: String..., input: Data = Data()) throws -> ToolRun {
        try ToolRun(["import", "--database", database] + arguments, input: input)
    }

    /// Compresses with the system's gzip.
    private func gzip(_ data: Data) throws -> Data {
        let plain = try folder.write("plain", data)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-c", plain]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let compressed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return compressed
    }

    // MARK: - gzip

    @Test func compressedLinesAndDocuments() throws {
        let lines = (0..<5_000).map { patient("l\($0)") }.joined(separator: "\n")
        let mark = Data([0xEF, 0xBB, 0xBF])
        let bundle =
            #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":\#(patient("b1"))},{"resource":\#(patient("b2"))}]}"#
        try folder.write("a.ndjson.gz", gzip(Data(lines.utf8)))
        // By its content, whatever the name, and with a byte order mark.
        try folder.write("b.json", gzip(mark + Data(bundle.utf8)))
        // Two members, of which the first ends in the middle of a line.
        try folder.write("c.gz", gzip(Data((patient("c1") + "\n{").utf8)) + gzip(Data((patient("c2").dropFirst() + "\n").utf8)))
        let run = try importing(folder.file("a.ndjson.gz"), folder.file("b.json"), folder.file("c.gz"))
        #expect(run.status == .done && run.counts == "added 5004, updated 0, unchanged 0, rejected 0", "\(run.error)")
        #expect(try ids().isSuperset(of: ["l0", "l4999", "b1", "b2", "c1", "c2"]))
        let fromPipe = try importing("-", input: gzip(mark + Data(bundle.utf8)))
        #expect(fromPipe.counts == "added 0, updated 0, unchanged 2, rejected 0")
    }

    @Test func compressedContentThatIsDamagedOrCutOff() throws {
        let whole = try gzip(Data((0..<2_000).map { patient("\($0)") }.joined(separator: "\n").utf8))
        var damaged = whole
        damaged[whole.count / 2] ^= 0xFF
        for (content, word) in [(Data(whole.dropLast(20)), "truncated"), (damaged, "damaged"), (Data(whole.prefix(2)), "truncated")] {
            let run = try importing(folder.write("x.ndjson.gz", content))
            #expect(run.status == .incomplete && run.error.contains(word), "\(run.error)")
            #expect(try ids().isEmpty)
        }
    }

    @Test func aSecondByteOrderMarkIsRefusedInEveryFormat() throws {
        let mark = Data([0xEF, 0xBB, 0xBF])
        let xml = #"<Patient xmlns="http://hl7.org/fhir"><id value="m1"/></Patient>"#
        for content in [patient("m1"), xml] {
            let run = try importing(folder.write("m", mark + mark + Data(content.utf8)))
            #expect(run.status == .incomplete && run.error.contains("two byte order marks"), "\(run.error)")
            #expect(try ids().isEmpty)
        }
        #expect(try importing(folder.write("m", mark + Data(xml.utf8))).status == .done)
    }

    @Test func anEmptyFileAndOneByte() throws {
        #expect(try importing(folder.write("empty.ndjson", "")).counts == "added 0, updated 0, unchanged 0, rejected 0")
        #expect(try importing(folder.write("byte.ndjson", "\n")).counts == "added 0, updated 0, unchanged 0, rejected 0")
    }

    // MARK: - Folders

    @Test func aFolderStandsForItsFiles() throws {
        for name in ["in/a.ndjson", "in/deep/er/b.json", "in/c.JSONL", "in/.hidden.json", "in/.h/d.json", "in/note.txt"] {
            let path = folder.file(name)
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try folder.write(name, name.hasSuffix("txt") ? "no resource" : patient("\(name.utf8.count)"))
        }
        // A link to a folder may lead in a circle.
        try FileManager.default.createSymbolicLink(atPath: folder.file("in/circle"), withDestinationPath: folder.file("in"))
        let run = try importing(folder.file("in"))
        #expect(run.status == .done && run.counts == "added 3, updated 0, unchanged 0, rejected 0", "\(run.error)")
        #expect(try ids() == Set(["in/a.ndjson", "in/deep/er/b.json", "in/c.JSONL"].map { "\($0.utf8.count)" }))
    }

    @Test func aFolderWithoutFilesIsSaid() throws {
        try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: true)
        try folder.write("in/note.txt", "x")
        let run = try importing(folder.file("in"))
        #expect(run.status == .incomplete && run.error.contains("it contains no file that ends in .ndjson"))
        #expect(try folder.names == ["in"])
    }

    // MARK: - Lists

    @Test func aListOfResources() throws {
        let bundle = #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":\#(patient("e"))}]}"#
        let texts = ["[\(patient("1")),\(patient("2"))]", "[\n  \(patient("3")),\n  \(bundle)\n]\n", " [ ] "]
        for (text, added) in zip(texts, [2, 2, 0]) {
            let run = try importing(folder.write("list.json", text))
            #expect(run.status == .done && run.counts == "added \(added), updated 0, unchanged 0, rejected 0", "\(run.error)")
        }
        #expect(try ids() == ["1", "2", "3", "e"])
    }

    @Test func mistakesInAList() throws {
        let bad = "[\n\(patient("1")),\n{\"resourceType\":\"Patient\",\"x\":1},\n\(patient("2"))\n]"
        let run = try importing("--on-error", "skip", folder.write("list.json", bad))
        #expect(run.status == .incomplete && run.counts == "added 2, updated 0, unchanged 0, rejected 1")
        #expect(try folder.read("test.sqlite-rejects.ndjson").contains(#""line":3,"reason":"column 27, Patient.x: "#))
        for (text, word) in [
            ("[\(patient("3"))", "line 1"), ("[\n\(patient("3"))\n}", "line 3, column 1"), ("[\(patient("3")), 5]", "not resources"),
            ("[\(patient("3"))]]", "line 1"),
        ] {
            let run = try importing(folder.write("list.json", text))
            #expect(run.status == .incomplete && run.error.contains(word) && run.error.split(separator: "\n").count == 1, "\(run.error)")
        }
        // Nothing of a file with a mistake is stored unless asked for.
        #expect(try ids() == ["1", "2"])
    }

    // MARK: - Counts

    @Test func countsAddUp() throws {
        let five = (0..<5).map { #"{"resourceType":"Patient","id":"1","language":"l\#($0)"}"# }.joined(separator: "\n") + "\n"
        let run = try importing(folder.write("five.ndjson", five))
        #expect(run.counts == "added 1, updated 0, unchanged 0, superseded 4, rejected 0")
        #expect(try ToolRun("get", "--database", database, "Patient/1").output.contains("l4"))
        let history = (0..<3).map { #"{"resource":{"resourceType":"Patient","id":"h","language":"l\#($0)"}}"# }.joined(separator: ",")
        let versions = try importing(folder.write("h.json", #"{"resourceType":"Bundle","type":"history","entry":[\#(history)]}"#))
        #expect(versions.counts == "added 1, updated 0, unchanged 0, superseded 2, rejected 0")
    }

    /// What is said about a search is no part of its result.
    @Test(arguments: [#""search":{"mode":"outcome"},"#, ""]) func whatIsSaidOfASearchIsNotStored(_ search: String) throws {
        let outcome =
            #"{"resourceType":"OperationOutcome","id":"x","issue":[{"severity":"warning","code":"not-found","diagnostics":"MARKER"}]}"#
        let text = #"""
            {"resourceType":"Bundle","type":"searchset","entry":[{"resource":\#(patient("1")),"search":{"mode":"match"}},
            {\#(search)"resource":\#(outcome)}]}
            """#
        for name in ["b.json", "b.ndjson"] {
            let run = try importing(folder.write(name, name == "b.json" ? text : text.replacingOccurrences(of: "\n", with: "")))
            #expect(run.status == .done && run.counts.hasSuffix("outcomes 1, rejected 0"), "\(run.output)")
            #expect(run.error.contains("warning (not-found); not stored") && !run.error.contains("MARKER"))
        }
        #expect(try ids() == ["1"])
        // In another Bundle it is a resource like others.
        let stored = try importing(folder.write("c.json", text.replacingOccurrences(of: "searchset", with: "collection")))
        #expect(stored.counts == "added 1, updated 0, unchanged 1, rejected 0")
    }

    @Test func reasonsForDeepNestingAreShort() throws {
        let deep = String(repeating: #"{"extension":["#, count: 100)
        let run = try importing(folder.write("d.json", #"{"resourceType":"Patient","extension":["# + deep))
        #expect(run.status == .incomplete && run.error.split(separator: "\n").count == 1)
        #expect(run.error.utf8.count < 400 && run.error.contains("levels of nesting"), "\(run.error)")
    }

    // MARK: - Export

    @Test func resourcesWithoutAnIDAreCounted() throws {
        let given = try folder.write("given.ndjson", patient("1") + "\n" + #"{"resourceType":"Patient","birthDate":"1970-01-01"}"#)
        #expect(try importing(given).status == .done)
        let plain = try ToolRun("export", "--database", database, "--output", folder.file("plain"))
        #expect(plain.lines.count == 2 && plain.lines[1].hasPrefix("without an id: 1; ") && plain.lines[1].contains("--assign-ids"))
        let piped = try ToolRun("export", "--database", database, "--output", "-")
        #expect(piped.error.contains("without an id: 1; ") && piped.lines.count == 2)
        let assigned = try ToolRun("export", "--database", database, "--assign-ids", "--output", "-")
        #expect(assigned.error == "firelite export: given an id: 1\n")
        #expect(assigned.lines.allSatisfy { $0.contains(#""id":""#) })
        #expect(try again(assigned.lines) == assigned.lines)
    }

    /// The lines after a way through another database.
    private func again(_ lines: [String]) throws -> [String] {
        let copy = folder.file("copy.sqlite")
        #expect(try ToolRun("import", "--database", copy, folder.write("again.ndjson", lines.joined(separator: "\n"))).status == .done)
        return try ToolRun("export", "--database", copy, "--output", "-").lines
    }

    @Test func whatCannotBeReadIsLeftOutAndListed() throws {
        #expect(try importing(folder.write("given.ndjson", (1...5).map { patient("p\($0)") }.joined(separator: "\n"))).status == .done)
        do {
            var configuration = FHIRStore.Configuration()
            configuration.checksPages = false
            let store = try FHIRStore(path: database, release: .r4, configuration: configuration)
            try store.write { tx in try tx.access.connection.execute("UPDATE _resource SET digest = zeroblob(16) WHERE root = 3") }
        }
        let stopped = try ToolRun("export", "--database", database, "--output", folder.file("out"))
        #expect(stopped.status == .failed && stopped.error.contains("--on-error skip"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == [])
        let run = try ToolRun("export", "--database", database, "--on-error", "skip", "--output", folder.file("out"))
        #expect(run.status == .incomplete && run.output.hasPrefix("exported 4, files 1"))
        #expect(
            run.error.split(separator: "\n") == [
                "skipped Patient number 3: its rows do not match their digest", "firelite export: skipped 1 unreadable resource",
            ])
        #expect(try folder.read("out/Patient.ndjson").split(separator: "\n").map(String.init) == [1, 2, 4, 5].map { patient("p\($0)") })
        let named = try ToolRun("export", "--database", database, "--on-error", "skip", "--ids", "--output", "-")
        #expect(named.status == .incomplete && named.error.hasPrefix("skipped Patient/p3: ") && named.lines.count == 4)
    }

    /// Files of many types, each of which needs tables and columns that the ones before did not: as many changes of the catalog as for one file.
    @Test func manySmallFilesChangeTheCatalogOnce() throws {
        let texts = [
            #"{"resourceType":"Patient","id":"1","name":[{"family":"A"}]}"#,
            #"{"resourceType":"Patient","id":"2","name":[{"text":"B"}],"active":true}"#,
            #"{"resourceType":"Observation","id":"1","status":"final","code":{"text":"c"}}"#,
            #"{"resourceType":"Patient","id":"3","birthDate":"1970"}"#,
            #"{"resourceType":"Observation","id":"2","status":"final","code":{"coding":[{"code":"c"}]},"valueString":"v"}"#, "no JSON",
            #"{"resourceType":"Patient","id":"4","name":[{"given":["C"]}],"photo":[{"title":"t"}]}"#,
        ]
        let files = try texts.enumerated().map { try folder.write("\($0).json", Data($1.utf8)) }
        let run = try importing(files[0], files[1], files[2], files[3], files[4], files[5], files[6], "--on-error", "skip")
        #expect(run.status == .incomplete && run.output.contains("added 6, "))
        // Each table and index is one change, and no column was added to a table that was there.
        let connection = try Connection(path: database)
        let objects = try connection.integer("SELECT count(*) FROM sqlite_master WHERE sql IS NOT NULL") ?? 0
        #expect(try connection.integer("PRAGMA schema_version") ?? 0 <= objects + 1)
        #expect(try ToolRun("check", "--database", database).status == .done)
    }
}
