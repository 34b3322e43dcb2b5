import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct FHIRPathCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let patient =
        #"{"resourceType":"Patient","id":"1","birthDate":"1970-01-30","active":true,"name":[{"use":"official","given":["A","B"]}]}"#

    @Test func resultsAreLinesOfTypeAndValue() throws {
        let file = try folder.write("p.json", Self.patient)
        func lines(_ expression: String) throws -> [String] {
            let run = try ToolRun("fhirpath", "--input", file, expression)
            #expect(run.status == .done && run.error.isEmpty, "\(run.error)")
            return run.lines
        }
        #expect(try lines("name.given") == [#"{"type":"string","value":"A"}"#, #"{"type":"string","value":"B"}"#])
        #expect(try lines("birthDate") == [#"{"type":"date","value":"@1970-01-30"}"#])
        #expect(try lines("active and false") == [#"{"type":"boolean","value":"false"}"#])
        #expect(try lines("name") == [#"{"type":"HumanName","value":{"use":"official","given":["A","B"]}}"#])
        #expect(try lines("name.period") == [])
        let piped = try ToolRun(["fhirpath", "--input", "-", "id"], input: Data(Self.patient.utf8))
        #expect(piped.output == #"{"type":"id","value":"1"}"# + "\n")
    }

    @Test func expressionsNeedNoInput() throws {
        #expect(try ToolRun("fhirpath", "1 + 1").output == #"{"type":"integer","value":"2"}"# + "\n")
        #expect(try ToolRun("fhirpath", "--", "-1.50").output == #"{"type":"decimal","value":"-1.50"}"# + "\n")
        #expect(try ToolRun("fhirpath", "10 'mg'").output == #"{"type":"Quantity","value":"10 'mg'"}"# + "\n")
        let empty = try ToolRun("fhirpath", "{}")
        #expect(empty.status == .done && empty.output.isEmpty && empty.error.isEmpty)
    }

    @Test func aStoreGivesTheResourceAndWhatItRefersTo() throws {
        let observation = #"{"resourceType":"Observation","id":"o","subject":{"reference":"Patient/1"}}"#
        let database = try ToolDatabase(Self.patient + "\n" + observation)
        #expect(
            try database.run("fhirpath", ["Observation/o", "subject.resolve().name.given.first()"]).lines == [
                #"{"type":"string","value":"A"}"#
            ])
        let missing = try database.run("fhirpath", ["Patient/2", "id"])
        #expect(missing.status == .incomplete && missing.error == "firelite fhirpath: Patient/2 is not in \(database.path)\n")
    }

    @Test func mistakesHaveAPlace() throws {
        let file = try folder.write("p.json", Self.patient)
        for (expression, place) in [
            ("name.", "line 1, column 6: "), ("1 +\n* 2", "line 2, column 1: "), ("Patient.name.givn", "line 1, column 14: "),
            ("name.nothing()", "line 1, column 6: "), ("'a' > 1", "line 1, column 5: "),
        ] {
            let run = try ToolRun("fhirpath", "--input", file, expression)
            #expect(run.status == .incomplete && run.output.isEmpty && run.error.hasPrefix("firelite fhirpath: \(place)"), "\(run.error)")
        }
    }

    /// As with a resource of the type.
    @Test(arguments: [
        ("Patient.nam", "line 1, column 9: Patient has no element 'nam': did you mean 'name'?"),
        ("Patient.name.givn.first()", "line 1, column 14: HumanName has no element 'givn': did you mean 'given'?"),
        ("(1 | Patient.birthDat).count()", "line 1, column 14: Patient has no element 'birthDat': did you mean 'birthDate'?"),
        ("name.wher(use = 'official')", "line 1, column 6: there is no function 'wher': did you mean 'where'?"),
    ])
    func namesAreCheckedWithoutAResource(_ expression: String, _ message: String) throws {
        let run = try ToolRun("fhirpath", expression)
        #expect(run.status == .incomplete && run.output.isEmpty && run.error == "firelite fhirpath: \(message)\n", "\(run.error)")
    }

    @Test func pathsWithoutAResourceHaveNoResults() throws {
        for expression in ["Patient.name.given", "Patient.name.where(use = 'official').given.first()", "FHIR.Patient"] {
            let run = try ToolRun("fhirpath", expression)
            #expect(run.status == .done && run.output.isEmpty && run.error.isEmpty, "\(run.error)")
        }
    }

    @Test(arguments: [
        ("Patinet.name", "'Patinet' is not a type of FHIR R4: did you mean 'Patient'?"),
        ("name.given", "'name' is not a type of FHIR R4, and there is no resource: give --input or Type/id"),
        ("%resourc.id", "there is no variable %resourc: did you mean '%resource'?"),
        ("'a'.ofType(Quantty)", "there is no type Quantty: did you mean 'Quantity'?"),
    ])
    func unknownNamesAreErrors(_ expression: String, _ message: String) throws {
        let run = try ToolRun("fhirpath", expression)
        #expect(run.status == .incomplete && run.output.isEmpty && run.error.hasSuffix("\(message)\n"), "\(run.error)")
    }

    @Test func theTypeThatIsMeantIsSuggested() throws {
        let run = try ToolRun("fhirpath", "--input", folder.write("p.json", Self.patient), "Patinet.id")
        #expect(run.status == .incomplete)
        #expect(run.error.contains("Patient has no element 'Patinet': did you mean 'Patient'?"), "\(run.error)")
    }

    @Test func aMissingExpressionIsSaid() throws {
        let run = try ToolRun("fhirpath", "Patient/p1")
        #expect(run.status == .usage && run.error == "firelite fhirpath: EXPRESSION is missing after Patient/p1\n", "\(run.error)")
    }

    @Test(arguments: [
        [], ["id", "name"], ["--database", "d.sqlite", "id"], ["--input", "a", "--database", "b", "Patient/1", "id"],
        ["--release", "R9", "id"],
    ])
    func wrongUsageIsAnError(_ arguments: [String]) throws {
        let run = try ToolRun(["fhirpath"] + arguments)
        #expect(run.status == .usage && run.output.isEmpty)
    }

    // MARK: - HL7's suite

    private struct Case: Decodable {
        struct Output: Decodable {
            let type: String?
            let value: String?
        }

        let name: String
        let input: String?
        let predicate: Bool?
        let mode: String?
        let invalid: String?
        let expression: String
        let outputs: [Output]
    }

    private struct Line: Decodable {
        let type: String
        let value: String?
    }

    /// Cases that fail, by release: an extension that the input does not have, a concept map that nobody gave, and a mode that the command does
    /// not have, in which `valueString` is another name of `value`.
    private static let known: [String: Set<String>] = [
        "R4": ["testFHIRPathIsFunction8", "testFHIRPathIsFunction9", "testFHIRPathIsFunction10"],
        "R5": ["testPolymorphicsD", "txTest03"],
    ]

    @Test(
        .enabled(if: SharedArchive.suites != nil, "the archive suites.tar.xz is not beside the package, in ../shared/data"),
        arguments: ["R4", "R5"])
    func openCasesOfTheSuitePass(_ release: String) throws {
        try SharedArchive.suites?.unpack(into: folder.path)
        let suite = try #require(SharedArchive.files(in: folder.path) { $0.hasSuffix("fhirpath/\(release).ndjson") }.first)
        let inputs = String(suite.dropLast("\(release).ndjson".count)) + "inputs-\(release)/"
        var failures: Set<String> = []
        var notes: [String] = []
        let cases = try Data(contentsOf: URL(fileURLWithPath: suite)).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Case.self, from: $0)
        }
        #expect(cases.count >= 480)
        // FireLiteFHIRPathTests have every case of R4 every day.
        let chosen = Effort.sample(cases, 60)
        for test in chosen {
            let run = try ToolRun(
                ["fhirpath", "--release", release] + (test.input.map { ["--input", inputs + $0] } ?? []) + ["--", test.expression])
            if let fault = try fault(of: run, test) {
                failures.insert(test.name)
                notes.append("\(test.name) (\(test.mode ?? "")): \(test.expression): \(fault)")
            }
        }
        let known = Self.known[release]?.intersection(chosen.map(\.name))
        #expect(failures == known, "\(notes.joined(separator: "\n"))")
    }

    private func fault(of run: ToolRun, _ test: Case) throws -> String? {
        if test.invalid != nil {
            return run.status == .incomplete && run.output.isEmpty && !run.error.isEmpty ? nil : "no error: \(run.output)"
        }
        guard run.status == .done, run.error.isEmpty else { return run.error }
        var lines = try run.lines.map { line in
            do {
                return try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            } catch DecodingError.typeMismatch {
                return Line(type: "object", value: nil)
            }
        }
        if test.predicate == true { lines = [Line(type: "boolean", value: lines.isEmpty ? "false" : "true")] }
        guard lines.count == test.outputs.count else { return "\(lines.count) results" }
        for (line, output) in zip(lines, test.outputs) {
            if let type = output.type, type != line.type { return "the type \(line.type)" }
            if let value = output.value, value != line.value { return "\(line.value ?? "null")" }
        }
        return nil
    }
}
