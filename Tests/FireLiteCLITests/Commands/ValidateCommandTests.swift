import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct ValidateCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let good = #"{"resourceType":"Patient","id":"1","gender":"male"}"#
    private static let bad = #"{"resourceType":"Observation","id":"o","status":"SECRET"}"#
    private static let broken = #"{"resourceType":"Patient","birthDate":"SECRET"}"#

    private func outcome(_ run: ToolRun) throws -> OperationOutcome {
        try FHIRJSON.decode(OperationOutcome.self, from: Data(run.output.utf8))
    }

    @Test func validResourcesAreReported() throws {
        let run = try ToolRun("validate", try folder.write("good.ndjson", Self.good))
        #expect(run.status == .done && run.error.isEmpty)
        let outcome = try outcome(run)
        #expect(outcome.issue.map(\.severity) == [.information])
        #expect(outcome.issue.first?.diagnostics == "no issues in 1 resource")
        #expect(outcome.validate().isEmpty)
    }

    @Test func quietlyOnlyTheStatusTells() throws {
        let run = try ToolRun("validate", "--quiet", try folder.write("bad.ndjson", Self.bad))
        #expect(run.status == .incomplete && run.output.isEmpty && run.error.isEmpty, "\(run.error)")
    }

    @Test func aDatabaseIsNoFileOfResources() throws {
        let database = folder.file("health.sqlite")
        #expect(try ToolRun("import", "--database", database, folder.write("good.ndjson", Self.good)).status == .done)
        let run = try ToolRun("validate", database)
        #expect(run.status == .usage && run.error.contains("--database \(database)"), "\(run.error)")
    }

    @Test(arguments: ["", "  \n", "[]"]) func nothingDoesNotPass(_ text: String) throws {
        let run = try ToolRun("validate", try folder.write("nothing.json", text))
        #expect(run.status == .incomplete && !run.error.isEmpty, "\(run.error)")
    }

    @Test func aFolderStandsForItsFiles() throws {
        try FileManager.default.createDirectory(atPath: folder.file("a/b"), withIntermediateDirectories: true)
        try folder.write("a/good.ndjson", Self.good)
        try folder.write("a/b/bad.json", Self.bad)
        try folder.write("a/notes.txt", "{")
        let run = try ToolRun("validate", folder.file("a"))
        #expect(run.status == .incomplete && run.error == "firelite validate: 2 errors in 2 resources\n", "\(run.error)")
        try FileManager.default.createDirectory(atPath: folder.file("empty"), withIntermediateDirectories: false)
        #expect(try ToolRun("validate", folder.file("empty")).status == .incomplete)
    }

    @Test func issuesHaveTheLinesOfTheirElements() throws {
        let path = try folder.write(
            "lines.json",
            """
            {
              "resourceType": "Patient",
              "name": [
                { "family": "a, \\"b\\" }" },
                {
                  "given": ["b", "c"],
                  "use": "SECRET"
                }
              ],
              "birthDate": "2000",
              "_birthDate": {
                "extension": [
                  { "url": "x", "valueString": "a" }
                ]
              }
            }
            """)
        let issues = try outcome(try ToolRun("validate", path)).issue
        let lines = Dictionary(issues.map { ($0.expression.first ?? "", $0.diagnostics ?? "") }) { first, _ in first }
        #expect(lines["Patient.name[1].use"]?.hasPrefix("\(path): line 7: ") == true)
        #expect(lines["Patient.birthDate.extension[0].url"]?.hasPrefix("\(path): line 13: ") == true)
    }

    @Test func errorsAreIssuesWithPlaces() throws {
        let path = try folder.write("in.ndjson", [Self.good, Self.bad, Self.broken].joined(separator: "\n"))
        let run = try ToolRun("validate", path)
        #expect(run.status == .incomplete)
        #expect(run.error == "firelite validate: 3 errors in 3 resources\n")
        #expect(!run.output.contains("SECRET"))
        let outcome = try outcome(run)
        #expect(outcome.validate().isEmpty)
        let issues = Dictionary(uniqueKeysWithValues: outcome.issue.map { ($0.expression.first ?? "", $0) })
        #expect(issues["Observation.status"]?.code == .codeInvalid)
        #expect(issues["Observation.status"]?.diagnostics?.hasPrefix("\(path): line 2: ") == true)
        #expect(issues["Observation.code"]?.code == .required)
        #expect(
            issues["Patient.birthDate"]?.diagnostics?.hasPrefix("\(path): line 3, column 39: expected a date of the form YYYY") == true)
        #expect(run.lines.count == 1)
        let cells = try ToolRun("validate", path, "--format", "csv").output.components(separatedBy: "\r\n")
        #expect(cells.contains { $0.contains("line 3, column 39\",Patient.birthDate,error,\"expected a date") }, "\(cells)")
        let table = try ToolRun("validate", path, "--format", "table")
        #expect(table.status == .incomplete && table.lines.count == 4)
        #expect(table.lines[0].hasPrefix("where"))
        #expect(try ToolRun(["validate", path], isTerminal: true).output == table.output)
    }

    @Test func aStoreIsChecked() throws {
        let database = folder.file("store.sqlite")
        let path = try folder.write("in.ndjson", [Self.good, Self.bad].joined(separator: "\n"))
        #expect(try ToolRun("import", "--database", database, path).status == .done)
        let run = try ToolRun("validate", "--database", database)
        #expect(run.status == .incomplete)
        #expect(try outcome(run).issue.allSatisfy { $0.diagnostics?.hasPrefix("Observation/o: ") == true })
        #expect(try outcome(run).issue.count == 2)
        #expect(try ToolRun("validate", "--database", database, "--type", "Patient").status == .done)
    }

    @Test func warningsAreNoErrors() throws {
        // A required binding of a CodeableConcept that has text alone.
        let text = #"{"resourceType":"AllergyIntolerance","patient":{"display":"x"},"clinicalStatus":{"text":"active"}}"#
        let run = try ToolRun("validate", try folder.write("warned.json", text))
        #expect(run.status == .done && run.error.isEmpty)
        #expect(try outcome(run).issue.map(\.severity) == [.warning])
    }

    @Test func constraintsAreIssuesWithTheirKeys() throws {
        let patient = #"{"resourceType":"Patient","contact":[{"name":{"family":"SECRET"}},{"gender":"male"}]}"#
        let run = try ToolRun("validate", try folder.write("p.json", patient))
        #expect(run.status == .incomplete && !run.output.contains("SECRET"))
        let issues = try outcome(run).issue
        #expect(issues.map(\.expression) == [["Patient.contact[1]"]] && issues.map(\.code) == [.invariant])
        #expect(issues[0].diagnostics?.contains("breaks the constraint pat-1: name.exists()") == true)
        #expect(try ToolRun("import", "--database", folder.file("d.sqlite"), folder.file("p.json")).status == .done)
    }

    @Test(arguments: [
        [], ["--type", "Patient", "x"], ["--json", "--format", "table", "x"], ["-", "-"], ["--database", "d", "x"],
        ["--type", "Human", "--database", "d"],
    ])
    func wrongUsageIsAnError(_ arguments: [String]) throws {
        let run = try ToolRun(["validate"] + arguments)
        #expect(run.status == .usage && run.output.isEmpty)
    }

    @Test func aBundleIsOneResource() throws {
        let bundle = #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":\#(Self.good)},{"resource":\#(Self.bad)}]}"#
        let run = try ToolRun("validate", try folder.write("b.json", bundle))
        #expect(try outcome(run).issue.flatMap(\.expression).contains("Bundle.entry[1].resource.status"))
    }

    /// The issues of a file are those of one core, in the order of the lines.
    @Test func severalCoresFindTheSameIssues() throws {
        var random = SeededGenerator(seed: 4)
        let lines = (0..<400).map { _ in [Self.good, Self.bad, Self.broken, "{", ""].randomElement(using: &random) ?? "" }
        let path = try folder.write("in.ndjson", lines.joined(separator: "\n"))
        let one = try ToolRun(["validate", path, "--format", "csv"], environment: ["FIRELITE_CORES": "1"])
        let places = one.output.split(separator: "\r\n").dropFirst().compactMap { $0.split(separator: ",").first }
        #expect(one.status == .incomplete && places.count > 150)
        for cores in ["2", "7", ""] {
            let many = try ToolRun(["validate", path, "--format", "csv"], environment: ["FIRELITE_CORES": cores])
            #expect(many.output == one.output && many.error == one.error && many.status == one.status)
        }
        #expect(try ToolRun("import", "--database", folder.file("d.sqlite"), "--on-error", "skip", path).status == .incomplete)
        let stored = try ["1", "3"].map {
            try ToolRun(["validate", "--database", folder.file("d.sqlite"), "--format", "csv"], environment: ["FIRELITE_CORES": $0]).output
        }
        #expect(stored[0] == stored[1] && stored[0].contains("Observation/o"))
    }

    /// A file that gzip has packed, without its last quarter.
    private func cutFile(_ lines: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", try folder.write("cut.ndjson", lines.joined(separator: "\n"))]
        try process.run()
        process.waitUntilExit()
        let path = folder.file("cut.ndjson.gz")
        let packed = try Data(contentsOf: URL(fileURLWithPath: path))
        try packed.prefix(packed.count * 3 / 4).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A file that ends too soon, or is none, ends the command after the issues of what came before, however many cores there are.
    @Test func issuesBeforeAFileThatCannotBeReadArePrinted() throws {
        let files = try (0..<40).map { try folder.write("\($0).ndjson", [Self.bad, Self.good].joined(separator: "\n")) }
        // Some megabytes when packed, of which a reader gets one at a time.
        var random = SeededGenerator(seed: 6)
        let lines = (0..<6_000).map { number in
            let text = (0..<80).map { _ in String(random.next(), radix: 36) }.joined()
            return #"{"resourceType":"Observation","id":"o\#(number)","note":[{"text":"\#(text)"}],"status":"SECRET"}"#
        }
        let cut = try cutFile(lines)
        let database = folder.file("d.sqlite")
        #expect(try ToolRun("import", "--database", database, folder.write("good.ndjson", Self.good)).status == .done)
        for last in [cut, database] {
            let runs = try ["1", "2", "6"].map {
                try ToolRun(["validate", "--format", "csv"] + files + [last], environment: ["FIRELITE_CORES": $0])
            }
            #expect(runs[0].status != .done && runs[0].error.split(separator: "\n").count == 1 && !runs[0].error.contains("SECRET"))
            // Output is written in large pieces, of which the last is lost.
            #expect(runs[0].output.isEmpty == (last == database))
            for run in runs { #expect(run.output == runs[0].output && run.error == runs[0].error && run.status == runs[0].status) }
        }
    }

    @Test(arguments: ["0", "-1", "two", "1.5"]) func aWrongNumberOfCoresIsAnError(_ cores: String) throws {
        let run = try ToolRun(["validate", try folder.write("good.ndjson", Self.good)], environment: ["FIRELITE_CORES": cores])
        #expect(run.status == .usage && run.error.contains("FIRELITE_CORES") && run.output.isEmpty, "\(run.error)")
    }
}
