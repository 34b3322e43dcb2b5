import FireLiteTerminal

/// The texts of `--help`.
enum HelpText {
    /// What the tool does, without a period.
    static let purpose = "firelite keeps FHIR resources in an SQLite file: one table for each resource type and repeating element"

    /// The exit statuses that errors and results have, with their meanings.
    static let statuses: [(status: ExitStatus, meaning: String)] = [
        (.done, "the command succeeded"), (.incomplete, "something was rejected or not found, is damaged, or differs"),
        (.usage, "the command line is wrong, so nothing was done"), (.failed, "the database, a file or the system failed"),
    ]

    /// `firelite help`, for completions.
    static var definition: CommandDefinition {
        CommandDefinition(
            name: "help", summary: "print the help of a command", options: [], operands: "COMMAND|TASK", operandCount: 0...1,
            operandKinds: [.choice(FireLiteTool.definitions.map(\.name) + topics)], discussion: "")
    }

    /// The words of `firelite help` besides the commands.
    static var topics: [String] { CommandGroup.all.map(\.name) + HelpTask.all.map(\.name) }

    /// The commands by groups, and the tasks.
    static var overview: String {
        let statuses = statuses.map { "\($0.status.rawValue) \($0.meaning)" }
        return """
            \(purpose).

            Usage: firelite COMMAND …

            \(commands(CommandGroup.all))

            Tasks, for `firelite help TASK`
            \(table(HelpTask.all.map { ($0.name, $0.title) }))

            `firelite COMMAND --help` explains a command, `firelite manual` all of them. FILE may come first where the help
            says so, and FIRELITE_DATABASE names it if nothing else does.

            Exit status: \(statuses[..<2].joined(separator: "; "));
            \(statuses[2...].joined(separator: "; ")). Errors are one line on standard error.
            """
    }

    /// The help of a command, of a group of commands, or of a task; nil for another word.
    static func text(on word: String) -> String? {
        if let command = FireLiteTool.command(named: word) { return self.command(command.definition) }
        if let group = CommandGroup.all.first(where: { $0.name == word }) { return commands([group]) }
        guard let task = HelpTask.all.first(where: { $0.name == word }) else { return nil }
        return "To \(task.title):\n\n\(task.text)"
    }

    private static func commands(_ groups: [CommandGroup]) -> String {
        // One table, so that the summaries of all groups are aligned.
        let lines = table(groups.flatMap { $0.commands.map { ($0.definition.name, $0.definition.summary) } }).split(separator: "\n")
        var rest = lines[...]
        return groups.map { group in
            defer { rest = rest.dropFirst(group.commands.count) }
            return ([group.title] + rest.prefix(group.commands.count).map(String.init)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func table(_ rows: [(String, String)]) -> String {
        var table = TextTable([.left, .left])
        for row in rows { table.add("  " + row.0, row.1) }
        return table.text
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
