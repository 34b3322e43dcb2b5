import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI
@testable import FireLiteSynthetic

/// Imports of lines and single resources, through the command.
struct ImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: String { folder.file("test.sqlite") }

    private func patient(_ id: Int, _ family: String = "A") -> String {
        #"{"resourceType":"Patient","id":"\#(id)","name":[{"family":"\#(family)"}]}"#
    }

    private func importText(_ text: String, _ options: String..., name: String = "p.ndjson") throws -> ToolRun {
        try ToolRun(["import", "--database", database] + options + [try folder.write(name, text)])
    }

    private func stored() throws -> [String] { try ToolRun("export", "--database", database, "--output", "-").lines }

    // MARK: - Good content

    @Test func countsWhatHappened() throws {
        let first = try importText("\(patient(1))\n\(patient(2))\n")
        #expect(first.status == .done && first.error.isEmpty)
        #expect(first.counts == "added 2, updated 0, unchanged 0, rejected 0")
        let second = try importText("\(patient(2))\n\(patient(1, "B"))\n\(patient(3))\n")
        #expect(second.counts == "added 1, updated 1, unchanged 1, rejected 0")
        #expect(try stored() == [patient(1, "B"), patient(2), patient(3)])
        #expect(try ToolRun("check", "--database", database).output == "sound\n")
    }

    @Test func theLastOfAnIDCounts() throws {
        #expect(try importText("\(patient(1))\n\(patient(2))\n\(patient(1, "B"))").status == .done)
        #expect(try Set(stored()) == [patient(1, "B"), patient(2)])
    }

    @Test(arguments: [
        "\u{FEFF}%\n%", "%\r\n%\r\n", "\n\n%\n \t\r\n%\n\n", "%\n%",
    ]) func marksBlankLinesAndEndsDoNoHarm(_ form: String) throws {
        var text = form
        for id in 1...2 { text.replaceSubrange(text.range(of: "%")!, with: patient(id)) }
        for name in ["a.ndjson", "a.json", "a"] {
            let run = try importText(text, name: name)
            #expect(run.status == .done && run.error.isEmpty)
            #expect(try stored() == [patient(1), patient(2)])
        }
    }

    @Test func anEmptyFileIsNoMistake() throws {
        for text in ["", "\n", "\u{FEFF}"] {
            #expect(try importText(text).counts == "added 0, updated 0, unchanged 0, rejected 0")
        }
    }

    @Test func oneResourceMayHaveManyLines() throws {
        let resource = try Patient(json: patient(1))
        for name in ["a.json", "a"] {
            #expect(try importText(FHIRJSON.string(resource, pretty: true), name: name).status == .done)
            #expect(try stored() == [patient(1)])
        }
    }

    @Test func standardInputIsAFileLikeOthers() throws {
        let run = try ToolRun(["import", "--database", database, "-"], input: Data("\(patient(1))\n\(patient(2))".utf8))
        #expect(run.counts == "added 2, updated 0, unchanged 0, rejected 0")
        let pretty = FHIRJSON.string(try Patient(json: patient(3)), pretty: true)
        #expect(try ToolRun(["import", "--database", database, "-"], input: Data(pretty.utf8)).status == .done)
        #expect(try stored() == [patient(1), patient(2), patient(3)])
        let bad = try ToolRun(["import", "--database", database, "-"], input: Data("\n{".utf8))
        #expect(bad.status == .incomplete)
        #expect(bad.error.hasPrefix("firelite import: standard input: line 2, column "))
    }

    @Test func batchesAndWindowsMakeNoDifference() throws {
        let lines = (1...40).map { patient($0, String(repeating: "ä", count: $0)) }
        let path = try folder.write("many.ndjson", lines.joined(separator: "\n"))
        for chunk in [1, 7, 64, 100, 1_000, 1 << 20] {
            let store = try FHIRStore.inMemory(release: .r4)
            var limits = ImportLimits()
            limits.chunk = chunk
            limits.waitingBatches = 1
            var importer = Importer(store: store, options: ContentOptions(release: .r4, limits: limits))
            try importer.run(.file(path: path))
            #expect(importer.counts == ImportCounts(added: 40))
            var stored: [String] = []
            try store.read { try $0.forEach(Patient.self) { stored.append(FHIRJSON.string($0)) } }
            #expect(stored == lines, "pieces of \(chunk) bytes")
        }
    }

    @Test func quietPrintsNothing() throws {
        let run = try importText(patient(1), "--quiet")
        #expect(run.status == .done && run.output.isEmpty && run.error.isEmpty)
    }

    @Test func aDatabaseIsCreatedWithoutPageChecksums() throws {
        #expect(try importText(patient(1), "--no-page-checksums").status == .done)
        // The number of bytes reserved in each page, of which a checksum takes eight.
        #expect(try Data(contentsOf: URL(fileURLWithPath: database))[20] == 0)
        // The file decides, whoever writes to it later.
        #expect(try importText(patient(2)).status == .done)
        #expect(try ToolRun("vacuum", "--database", database).status == .done)
        #expect(try Data(contentsOf: URL(fileURLWithPath: database))[20] == 0)
        #expect(try stored() == [patient(1), patient(2)])
    }

    @Test func pageChecksumsAreNotTakenFromADatabase() throws {
        #expect(try importText(patient(1)).status == .done)
        let before = try Data(contentsOf: URL(fileURLWithPath: database))
        let run = try importText(patient(2), "--no-page-checksums")
        #expect(run.status == .usage)
        #expect(run.error == "firelite import: \(database) exists already: name a new file, or leave out --no-page-checksums\n")
        #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
    }

    // MARK: - Bad lines

    private var badLines: String {
        [
            patient(1), #"{"resourceType":"Patient","id":"2","birthDate":"yesterday"}"#, "", patient(3),
            #"{"resourceType":"Patient","id":"4""#,
            #"{"resourceType":"Wizard","id":"5"}"#, patient(6), "no JSON",
            #"{"resourceType":"Patient","id":"7","name":[{"given":["x",5]}]}"#,
        ].joined(separator: "\n")
    }

    @Test func stopStoresNothingOfTheFile() throws {
        #expect(try importText(patient(9), name: "first.ndjson").status == .done)
        let good = try folder.write("good.ndjson", patient(10))
        let bad = try folder.write("bad.ndjson", badLines)
        let late = try folder.write("late.ndjson", patient(11))
        let run = try ToolRun("import", "--database", database, good, bad, late)
        #expect(run.status == .incomplete)
        #expect(run.counts == "added 1, updated 0, unchanged 0, rejected 1")
        #expect(run.error.hasPrefix("firelite import: \(bad): line 2, column 48, Patient.birthDate: expected "))
        #expect(run.error.split(separator: "\n").count == 1 && !run.error.contains("yesterday"))
        #expect(try stored() == [patient(9), patient(10)])
        #expect(try ToolRun("check", "--database", database).output == "sound\n")
    }

    @Test func skipKeepsTheGoodAndTheBad() throws {
        let rejects = folder.file("rejects.ndjson")
        let run = try importText(badLines, "--on-error", "skip", "--rejects", rejects, name: "bad.ndjson")
        #expect(run.status == .incomplete)
        #expect(run.counts == "added 3, updated 0, unchanged 0, rejected 5")
        #expect(run.error == "firelite import: 5 rejected: see \(rejects)\n")
        #expect(try stored() == [patient(1), patient(3), patient(6)])
        let kept = try folder.read("rejects.ndjson").split(separator: "\n").map {
            try JSONDecoder().decode([String: JSONValue].self, from: Data($0.utf8))
        }
        let lines = badLines.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(kept.map { $0["line"] } == [2, 5, 6, 8, 9].map { .number($0) })
        #expect(kept.map { $0["text"] } == [2, 5, 6, 8, 9].map { .text(lines[$0 - 1]) })
        #expect(kept.allSatisfy { $0["file"] == .text(folder.file("bad.ndjson")) && $0.count == 4 })
        let reasons = kept.compactMap { $0["reason"]?.text }
        #expect(reasons[0].hasPrefix("column 48, Patient.birthDate: expected "))
        #expect(reasons[4].hasPrefix("column 58, Patient.name[0].given[1]: expected "))
    }

    @Test func everyTruncationOfALineIsRejectedAlone() throws {
        let victim = patient(1, "Zoë")
        let bytes = Array(victim.utf8)
        for length in stride(from: 1, to: bytes.count, by: 3) {
            var content = Data(bytes[..<length])
            content.append(Data("\n\(patient(2))\n\(patient(3))\n".utf8))
            for name in ["cut.ndjson", "cut.json"] {
                let path = try folder.write(name, content)
                let store = try FHIRStore.inMemory(release: .r4)
                var importer = Importer(store: store, options: ContentOptions(release: .r4, stopsAtFault: false))
                try importer.run(.file(path: path))
                #expect(importer.counts == ImportCounts(added: 2, rejected: 1), "\(name) cut after \(length) bytes")
            }
        }
    }

    @Test func rejectedLinesGoBesideTheDatabaseUnlessSaid() throws {
        let run = try importText("\(patient(1))\n{", "--on-error", "skip")
        #expect(run.error == "firelite import: 1 rejected: see \(database)-rejects.ndjson\n")
        #expect(try folder.read("test.sqlite-rejects.ndjson").hasSuffix(#""text":"{"}"# + "\n"))
    }

    @Test func aRejectsFileThatWasAskedForIsThereAndEmpty() throws {
        #expect(try importText("{", "--on-error", "skip", "--rejects", folder.file("r")).status == .incomplete)
        #expect(try !folder.read("r").isEmpty)
        #expect(try importText(patient(1), "--on-error", "skip", "--rejects", folder.file("r")).status == .done)
        #expect(try folder.read("r").isEmpty)
        let run = try importText(patient(1), "--on-error", "skip", "--rejects", folder.file("no/such/folder"))
        #expect(run.status == .failed)
        #expect(run.error.hasPrefix("firelite import: \(folder.file("no/such/folder")): No such file or directory: check that the folder "))
    }

    @Test func theRejectsFileIsNoneThatIsRead() throws {
        let given = try folder.write("given.ndjson", patient(1))
        #expect(try ToolRun("import", "--database", database, given).status == .done)
        let way = folder.path + "/../" + (folder.path as NSString).lastPathComponent + "/given.ndjson"
        for (path, other) in [(given, "PATH…"), (way, "PATH…"), (database, "--rejects")] {
            let run = try ToolRun("import", "--database", database, given, "--rejects", path)
            #expect(run.status == .usage)
            let reason = "which cannot be written to: \(other) names it, or what it is a part of: name another file"
            #expect(run.error.hasSuffix(" is \(path), \(reason)\n"))
        }
        #expect(try folder.read("given.ndjson") == patient(1))
        #expect(try stored() == [patient(1)])
    }

    @Test func stopAlsoKeepsItsLine() throws {
        #expect(try importText("\(patient(1))\n{", "--rejects", folder.file("r")).status == .incomplete)
        #expect(try folder.read("r").contains(#""line":2"#))
    }

    @Test func aLineTooLongIsRejected() throws {
        let path = try folder.write("long.ndjson", "\(patient(1))\n\(patient(2, String(repeating: "x", count: 5_000)))\n\(patient(3))\n{\n")
        for chunk in [10, 100, 4_000, 8_000, 1 << 20] {
            let store = try FHIRStore.inMemory(release: .r4)
            var limits = ImportLimits()
            limits.chunk = chunk
            limits.resource = 1 << 10
            try folder.write("r", "")
            let rejects = NDJSONFile(try .given(folder.file("r")), database: folder.file("test.sqlite"))
            var importer = Importer(
                store: store, options: ContentOptions(release: .r4, stopsAtFault: false, limits: limits), rejects: rejects)
            try importer.run(.file(path: path))
            try rejects.finish()
            #expect(importer.counts == ImportCounts(added: 2, rejected: 2), "pieces of \(chunk) bytes")
            let kept = try folder.read("r").split(separator: "\n")
            #expect(kept[0].contains(#""line":2,"reason":"longer than"#))
            #expect(kept[1].contains(#""line":4,"#))
        }
    }

    @Test func noBytesCrashIt() throws {
        var random = SyntheticRandom(seed: 7)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\n", "\"resourceType\"", "\"Bundle\"", "\"entry\"", "\"Patient\"", "1", "\u{FEFF}",
            "\0", "é",
        ]
        for _ in 0..<(Effort.isNightly ? 300 : 80) {
            var content = Data()
            for _ in 0..<random.number(0...30) { content.append(Data(random.pick(pieces).utf8)) }
            if random.chance(20) { content.append(UInt8(random.number(128...255))) }
            let path = try folder.write("noise", content)
            let store = try FHIRStore.inMemory(release: .r4)
            var importer = Importer(store: store, options: ContentOptions(release: .r4, stopsAtFault: false))
            do { try importer.run(.file(path: path)) } catch let error as TransferError { #expect(error.code == .damaged) }
            #expect(importer.counts.stored == 0, "\(String(decoding: content, as: UTF8.self))")
        }
    }
}

/// A member of a line of a rejects file.
enum JSONValue: Decodable, Equatable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do { self = .number(try container.decode(Int.self)) } catch { self = .text(try container.decode(String.self)) }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
}
