import Testing

@testable import FireLiteCLI

struct ParsedArgumentsTests {
    private static let definition = CommandDefinition(
        name: "test", summary: "",
        options: [
            .option("database", "FILE", isRequired: true, ""), .option("type", "T", isRepeatable: true, ""), .option("limit", "N", ""),
            .flag("quiet", ""),
        ],
        operands: "PATH…", operandCount: 0...2, discussion: "")

    private func parse(_ arguments: String...) throws -> ParsedArguments { try ParsedArguments(arguments, for: Self.definition) }

    private func message(_ arguments: String...) -> String? {
        do {
            _ = try ParsedArguments(arguments, for: Self.definition)
            return nil
        } catch {
            return (error as? ToolError).flatMap { $0.status == .usage ? $0.message : nil }
        }
    }

    @Test func optionsAndOperandsComeInAnyOrder() throws {
        let parsed = try parse("a", "--type", "Patient", "--database=x=y", "-", "--quiet", "--type=Group")
        #expect(parsed.operands == ["a", "-"])
        #expect(parsed["database"] == "x=y")
        #expect(parsed.all("type") == ["Patient", "Group"])
        #expect(parsed.has("quiet"))
        #expect(!parsed.has("limit"))
    }

    @Test func whatFollowsTwoDashesIsNoOption() throws {
        let parsed = try parse("--database", "x", "--", "--quiet", "-v")
        #expect(parsed.operands == ["--quiet", "-v"])
        #expect(!parsed.has("quiet"))
    }

    @Test func valuesMayBeADashOrEmpty() throws {
        #expect(try parse("--database", "-")["database"] == "-")
        #expect(try parse("--database=")["database"] == "")
    }

    @Test func mistakesAreNamed() {
        #expect(message() == "--database FILE is missing: name the file there, or in FIRELITE_DATABASE")
        #expect(message("--database") == "--database needs a value, FILE")
        #expect(message("--database", "--quiet") == "--database needs a value, FILE")
        #expect(message("--database", "x", "--database", "y") == "--database is given twice")
        #expect(message("--database", "x", "--quiet=yes") == "--quiet takes no value")
        #expect(message("--database", "x", "--what=3") == "unknown option '--what': `firelite test --help` lists them")
        #expect(message("--database", "x", "-q") == "unknown option '-q': `firelite test --help` lists them")
        #expect(message("--database", "x", "a", "b", "c") == "unexpected argument 'c'")
    }

    @Test func numbersAreChecked() throws {
        #expect(try parse("--database", "x", "--limit", "12").number("limit", in: 0...20) == 12)
        #expect(try parse("--database", "x").number("limit", in: 0...20) == nil)
        for text in ["21", "-1", "a", "", "99999999999999999999"] {
            #expect(throws: ToolError.usage("--limit is '\(text)', not a whole number from 0 to 20")) {
                _ = try parse("--database", "x", "--limit=\(text)").number("limit", in: 0...20)
            }
        }
    }

    @Test func helpIsAskedForBeforeTwoDashesOnly() {
        #expect(ParsedArguments.asksForHelp(["a", "--help"]))
        #expect(ParsedArguments.asksForHelp(["-h"]))
        #expect(!ParsedArguments.asksForHelp(["--", "--help"]))
    }
}
