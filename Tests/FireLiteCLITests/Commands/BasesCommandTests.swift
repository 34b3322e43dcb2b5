import FireLite
import Testing

@testable import FireLiteCLI

/// `firelite bases`.
struct BasesCommandTests {
    private let database: ToolDatabase
    private let address = "https://example.org/fhir"

    init() throws {
        database = try ToolDatabase(
            #"{"resourceType":"Patient","id":"1","gender":"female"}"# + "\n"
                + #"{"resourceType":"Observation","id":"2","status":"final","code":{"text":"weight"},"subject":{"reference":"https://example.org/fhir/Patient/1"}}"#
        )
    }

    private func run(_ arguments: String...) throws -> ToolRun {
        try ToolRun([arguments[0], "--database", database.path] + arguments.dropFirst())
    }

    /// The number of observations of women.
    private func found() throws -> String { try run("search", "Observation?subject:Patient.gender=female", "--count").output }

    @Test func anAbsoluteReferenceLeadsHereOnlyUnderABase() throws {
        #expect(try run("bases", "list").output.isEmpty && found() == "0\n")
        #expect(try run("bases", "add", address + "/", "http://localhost:8080").status == .done)
        #expect(try run("bases", "list").output == "https://example.org/fhir\nhttp://localhost:8080\n")
        #expect(try run("bases", "list", "--json").output == #"{"bases":["https://example.org/fhir","http://localhost:8080"]}"# + "\n")
        #expect(try found() == "1\n")
        #expect(try run("bases", "remove", address).status == .done)
        #expect(try run("bases", "list").output == "http://localhost:8080\n" && found() == "0\n")
    }

    /// Whoever could be at an address is not asked for before it has answered: its references would count as the store's own.
    @Test(arguments: [["pull"], ["push"], ["sync"], ["search", "Patient"]])
    func anAddressThatDoesNotAnswerIsNoBase(_ command: [String]) throws {
        let run = try ToolRun.process(
            [command[0], "--database", database.path, "--server", "http://127.0.0.1:9/fhir", "--plain-http"] + command.dropFirst())
        #expect(run.status != .usage, "\(run.error)")
        #expect(try self.run("bases", "list").output.isEmpty && found() == "0\n")
    }

    @Test(arguments: [
        ["bases", "add"], ["bases", "add", "example.org"], ["bases", "add", "https://example.org/fhir?x=1"], ["bases", "remove"],
        ["bases", "remove", "https://example.org/fhir", "https://nowhere.example"], ["bases", "list", "x"], ["bases", "drop", "x"],
        ["bases"],
        ["bases", "add", "https://new.example", "--json"],
    ])
    func whatMakesNoSenseChangesNothing(_ arguments: [String]) throws {
        #expect(try run("bases", "add", address).status == .done)
        let run = try ToolRun([arguments[0], "--database", database.path] + arguments.dropFirst())
        #expect(run.status == .usage && run.output.isEmpty && !run.error.isEmpty)
        #expect(try self.run("bases", "list").output == "https://example.org/fhir\n")
    }
}
