import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// A killed import leaves a journal. Readers see the state before it and change no file; the next writer rolls it back.
@Suite struct KilledImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func package(_ name: String, definitions: Int) throws -> String {
        let path = folder.file("packages-\(name)")
        try FileManager.default.createDirectory(atPath: path + "/package", withIntermediateDirectories: true)
        func write(_ file: String, _ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/package/\(file)")) }
        try write("package.json", #"{"name":"\#(name)","version":"1.0.0","fhirVersions":["5.0.0"]}"#)
        for number in 0..<definitions {
            let text = #"{"resourceType":"CodeSystem","url":"http://a.org/\#(name)/\#(number)","status":"active","content":"not-present"}"#
            try write("CodeSystem-\(number).json", text)
        }
        return path
    }

    /// The bytes of a database and its journal in the midst of a transaction that has written to the file.
    private func interrupted(_ path: String, _ sql: [String]) throws -> (database: Data, journal: Data) {
        let connection = try Connection(path: path, createsFile: false)
        // A small cache is written to the file before the commit.
        try connection.run("PRAGMA cache_size = 5")
        try connection.run("BEGIN IMMEDIATE")
        for one in sql { try connection.run(one) }
        let database = try Data(contentsOf: URL(fileURLWithPath: path))
        let journal = try Data(contentsOf: URL(fileURLWithPath: path + "-journal"))
        try connection.run("ROLLBACK")
        return (database, journal)
    }

    /// The files of a database.
    private func state(_ path: String) throws -> [String: Data] {
        let url = URL(fileURLWithPath: path)
        let place = url.deletingLastPathComponent()
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: place.path) where name.hasPrefix(url.lastPathComponent) {
            files[name] = try Data(contentsOf: place.appendingPathComponent(name))
        }
        return files
    }

    private static let filling =
        "INSERT INTO definition(package, type, text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT 1, 'X', hex(zeroblob(300)) FROM n"

    @Test func readersSeeThePackagesBeforeAndWriteNothing() throws {
        let path = folder.file("guides.sqlite")
        try KnowledgeFile(path: path).addPackage(at: try package("first", definitions: 20))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let (database, journal) = try interrupted(path, ["DELETE FROM package", "UPDATE definition SET url = 'gone'", Self.filling])
        try #require(database != whole && !journal.isEmpty)
        let place = folder.file("shared")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let shared = place + "/guides.sqlite"
        try database.write(to: URL(fileURLWithPath: shared))
        try journal.write(to: URL(fileURLWithPath: shared + "-journal"))
        let before = try state(shared)

        let reader = try KnowledgeFile(path: shared, isReadOnly: true)
        let knowledge = Knowledge(release: TerminologyExamples.release)
        try knowledge.addKnowledge(at: shared)
        #expect(try reader.packages().map(\.name) == ["first"])
        let definitions = knowledge.definitions(ofType: "CodeSystem").filter { $0.url?.hasPrefix("http://a.org/first/") == true }
        #expect(definitions.count == 20 && definitions.allSatisfy { $0.json["content"]?.text == "not-present" })
        #expect(throws: KnowledgeError.self) { try reader.removePackage(named: "first") }
        #expect(try state(shared) == before)

        // The next writer rolls back, and readers go on with the file.
        try KnowledgeFile(path: shared).addPackage(at: try package("second", definitions: 3))
        #expect(try reader.packages().map(\.name) == ["first", "second"])
        #expect(try state(shared).keys.sorted() == ["guides.sqlite"])
    }

    @Test func anImportThatWasKilledAtTheBeginningIsOneBeforeTheFirstPackage() throws {
        let path = folder.file("guides.sqlite")
        _ = try KnowledgeFile(path: path)
        let (database, journal) = try interrupted(path, ["INSERT INTO package VALUES (1, 'a', '1', '{}')", Self.filling])
        try database.write(to: URL(fileURLWithPath: path))
        try journal.write(to: URL(fileURLWithPath: path + "-journal"))
        #expect(try KnowledgeFile(path: path, isReadOnly: true).packages().isEmpty)
        #expect(try CodeSystemFile(path: path).systems().isEmpty)
        #expect(FileManager.default.fileExists(atPath: path + "-journal"))
    }

    @Test func aTerminologyInUseAnswersFromTheStateBefore() throws {
        let path = folder.file("codes.sqlite")
        let example = SnomedExamples.random(5, count: 60)
        let terminology = try example.terminology(folder)
        func relations() throws -> [CodeRelation] {
            try (1..<20).map { number in
                try terminology.relation(of: "\(SnomedExamples.code(number / 2))", to: "\(SnomedExamples.code(number))", in: SnomedCode.url)
            }
        }
        let expected = try relations()
        let (database, journal) = try interrupted(
            path, ["DELETE FROM code_above", "UPDATE code_concept SET code = 'gone' || _k", Self.filling])
        // In place, as the terminology has the file open.
        try database.write(to: URL(fileURLWithPath: path))
        try journal.write(to: URL(fileURLWithPath: path + "-journal"))
        let before = try state(path)
        #expect(try relations() == expected)
        #expect(try CodeSystemFile(path: path).systems().count == 1)
        #expect(try state(path) == before)
        // The same version again, with a concept more: the import rolls back first, and the terminology goes over to its result.
        var larger = example
        larger.parents[60] = [1]
        try CodeSystemFile(path: path).add([larger.write(folder, "larger")])
        #expect(try terminology.lookup(TerminologyCode("\(SnomedExamples.code(60))", system: SnomedCode.url)).display == "Thing 60")
        #expect(try relations() == expected)
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    }
}
