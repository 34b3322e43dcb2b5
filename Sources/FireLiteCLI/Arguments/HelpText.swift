/// The texts of `--help`.
enum HelpText {
    static func overview(_ commands: [CommandDefinition]) -> String {
        var table = TextTable([.left, .left])
        for command in commands { table.add("  " + command.name, command.summary) }
        return """
            firelite keeps FHIR resources in an SQLite file: one table for each resource type and repeating element.

            Usage: firelite COMMAND …

            \(table.text)

            `firelite COMMAND --help` explains a command.

            Exit status: 0 success; 1 something was rejected, not found or unsound; 2 wrong usage;
            3 the database or the system failed. Errors are one line on standard error.
            """
    }

    static func command(_ command: CommandDefinition) -> String {
        let words = ["firelite", command.name] + command.options.map(\.synopsis) + (command.operands.isEmpty ? [] : [command.operands])
        var table = TextTable([.left, .left])
        for option in command.options { table.add("  --\(option.name)" + (option.value.map { " \($0)" } ?? ""), option.help) }
        table.add("  --help", "print this text")
        return """
            \(command.summary.prefix(1).uppercased() + command.summary.dropFirst()).

            Usage: \(wrapped(words))

            \(table.text)

            \(command.discussion)
            """
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
