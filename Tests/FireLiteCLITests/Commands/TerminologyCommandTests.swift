import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct TerminologyCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let system =
        #"{"resourceType":"CodeSystem","id":"c","url":"http://example.org/c","status":"active","content":"complete","concept":[{"code":"a","display":"A"}]}"#
    private static let valueSet =
        #"{"resourceType":"ValueSet","id":"v","url":"http://example.org/v","status":"active","compose":{"include":[{"system":"http://example.org/c"}]}}"#

    private func request(_ parameters: String) throws -> String {
        try folder.write("request.json", #"{"resourceType":"Parameters","parameter":[\#(parameters)]}"#)
    }

    @Test func answersAreResources() throws {
        let system = try folder.write("c.json", Self.system)
        let valueSet = try folder.write("v.json", Self.valueSet)
        let request = try request(#"{"name":"url","valueUri":"http://example.org/v"}"#)
        let run = try ToolRun(
            "terminology", "expand", "--release", "R5", "--parameters", request, "--resource", system, "--resource", valueSet)
        #expect(run.status == .done && run.error.isEmpty, "\(run.error)")
        #expect(run.output.contains(#""contains":[{"system":"http://example.org/c","code":"a","display":"A"}]"#), "\(run.output)")
    }

    @Test func aQuestionWithoutAnAnswerHasAnOutcomeAndStatusOne() throws {
        let request = try request(#"{"name":"url","valueUri":"http://example.org/none"}"#)
        let run = try ToolRun("terminology", "expand", "--release", "R5", "--parameters", request)
        #expect(run.status == .incomplete && run.output.hasPrefix(#"{"resourceType":"OperationOutcome""#) && run.error.isEmpty)
    }

    @Test func definitionsOfADatabaseAreUsed() throws {
        let database = try ToolDatabase(Self.system + "\n" + Self.valueSet)
        let request = try request(
            #"{"name":"url","valueUri":"http://example.org/v"},{"name":"code","valueCode":"a"},{"name":"inferSystem","valueBoolean":true}"#)
        let run = try database.run("terminology", ["validate-code", "--parameters", request])
        #expect(run.status == .done && run.output.contains(#"{"name":"result","valueBoolean":true}"#), "\(run.output) \(run.error)")
    }

    @Test func packagesOfADatabaseAreUsed() throws {
        let database = try ToolDatabase(
            #"{"resourceType":"Observation","id":"o","status":"final","code":{"coding":[{"system":"http://example.org/c","code":"a"}]}}"#)
        let files = [("package.json", #"{"name":"a.guide","version":"1.0.0"}"#), ("c.json", Self.system), ("v.json", Self.valueSet)]
        let archive = try folder.write("p.tgz", TarArchive.data(files.map { ("package/\($0)", "0", $1) }))
        let request = try request(#"{"name":"url","valueUri":"http://example.org/v"}"#)
        #expect(try database.run("terminology", ["expand", "--parameters", request]).status == .incomplete)
        #expect(try database.run("package", ["add", archive]).status == .done)
        let run = try database.run("terminology", ["expand", "--parameters", request])
        #expect(run.status == .done && run.output.contains(#""code":"a","display":"A""#), "\(run.output) \(run.error)")
        let search = try database.run("search", ["Observation?code:in=http://example.org/v", "--count"])
        #expect(search.status == .done && search.output == "1\n", "\(search.output) \(search.error)")
        #expect(try database.run("search", ["Observation?code:not-in=http://example.org/v", "--count"]).output == "0\n")
    }

    @Test func closureAnswersRequestsThatFollowEachOther() throws {
        let system = try folder.write(
            "c.json",
            #"{"resourceType":"CodeSystem","url":"http://example.org/c","status":"active","content":"complete","concept":[{"code":"a","concept":[{"code":"b"}]}]}"#
        )
        func request(_ rest: String) -> String { #"{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"t"}\#(rest)]}"# }
        func concept(_ code: String) -> String {
            request(#",{"name":"concept","valueCoding":{"system":"http://example.org/c","code":"\#(code)"}}"#)
        }
        let lines = [request(""), concept("b"), concept("a"), request(#",{"name":"version","valueString":"1"}"#)]
        let requests = try folder.write("requests.ndjson", lines.joined(separator: "\n"))
        let run = try ToolRun("terminology", "closure", "--release", "R4", "--parameters", requests, "--resource", system)
        let answers = run.output.split(separator: "\n")
        #expect(run.status == .done && answers.count == 4, "\(run.output) \(run.error)")
        #expect(answers.map { $0.contains(#""target":[{"code":"a","equivalence":"subsumes"}]"#) } == [false, false, true, true])
        // A table that nobody has begun is unknown.
        let early = try folder.write("early.json", concept("a"))
        let failed = try ToolRun("terminology", "closure", "--release", "R4", "--parameters", early, "--resource", system)
        #expect(failed.status == .incomplete && failed.output.hasPrefix(#"{"resourceType":"OperationOutcome""#))
        // A line without an answer does not end the others, and changes no table.
        let unknown = request(#",{"name":"version","valueString":"7"}"#)
        let mixed = try folder.write("mixed.ndjson", ([lines[0], lines[1], unknown] + lines[2...]).joined(separator: "\n"))
        let partial = try ToolRun("terminology", "closure", "--release", "R4", "--parameters", mixed, "--resource", system)
        var expected = Array(answers)
        expected.insert(partial.output.split(separator: "\n")[2], at: 2)
        #expect(partial.status == .incomplete && partial.output.split(separator: "\n") == expected)
        #expect(expected[2].hasPrefix(#"{"resourceType":"OperationOutcome""#))
    }

    @Test func anUnknownOperationIsAMistakeOfTheCommandLine() throws {
        let run = try ToolRun("terminology", "explode", "--parameters", "x.json")
        #expect(run.status == .usage && run.error.contains("unknown operation 'explode'"))
    }
}
