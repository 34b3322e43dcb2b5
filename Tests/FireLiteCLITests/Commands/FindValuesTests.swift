import FireLiteCore
import Foundation
import Testing

@testable import FireLiteCLI

/// What `find --values` prints has the types that FHIR's JSON has.
struct FindValuesTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            """
            {"resourceType":"Patient","id":"1","active":true,"multipleBirthInteger":2,"birthDate":"1970-03","name":[{"family":"A","given":["Ada","Bo"]},{"given":["Cy"]}]}
            {"resourceType":"Patient","id":"2","active":false,"name":[{"_given":[{"id":"x"},null],"given":[null,"Di"]}]}
            {"resourceType":"Patient","id":"3"}
            {"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.50},"component":[{"code":{"text":"y"},"valueQuantity":{"value":-0.10}},{"code":{"text":"z"},"valueQuantity":{"value":1e3}}]}
            """)
    }

    private func find(_ arguments: String..., isTerminal: Bool = false) throws -> String {
        try database.run("find", arguments, isTerminal: isTerminal).output
    }

    @Test func numbersAndBooleansAreSuch() throws {
        #expect(
            try find("Patient", "--values", "id,active,multipleBirthInteger,birthDate") == """
                {"id":"1","active":true,"multipleBirthInteger":2,"birthDate":"1970-03"}
                {"id":"2","active":false}
                {"id":"3"}

                """)
        #expect(
            try find("Observation", "--values", "valueQuantity.value,component.valueQuantity.value")
                == #"{"valueQuantity.value":1.50,"component.valueQuantity.value":[-0.10,1e3]}"# + "\n")
    }

    @Test func listsAreWhole() throws {
        #expect(
            try find("Patient", "--values", "name.given,name[0].given,name.family,name[0].given[0]") == """
                {"name.given":["Ada","Bo","Cy"],"name[0].given":["Ada","Bo"],"name.family":["A"],"name[0].given[0]":"Ada"}
                {"name.given":["Di"],"name[0].given":["Di"]}
                {}

                """)
        #expect(try find("Patient", "--values", "id,name.given", "--format", "csv") == "id,name.given\r\n1,Ada; Bo; Cy\r\n2,Di\r\n3,\r\n")
    }

    @Test func countsAreNumbers() throws {
        #expect(
            try find("Patient", "--values", "name.count,name.given.count") == """
                {"name.count":2,"name.given.count":3}
                {"name.count":1,"name.given.count":1}
                {"name.count":0,"name.given.count":0}

                """)
        let sorted = try ToolRun("find", "--database", database.path, "Patient", "--sort", "name.count")
        #expect(sorted.status == .usage)
    }

    @Test func formulasAreNeutralisedWhereAskedFor() throws {
        let path = try database.folder.write(
            "formula.json", ##"{"resourceType":"Group","id":"g","name":"=HYPERLINK(\"x\")","quantity":3}"##)
        #expect(try ToolRun("import", "--database", database.path, path).status == .done)
        #expect(try find("Group", "--values", "name,quantity", "--format", "csv") == "name,quantity\r\n\"=HYPERLINK(\"\"x\"\")\",3\r\n")
        #expect(
            try find("Group", "--values", "name,quantity", "--format", "csv", "--spreadsheet")
                == "name,quantity\r\n\"'=HYPERLINK(\"\"x\"\")\",3\r\n")
        #expect(
            try find("Observation", "--values", "component.valueQuantity.value", "--format", "csv", "--spreadsheet").hasSuffix(
                "'-0.10; 1e3\r\n"))
    }

    /// A database is a file that others made: what a column holds need not be of its type.
    @Test func whatIsNoNumberIsAString() throws {
        #expect(JSONText.primitive("1],\"x\":[2", .decimal) == #""1],\"x\":[2""#)
        #expect(JSONText.primitive("maybe", .boolean) == "\"maybe\"")
        #expect(JSONText.primitive("1.50", .decimal) == "1.50")
        #expect(JSONText.primitive("7", .integer64) == "\"7\"")
    }

    @Test(.enabled(if: ToolRun.hasFullText, "needs FTS5")) func wordsNeedAnIndexAndThenFind() throws {
        #expect(try ToolRun("find", "--database", database.path, "Patient", "--matching", "ada").status == .failed)
        #expect(
            try ToolRun("index", "--database", database.path, "create", "--full-text", "Patient", "name.given", "name.family").status
                == .done)
        #expect(try find("Patient", "--matching", "ada", "--values", "id") == "{\"id\":\"1\"}\n")
        #expect(try find("Patient", "--matching", "b* cy", "--count") == "1\n")
    }

    @Test func pagesBeginAfterAResource() throws {
        func ids(_ arguments: String...) throws -> [String] {
            let run = try database.run("find", ["Patient", "--values", "id", "--format", "csv"] + arguments)
            return run.output.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty }
        }
        #expect(try ids("--skip", "1") == ["2", "3"])
        #expect(try ids("--after", "1", "--limit", "1") == ["2"])
        // Absent values come last, in the order of storage.
        #expect(try ids("--sort", "birthDate", "--after", "1") == ["2", "3"])
        #expect(try ids("--sort", "-id", "--after", "2") == ["1"])
        // The resource need not meet the condition.
        #expect(try ids("active=false", "--after", "1") == ["2"])
        let missing = try database.run("find", ["Patient", "--after", "9"])
        #expect(missing.status == .incomplete && missing.output.isEmpty)
    }

    @Test func resourcesAreATableWhereAskedFor() throws {
        #expect(
            try find("Patient", "--format", "table") == """
                type     id  date     description
                Patient  1   1970-03  Ada Bo A
                Patient  2            Di
                Patient  3

                """)
        #expect(try find("Patient", "id=3", "--json") == #"{"results":[{"resourceType":"Patient","id":"3"}]}"# + "\n")
        #expect(try find("Patient", "--values", "id", "--format", "json") == #"{"results":[{"id":"1"},{"id":"2"},{"id":"3"}]}"# + "\n")
    }
}
