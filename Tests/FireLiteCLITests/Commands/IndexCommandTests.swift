import Foundation
import Testing

@testable import FireLiteCLI

struct IndexCommandTests {
    private let database: ToolDatabase

    init() throws {
        database = try ToolDatabase(
            #"{"resourceType":"Observation","id":"1","status":"final","effectiveDateTime":"2020","code":{"coding":[{"code":"c"}]}}"#)
    }

    private func index(_ arguments: String...) throws -> ToolRun { try database.run("index", arguments) }

    /// The indexes of the file, by name.
    private func inFile() throws -> [String] {
        try ToolRun(
            "sql", "--database", database.path, "--format", "csv",
            "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Obs%' AND name NOT LIKE '%\\_\\_id' ESCAPE '\\' ORDER BY name"
        ).output.components(separatedBy: "\r\n").dropFirst().dropLast()
    }

    @Test func indexesAreCreatedListedAndDropped() throws {
        #expect(try index("create", "Observation", "code.coding.code").output == "created Observation_code_coding__code\n")
        #expect(
            try index("create", "Observation", "status", "effectiveDateTime").output == "created Observation__status__effectiveDateTime\n")
        #expect(
            try index("create", "Observation", "valueQuantity.value").output.hasPrefix("declared Observation__valueQuantity_value, which"))
        #expect(try inFile() == ["Observation__status__effectiveDateTime", "Observation_code_coding__code"])
        #expect(
            try index("list").output == """
                name                                    kind    type         columns                    built
                Observation__status__effectiveDateTime  values  Observation  status, effectiveDateTime  yes
                Observation__valueQuantity_value        values  Observation  valueQuantity_value        not yet
                Observation_code_coding__code           values  Observation  code                       yes

                """)
        let near = try index("drop", "Observation_codec_oding__code")
        #expect(near.status == .incomplete && near.error.contains(": did you mean 'Observation_code_coding__code'?"))
        #expect(try index("drop", "Observation_code_coding__code").output == "dropped Observation_code_coding__code\n")
        #expect(try index("drop", "Observation", "status", "effectiveDateTime").status == .done)
        #expect(try inFile() == [])
        let missing = try index("drop", "Observation_code_coding__code")
        #expect(missing.status == .incomplete && missing.error.contains("is not an index of"))
        #expect(try ToolRun("check", "--database", database.path).output == "sound\n")
    }

    @Test func setsOfIndexesAreCreatedAndDropped() throws {
        #expect(try index("create", "--set", "codes").output == "created the set codes for all types\n")
        #expect(try inFile() == ["Observation_code_coding__code"])
        #expect(try index("list").output.contains("*__codes"))
        #expect(try index("drop", "--set", "codes").status == .done)
        #expect(try index("create", "--set", "dates", "Observation").output == "created the set dates for Observation\n")
        #expect(try index("drop", "Observation__dates").status == .done)
        #expect(try inFile() == [])
    }

    @Test(.enabled(if: ToolRun.hasFullText, "needs FTS5")) func fullTextIndexesAreCreatedAndDropped() throws {
        #expect(try index("create", "--full-text", "Observation", "code.coding.code").status == .done)
        #expect(try ToolRun("find", "--database", database.path, "Observation", "--matching", "c", "--count").output == "1\n")
        #expect(try index("list").output.contains("full text"))
        #expect(try index("drop", "--full-text", "Observation").status == .done)
        #expect(try index("list").lines.count == 1)
        #expect(try ToolRun("check", "--database", database.path).output == "sound\n")
    }

    @Test func whatIsNotThereIsNotDropped() throws {
        for arguments in [["Observation", "code.coding.code"], ["--set", "codes"], ["--set", "codes", "Observation"]] {
            let (drop, create) = (["drop"] + arguments, ["create"] + arguments)
            let missing = try database.run("index", drop)
            #expect(missing.status == .incomplete && missing.output.isEmpty && missing.error.contains(" has no "), "\(missing.error)")
            #expect(try database.run("index", create).output.hasPrefix("created "))
            let again = try database.run("index", create)
            #expect(again.status == .done && again.output.hasSuffix(" exists already\n"), "\(again.output)")
            #expect(try database.run("index", drop).output == "dropped\n")
            #expect(try database.run("index", drop).status == .incomplete)
        }
    }

    @Test(.enabled(if: ToolRun.hasFullText, "needs FTS5")) func aFullTextIndexThatIsNotThereIsNotDropped() throws {
        #expect(
            try index("drop", "--full-text", "Observation").error
                == "firelite index: \(database.path) has no full-text index of Observation: `firelite index list` prints those that it has\n"
        )
        let created = try index("create", "--full-text", "Observation", "code.coding.code")
        #expect(created.output == "created the full-text index of Observation\n")
        #expect(
            try index("create", "--full-text", "Observation", "code.coding.code").output
                == "the full-text index of Observation exists already\n")
        #expect(try index("drop", "--full-text", "Observation").status == .done)
        #expect(try index("drop", "--full-text", "Observation").status == .incomplete)
    }

    @Test(arguments: [
        ["make"], ["create"], ["create", "Observation"], ["create", "Human", "name"], ["create", "Observation", "code"], ["list", "x"],
        ["drop"],
        ["create", "--set", "all"], ["create", "--set", "codes", "Observation", "status"], ["create", "--set", "codes", "--full-text"],
        ["create", "Observation", "status", "code.coding.code"], ["create", "Observation", "category[0].text"],
    ])
    func wrongUsageChangesNothing(_ arguments: [String]) throws {
        let run = try database.run("index", arguments)
        #expect(run.status == .usage && run.output.isEmpty && run.error.split(separator: "\n").count == 1, "\(arguments)")
        #expect(try inFile() == [])
    }
}
