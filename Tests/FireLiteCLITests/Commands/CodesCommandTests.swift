import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `firelite codes`, and what the code systems that it imports are used for.
struct CodesCommandTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("codes.sqlite")
    }

    @Test(arguments: [["list"], ["remove", "http://loinc.org"]]) func aMissingFileIsNamed(_ arguments: [String]) throws {
        let run = try ToolRun(["codes", "--knowledge", file] + arguments)
        #expect(run.status == .failed && run.output.isEmpty)
        let remedy = "make it with `firelite codes --knowledge \(file) add RELEASE`"
        #expect(run.error == "firelite codes: \(file): there is no such file: \(remedy)\n")
        #expect(try folder.names.isEmpty)
    }

    private static let root = 138_875_005

    private static func code(_ number: Int) -> Int { number == 0 ? root : (number + 1_000) * 1_000 + 5 }

    /// Writes a release in the form RF2 whose concept `n` is below concept `n / 2`; returns its folder.
    private func release(_ name: String, _ count: Int) throws -> String {
        let (start, core) = ("\t20250101\t1\t", "900000000000207008")
        let head = "id\teffectiveTime\tactive\tmoduleId\t"
        var concepts = head + "definitionStatusId\n116680003\(start)\(core)\t1\n"
        var names = head + "conceptId\tlanguageCode\ttypeId\tterm\tcaseSignificanceId\n"
        var relations = head + "sourceId\tdestinationId\trelationshipGroup\ttypeId\tcharacteristicTypeId\tmodifierId\n"
        for number in 0..<count {
            let own = Self.code(number)
            concepts += "\(own)\(start)\(core)\t1\n"
            names += "\((number + 1_000) * 1_000 + 11)\(start)\(core)\t\(own)\ten\t900000000000013009\tThing \(number)\t1\n"
            guard number > 0 else { continue }
            relations +=
                "\((number + 1_000) * 1_000 + 21)\(start)\(core)\t\(own)\t\(Self.code(number / 2))\t0\t116680003\t900000000000011006\t1\n"
        }
        let place = folder.file(name) + "/Snapshot/Terminology"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for (kind, text) in [("Concept", concepts), ("Description", names), ("Relationship", relations)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(place)/sct2_\(kind)_Snapshot_INT_20250101.txt"))
        }
        return folder.file(name)
    }

    private func add(_ release: String) throws -> ToolRun { try ToolRun("codes", "--knowledge", file, "add", release) }

    private func hasConcepts(_ count: Int) throws -> Bool {
        try ToolRun("codes", "--knowledge", file, "list", "--json").output.contains(#""concepts":\#(count),"#)
    }

    /// What `$lookup` finds of a concept.
    private func lookup(_ number: Int) throws -> ToolRun {
        let parameters =
            #"{"name":"system","valueUri":"http://snomed.info/sct"},{"name":"code","valueCode":"\#(Self.code(number))"}"#
        let request = try folder.write("request.json", #"{"resourceType":"Parameters","parameter":[\#(parameters)]}"#)
        return try ToolRun("terminology", "lookup", "--release", "R4", "--knowledge", file, "--parameters", request)
    }

    @Test(.enabled(if: ToolRun.hasFullText, "needs SQLite's FTS5")) func aKilledImportLeavesTheFormerVersion() throws {
        let (small, large) = (try release("small", 20), try release("large", 4_000))
        var random = SeededGenerator(seed: 1)
        var killed = 0
        for round in 0..<4 {
            #expect(try add(small).status == .done)
            let process = try ToolProcess.make(["codes", "--knowledge", file, "add", large])
            try process.run()
            // The journal is there while the import writes.
            while process.isRunning, !FileManager.default.fileExists(atPath: file + "-journal") {}
            let moment = DispatchTime.now() + .milliseconds(random.int(0...200))
            while process.isRunning, DispatchTime.now() < moment {}
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            guard process.terminationReason == .uncaughtSignal else { continue }
            killed += 1
            #expect(try hasConcepts(21), "round \(round)")
            #expect(try lookup(19).output.contains("Thing 19"), "round \(round)")
            #expect(try lookup(100).status == .incomplete, "round \(round)")
        }
        #expect(killed > 0)
        #expect(try add(large).status == .done)
        #expect(try hasConcepts(4_001) && lookup(100).output.contains("Thing 100"))
    }

    @Test(.enabled(if: ToolRun.hasFullText, "needs SQLite's FTS5")) func bindingsAreCheckedByImportedCodeSystems() throws {
        #expect(try add(release("release", 20)).status == .done)
        // Concepts 2, 4 and 5 are below 2 or are it; 3 is not.
        let profile = try folder.write(
            "profile.json",
            """
            {"resourceType":"StructureDefinition","url":"http://example.org/p","name":"P","status":"active","kind":"resource","abstract":false,
             "type":"Condition","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Condition","derivation":"constraint",
             "differential":{"element":[{"id":"Condition.code","path":"Condition.code","binding":{"strength":"required",
              "valueSet":"http://snomed.info/sct?fhir_vs=isa/\(Self.code(2))"}}]}}
            """)
        func validate(_ number: Int, _ arguments: [String]) throws -> ToolRun {
            let condition = try folder.write(
                "condition.json",
                """
                {"resourceType":"Condition","id":"c","subject":{"display":"X"},"code":{"coding":[
                 {"system":"http://snomed.info/sct","code":"\(Self.code(number))"}]}}
                """)
            return try ToolRun(["validate", "--release", "R4", "--profile", profile] + arguments + [condition])
        }
        #expect(try validate(5, ["--knowledge", file]).status == .done)
        let wrong = try validate(3, ["--knowledge", file])
        #expect(wrong.status == .incomplete && wrong.output.contains("Condition.code"), "\(wrong.output)")
        // Without the code system, nobody knows: that is no error.
        #expect(try validate(3, []).status == .done)
    }

    @Test(.enabled(if: ToolRun.hasFullText, "needs SQLite's FTS5")) func damagedReleasesAreErrorsWithTheirPlace() throws {
        let release = try release("release", 5)
        let path = release + "/Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20250101.txt"
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        for (change, message) in [
            (String(text.dropLast(40)), "line 5"),
            (text.replacingOccurrences(of: "\t1001005\t0\t", with: "\tx\t0\t"), "'destinationId' is not a number"),
            (text.replacingOccurrences(of: "sourceId", with: "source"), "line 1: the header has no column 'sourceId'"), ("", "line 1"),
        ] {
            try Data(change.utf8).write(to: URL(fileURLWithPath: path))
            let run = try add(release)
            #expect(run.status == .failed && run.error.contains(path) && run.error.contains(message), "\(message): \(run.error)")
        }
        #expect(try !ToolRun("codes", "--knowledge", file, "list", "--json").output.contains("snomed.info"))
    }
}
