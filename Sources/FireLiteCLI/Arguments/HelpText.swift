import FireLiteTerminal

/// The texts of `--help`.
enum HelpText {
    /// What the tool does, without a period.
    static let purpose = "firelite keeps FHIR resources in an SQLite file: one table for each resource type and repeating element"

    /// The exit statuses that errors and results have, with their meanings.
    static let statuses: [(status: ExitStatus, meaning: String)] = [
        (.done, "success"), (.incomplete, "something was rejected, not found or unsound"), (.usage, "wrong usage"),
        (.failed, "the database or the system failed"),
    ]

    /// `firelite help`, for completions.
    static var definition: CommandDefinition {
        CommandDefinition(
            name: "help", summary: "print the help of a command", options: [], operands: "COMMAND", operandCount: 0...1,
            operandKinds: [.choice(FireLiteTool.definitions.map(\.name))], discussion: "")
    }

    static func overview(_ commands: [CommandDefinition]) -> String {
        var table = TextTable([.left, .left])
        for command in commands { table.add("  " + command.name, command.summary) }
        let statuses = statuses.map { "\($0.status.rawValue) \($0.meaning)" }
        return """
            \(purpose).

            Usage: firelite COMMAND …

            \(table.text)

            `firelite COMMAND --help` explains a command, `firelite manual` all of them.

            Exit status: \(statuses[..<3].joined(separator: "; "));
            \(statuses[3...].joined(separator: "; ")). Errors are one line on standard error.
            """
    }

    static func command(_ command: CommandDefinition) -> String {
        var table = TextTable([.left, .left])
        for option in command.options { table.add("  \(option.term)", option.help) }
        table.add("  --help", "print this text")
        let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst()
        let parts = [
            "\(summary).", "Usage: \(wrapped(command.synopsis))", table.text, command.explanation, keys(command), command.exampleText,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func keys(_ command: CommandDefinition) -> String {
        guard !command.jsonKeys.isEmpty else { return "" }
        var table = TextTable([.left, .left])
        for key in command.jsonKeys { table.add("  \(key.name)", key.help) }
        return "Keys of the JSON object:\n" + table.text
    }

    /// The words, wrapped to at most 100 characters a line; lines after the first are indented.
    private static func wrapped(_ words: [String]) -> String {
        var lines = [""]
        for word in words {
            if lines[lines.count - 1].count + word.count > 90 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines.joined(separator: "\n           ")
    }
}
