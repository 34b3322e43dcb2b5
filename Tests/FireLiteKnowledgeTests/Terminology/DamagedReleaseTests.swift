import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// A release that its owner did not ship like this is refused with the file and line, and leaves nothing behind.
@Suite struct DamagedReleaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a file below a folder of the release.
    private func write(_ path: String, _ data: Data) throws {
        let url = URL(fileURLWithPath: folder.file(path))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    /// The message with which a release is refused; a file is not made for it.
    private func refusal(_ release: String) -> String {
        let path = folder.file("new.sqlite")
        let error = #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: path).add([folder.file(release)]) }
        #expect(error?.code == .content)
        for ending in ["", "-journal", "-wal"] { #expect(!FileManager.default.fileExists(atPath: path + ending), "\(ending)") }
        return error?.message ?? ""
    }

    // MARK: - LOINC

    private static let head = "\"LOINC_NUM\",\"COMPONENT\",\"STATUS\",\"LONG_COMMON_NAME\",\"VersionLastChanged\"\r\n"

    private func loinc(_ rows: [String], hierarchy: [String] = [], encoding: String.Encoding = .utf8) throws -> String {
        let name = UUID().uuidString
        let text = Self.head + rows.map { $0 + "\r\n" }.joined()
        try write("\(name)/LoincTable/Loinc.csv", try #require(text.data(using: encoding)))
        if !hierarchy.isEmpty {
            let lines = ["PATH_TO_ROOT,SEQUENCE,IMMEDIATE_PARENT,CODE,CODE_TEXT"] + hierarchy
            try write(
                "\(name)/AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv", Data(lines.joined(separator: "\n").utf8)
            )
        }
        return name
    }

    private static func row(_ code: String, _ name: String) -> String { "\"\(code)\",\"C\",\"ACTIVE\",\"\(name)\",\"2.80\"" }

    @Test func codesOfLoincAreNotRepeated() throws {
        let rows = [Self.row("1-8", "one"), Self.row("2-6", "two\nlines"), Self.row("1-8", "other")]
        let message = refusal(try loinc(rows))
        #expect(message.contains("Loinc.csv, line 5") && message.contains("line 2") && message.contains("1-8"), "\(message)")
        let empty = refusal(try loinc([Self.row("1-8", "one"), Self.row("", "two")]))
        #expect(empty.contains("line 3") && empty.contains("no code"), "\(empty)")
    }

    @Test func aCycleOfLoincHasTheLineOfTheHierarchy() throws {
        let message = refusal(
            try loinc([Self.row("1-8", "one"), Self.row("2-6", "two")], hierarchy: [",1,,LP1-0,top", ",1,2-6,1-8,x", ",1,1-8,2-6,y"]))
        #expect(message.contains("ComponentHierarchyBySystem.csv, line ") && message.contains("above itself"), "\(message)")
        #expect(message.contains("line 3") || message.contains("line 4"))
        let own = refusal(try loinc([Self.row("1-8", "one")], hierarchy: [",1,1-8,1-8,x"]))
        #expect(own.contains("line 2") && own.contains("above itself"))
        let unknown = refusal(try loinc([Self.row("1-8", "one")], hierarchy: [",1,9-9,1-8,x"]))
        #expect(unknown.contains("line 2") && unknown.contains("9-9"))
    }

    @Test func textsAreUTF8() throws {
        let rows = [Self.row("1-8", "one"), Self.row("2-6", "Ménière")]
        let latin = refusal(try loinc(rows, encoding: .isoLatin1))
        #expect(latin.contains("line 3") && latin.contains("not in UTF-8"), "\(latin)")
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian] {
            #expect(refusal(try loinc(rows, encoding: encoding)).contains("UTF-16"), "\(encoding)")
        }
        let nul = refusal(try loinc([Self.row("1-8", "o\0ne")]))
        #expect(nul.contains("line 2") && nul.contains("NUL"), "\(nul)")
        #expect(try CodeSystemFile(path: folder.file("good.sqlite")).add([folder.file(try loinc(rows))]).conceptCount == 2)
    }

    /// A row is taken if and only if Foundation takes its bytes for UTF-8 and none of them is NUL.
    @Test func randomBytesAreTakenIfTheyAreText() throws {
        var random = SeededGenerator(seed: 11)
        var counts = (taken: 0, refused: 0)
        for round in 0..<2_000 {
            var bytes = Array("plain text, long enough for whole words".utf8.prefix(random.int(0...39)))
            for _ in 0..<random.int(0...2) {
                let pieces: [[UInt8]] = [
                    [0], [0x7F], [0x80], [0xC3, 0xA9], [0xC3], [0xE9], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98, 0x80], [0xC0, 0x80], [0xFF],
                    [1],
                ]
                bytes.insert(contentsOf: pieces[random.int(0...pieces.count - 1)], at: random.int(0...bytes.count))
            }
            bytes.removeAll { $0 == 9 || $0 == 10 || $0 == 13 }
            // A mark of UTF-16 or UTF-8 at the beginning of a file is another thing.
            let path = try folder.write("row.txt", Data("x".utf8 + bytes))
            let isText = String(data: Data(bytes), encoding: .utf8) != nil && !bytes.contains(0)
            var rows = 0
            let outcome = Result { try DelimitedFile(path, .tabs, hasHeader: false).visit { _ in rows += 1 } }
            switch outcome {
            case .success: #expect(isText && rows == 1, "round \(round)")
            case .failure: #expect(!isText, "round \(round)")
            }
            if isText { counts.taken += 1 } else { counts.refused += 1 }
        }
        #expect(counts.taken > 300 && counts.refused > 300, "\(counts)")
    }

    // MARK: - ICD and RxNorm

    private static func line(_ code: String, _ name: String) -> String {
        "00001 \(code.padding(toLength: 7, withPad: " ", startingAt: 0)) 1 \(name.padding(toLength: 60, withPad: " ", startingAt: 0)) \(name)"
    }

    @Test func codesOfOrderFilesAreNotRepeated() throws {
        let lines = [Self.line("A00", "Cholera"), Self.line("A000", "Cholera due to X"), Self.line("A00", "Other")]
        try write("icd10cm_order_2025.txt", Data(lines.joined(separator: "\n").utf8))
        let message = refusal("icd10cm_order_2025.txt")
        #expect(message.contains("line 3") && message.contains("line 1"), "\(message)")
        try write("icd10cm_order_2025.txt", Data(Self.line("", "Nothing").utf8))
        #expect(refusal("icd10cm_order_2025.txt").contains("line 1"))
    }

    private static func conso(_ code: String, _ term: String) -> String {
        "\(code)|ENG|||||1|\(term)|||\(code)|RXNORM|IN|\(code)|\(term)||N||\n"
    }

    @Test(arguments: ["isa", "has_ingredient"]) func relationsOfRxNormAreAboutItsConcepts(_ relation: String) throws {
        try write("rx/RXNCONSO.RRF", Data((Self.conso("161", "a") + Self.conso("2", "b")).utf8))
        func row(_ target: String, _ source: String) -> String { "\(target)||CUI|RN|\(source)||CUI|\(relation)|||RXNORM||||||\n" }
        for (target, source, unknown) in [("161", "999", "999"), ("888", "2", "888")] {
            try write("rx/RXNREL.RRF", Data((row("161", "2") + row(target, source)).utf8))
            let message = refusal("rx")
            #expect(message.contains("RXNREL.RRF, line 2") && message.contains(unknown), "\(message)")
        }
        try write("rx/RXNREL.RRF", Data(row("161", "2").utf8))
        #expect(try CodeSystemFile(path: folder.file("good.sqlite")).add([folder.file("rx")]).conceptCount == 2)
    }

    @Test func atomsOfRxNormAreNotRepeated() throws {
        try write("atoms/RXNCONSO.RRF", Data((Self.conso("161", "a") + Self.conso("2", "b") + Self.conso("3", "a")).utf8))
        let message = refusal("atoms")
        #expect(message.contains("RXNCONSO.RRF, line 3") && message.contains("line 1,"), "\(message)")
    }

    // MARK: - RF2

    @Test(arguments: [("Concept", "concepts"), ("Description", "names"), ("Relationship", "relations")])
    func aSnapshotHasOneRowOfEach(_ kind: String, _ name: String) throws {
        var example = SnomedExamples()
        for number in 1...3 { example.parents[number] = [number - 1] }
        let release = try example.write(folder, name)
        let files = try FileManager.default.contentsOfDirectory(atPath: release + "/Snapshot/Terminology")
        let file = release + "/Snapshot/Terminology/" + (try #require(files.first { $0.hasPrefix("sct2_\(kind)_Snapshot") }))
        var lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\r\n").filter { !$0.isEmpty }
        lines.append(lines[2])
        try Data(lines.joined(separator: "\r\n").utf8).write(to: URL(fileURLWithPath: file))
        let message = refusal(name)
        #expect(message.contains("line \(lines.count)") && message.contains("line 3,"), "\(message)")
    }

    /// A small release with members of a reference set and concrete values.
    private func members(_ name: String, _ change: (inout SnomedExamples) -> Void = { _ in }) throws -> (
        example: SnomedExamples, path: String
    ) {
        var example = SnomedExamples()
        for number in 1...8 { example.parents[number] = [number - 1] }
        example.members[1] = [4, 5, 6]
        example.strengths = [4: 10, 5: 20, 6: 30]
        change(&example)
        return (example, try example.write(folder, name))
    }

    /// The file of a release whose name contains a text, with its lines.
    private func file(_ release: String, _ part: String) throws -> (path: String, lines: [String]) {
        let walk = try #require(FileManager.default.enumerator(atPath: release))
        let name = try #require(walk.compactMap { $0 as? String }.first { $0.hasSuffix(".txt") && $0.contains(part) })
        let text = try String(contentsOfFile: "\(release)/\(name)", encoding: .utf8)
        return ("\(release)/\(name)", text.components(separatedBy: "\r\n").filter { !$0.isEmpty })
    }

    private func write(_ lines: [String], to path: String) throws {
        try Data((lines.joined(separator: "\r\n") + "\r\n").utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test(arguments: ["LanguageSnapshot", "SimpleSnapshot", "RelationshipConcreteValues"], [false, true])
    func aSnapshotHasOneRowOfEachMember(_ part: String, _ hasUUIDs: Bool) throws {
        let release = try members("\(part)\(hasUUIDs)").path
        let (path, given) = try file(release, part)
        var lines = given
        if hasUUIDs, !part.hasPrefix("Relationship") {
            lines = try lines.enumerated().map { number, line in
                if number == 0 { return line }
                let rest = try #require(line.firstIndex(of: "\t"))
                return String(format: "%08x-0000-4000-8000-00000000000a", number) + line[rest...]
            }
            try write(lines, to: path)
            #expect(try CodeSystemFile(path: folder.file("\(part).sqlite")).add([release]).conceptCount == 10)
        }
        // Letters of either case are the same UUID.
        lines.append(hasUUIDs ? lines[2].replacing("00a\t", with: "00A\t") : lines[2])
        try write(lines, to: path)
        let message = refusal("\(part)\(hasUUIDs)")
        #expect(message.contains("line \(lines.count)") && message.contains("line 3,"), "\(message)")
    }

    private func members(of refset: Int, in path: String) throws -> [String] {
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        return try terminology.expand("http://snomed.info/sct?fhir_vs=refset/\(SnomedExamples.code(refset))").codes.map(\.code).sorted()
    }

    /// An extension that ends a member of its edition, with a later date and an earlier one, in any order of the folders.
    @Test(arguments: [true, false], [true, false]) func theLatestRowOfAMemberCounts(_ isLater: Bool, _ comesFirst: Bool) throws {
        let edition = try members("edition-\(isLater)\(comesFirst)")
        let more = try members("more-\(isLater)\(comesFirst)").path
        let (path, lines) = try file(more, "SimpleSnapshot")
        try write(
            lines.enumerated().map { number, line in
                var fields = line.components(separatedBy: "\t")
                if number > 0, fields[5] == "\(SnomedExamples.code(5))" {
                    (fields[1], fields[2]) = (isLater ? "20260101" : "20200101", "0")
                }
                return fields.joined(separator: "\t")
            }, to: path)
        let database = folder.file("k-\(isLater)\(comesFirst).sqlite")
        try CodeSystemFile(path: database).add(comesFirst ? [more, edition.path] : [edition.path, more])
        let expected = (isLater ? [4, 6] : [4, 5, 6]).map { "\(SnomedExamples.code($0))" }
        #expect(try members(of: 1, in: database) == expected)
    }

    /// A full release has former states of rows before and after the current one, and means what the snapshot means.
    @Test func ofAFullReleaseTheLatestRowsCount() throws {
        let (example, snapshot) = try members("snapshot")
        let full = try members("full").path
        let walk = try #require(FileManager.default.enumerator(atPath: full))
        let names = walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".txt") }
        for name in names {
            let (path, lines) = try file(full, name)
            let former = lines.dropFirst().map { line in
                var fields = line.components(separatedBy: "\t")
                (fields[1], fields[2]) = ("20100101", fields[2] == "1" ? "0" : "1")
                return fields.joined(separator: "\t")
            }
            let half = former.count / 2
            var all = [lines[0]]
            all += former[..<half]
            all += lines.dropFirst()
            all += former[half...]
            let place = path.replacing("Snapshot", with: "Full")
            let parent = URL(fileURLWithPath: place).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try write(all, to: place)
        }
        try FileManager.default.removeItem(atPath: full + "/Snapshot")
        var answers: [[String]] = []
        for (number, release) in [snapshot, full].enumerated() {
            let path = folder.file("full\(number).sqlite")
            let system = try CodeSystemFile(path: path).add([release])
            var terminology = Terminology(release: TerminologyExamples.release)
            try terminology.addCodeSystems(at: path)
            let below = try terminology.expand("http://snomed.info/sct?fhir_vs=isa/\(SnomedExamples.code(2))").codes.map(\.code)
            let strong = try terminology.expand("http://snomed.info/sct?fhir_vs=ecl/*: \(SnomedExamples.code(3)) > #10").codes.map(\.code)
            answers.append([system.version, "\(system.conceptCount)"] + below + strong + (try members(of: 1, in: path)))
        }
        #expect(answers[0] == answers[1] && answers[0].count == 2 + example.below(2).count + 1 + 2 + 3, "\(answers)")
        // Two rows of one date are none of a release.
        let (path, lines) = try file(full, "Concept_Full")
        let current = try #require(lines.last { $0.contains("\t\(example.date)\t") })
        try write(lines + [current], to: path)
        #expect(refusal("full").contains("line \(lines.count + 1)"))
    }

    @Test func anExtensionMayHaveRowsOfItsEdition() throws {
        var example = SnomedExamples()
        for number in 1...3 { example.parents[number] = [number - 1] }
        let edition = try example.write(folder, "edition")
        example.parents[4] = [3]
        let more = try example.write(folder, "more")
        let system = try CodeSystemFile(path: folder.file("k.sqlite")).add([edition, more])
        #expect(system.conceptCount == 6)
    }

    // MARK: - Failures

    @Test func anImportThatFailsKeepsAFileThatWasThere() throws {
        let path = folder.file("k.sqlite")
        let good = try loinc([Self.row("1-8", "one")])
        try CodeSystemFile(path: path).add([folder.file(good)])
        let bad = try loinc([Self.row("1-8", "one"), Self.row("1-8", "one")])
        #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: path).add([folder.file(bad)]) }
        #expect(try CodeSystemFile(path: path).systems().map(\.conceptCount) == [1])
        // An empty file of packages was somebody's, too.
        let empty = folder.file("empty.sqlite")
        _ = try KnowledgeFile(path: empty)
        #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: empty).add([folder.file(bad)]) }
        #expect(try KnowledgeFile(path: empty, isReadOnly: true).packages().isEmpty)
    }

    @Test func aCodeSystemWithAnEmptyCodeIsRefused() throws {
        var terminology = Terminology(release: TerminologyExamples.release)
        let text = """
            {"resourceType":"CodeSystem","url":"http://a.org/s","status":"active","content":"complete",
             "concept":[{"code":"a","concept":[{"code":""}]}]}
            """
        try terminology.add(contentsOf: Data(text.utf8))
        let error = #expect(throws: TerminologyError.self) { try terminology.lookup(TerminologyCode("a", system: "http://a.org/s")) }
        #expect(error?.code == .definition && error?.message.contains("empty code") == true)
    }
}
