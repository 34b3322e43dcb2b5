import FireLiteTerminal
import Foundation
import Testing

@testable import FireLiteCLI

struct PaletteTests {
    @Test(arguments: [
        (true, ["TERM": "xterm"], true), (true, ["TERM": "xterm", "NO_COLOR": ""], true),
        (true, ["TERM": "xterm", "NO_COLOR": "1"], false), (true, ["TERM": "xterm", "NO_COLOR": "false"], false),
        (true, ["TERM": "dumb"], false), (true, ["TERM": ""], false), (true, [:], false), (false, ["TERM": "xterm"], false),
    ]) func onlyTerminalsHaveColorsAndNoneAgainstTheirUser(_ isTerminal: Bool, _ environment: [String: String], _ isOn: Bool) throws {
        #expect(Palette(isTerminal: isTerminal, environment: environment).isOn == isOn)
        let run = try ToolRun(["frobnicate"], isTerminal: isTerminal, environment: environment)
        #expect(run.error.contains("\u{1B}[31mfirelite:\u{1B}[0m unknown command") == isOn)
        #expect(run.error.contains("\u{1B}") == isOn)
    }

    @Test func headingsAreBold() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        for arguments in [
            ["info", "--database", database.path], ["index", "--database", database.path, "list"],
            ["sql", "--database", database.path, "SELECT id AS name FROM Patient"],
            ["find", "--database", database.path, "Patient", "--values", "id,active"],
        ] {
            let plain = try ToolRun(arguments, isTerminal: true)
            let colored = try ToolRun(arguments, isTerminal: true, environment: ["TERM": "xterm"])
            #expect(colored.lines.contains { $0.hasPrefix("\u{1B}[1m") && $0.hasSuffix("\u{1B}[0m") }, "\(arguments)")
            let stripped = colored.output.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
            #expect(stripped == plain.output && !plain.output.contains("\u{1B}"), "\(arguments)")
            #expect(try !ToolRun(arguments, environment: ["TERM": "xterm"]).output.contains("\u{1B}"))
        }
    }

    /// Sequences in names and values do not become the tool's own.
    @Test func valuesAndMessagesBringNoColors() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1","name":[{"family":"\u001b[31mred"}]}"#)
        func sql(_ statement: String) throws -> ToolRun {
            try ToolRun(["sql", "--database", database.path, statement], isTerminal: true, environment: ["TERM": "xterm"])
        }
        let rows = try sql("SELECT family AS '\u{1B}[32m' FROM Patient_name")
        #expect(rows.lines == ["\u{1B}[1m\\u001b[32m\u{1B}[0m", "\\u001b[31mred"])
        let error = try sql("SELECT 1 FROM \"\u{1B}[32m\"").error
        #expect(error.hasPrefix("\u{1B}[31mfirelite sql:\u{1B}[0m ") && error.contains("\\u001b[32m"))
        #expect(error.count { $0 == "\u{1B}" } == 2)
    }

    @Test func jsonHasNoColors() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#)
        let run = try ToolRun(["info", "--database", database.path, "--json"], isTerminal: true, environment: ["TERM": "xterm"])
        #expect(run.lines.count == 1 && !run.output.contains("\u{1B}"))
    }
}
