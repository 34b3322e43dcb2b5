import FireLite
import FireLiteCore

/// The manual page firelite(1), made from the definitions of the commands.
struct ManualPage {
    let commands: [CommandDefinition]

    /// The page without a line break at its end.
    var text: String {
        let parts = [
            head, section("NAME", ["firelite \\- FHIR resources in an SQLite file"]), section("SYNOPSIS", synopsis),
            section("DESCRIPTION", description), section("COMMANDS", commands.flatMap(command)), section("OPTIONS", options),
            section("EXAMPLES", examples), section("EXIT STATUS", statuses), section("FILES", files),
            section("ENVIRONMENT", environment), section("SEE ALSO", ["\\fBsqlite3\\fR(1)"]),
        ]
        return parts.joined().joined(separator: "\n")
    }

    private var head: [String] { Self.head("FIRELITE") }

    /// Without a date, so that the page depends on the version alone.
    private static func head(_ title: String) -> [String] {
        [
            ".\\\" Made by `firelite manual` from the definitions of the commands. DO NOT EDIT.",
            ".TH \(Roff.escaped(title)) 1 \"\" \"FireLite \(FireLiteBuild.version)\" \"User Commands\"", ".nh", ".ad l",
        ]
    }

    // MARK: - One command

    /// The short page of a command, firelite-find(1), without a line break at its end.
    static func text(of command: CommandDefinition) -> String {
        let page = ManualPage(commands: [command])
        let synopsis = [Roff.bold("firelite \(command.name)")] + command.synopsis.dropFirst(2).map(Roff.escaped)
        let keys =
            command.jsonKeys.isEmpty ? [] : [".PP", "Keys of the JSON object:"] + Roff.list(command.jsonKeys.map { ($0.name, $0.help) })
        let examples = [".nf"] + command.examples.map(Roff.line) + [".fi"]
        let parts = [
            head("FIRELITE-" + command.name.uppercased()),
            page.section("NAME", ["firelite\\-\(Roff.escaped(command.name)) \\- \(Roff.escaped(command.summary))"]),
            page.section("SYNOPSIS", synopsis),
            page.section("DESCRIPTION", Roff.paragraphs(command.explanation) + keys),
            page.section("OPTIONS", Roff.list(command.options.map { ($0.term, $0.help) } + [("--help", "print the help")])),
            command.examples.isEmpty ? [] : page.section("EXAMPLES", examples),
            page.section("EXIT STATUS", page.statuses), page.section("SEE ALSO", ["\\fBfirelite\\fR(1)"]),
        ]
        return parts.joined().joined(separator: "\n")
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        // A section begins its first paragraph itself.
        [".SH \"\(title)\""] + (lines.first == ".PP" ? Array(lines.dropFirst()) : lines)
    }

    // MARK: - Sections

    private var synopsis: [String] {
        [Roff.bold("firelite") + " \\fICOMMAND\\fR " + Roff.escaped("[OPTION]… [ARGUMENT]…"), ".br"]
            + [Roff.bold("firelite --help"), ".br", Roff.bold("firelite --version")]
    }

    private var description: [String] {
        Roff.paragraphs(
            """
            \(HelpText.purpose). Any SQLite client can read the file. The FHIR releases of this build are \
            \(FireLiteTool.releases.map(\.release).map { "\($0.name) (\($0.version))" }.joined(separator: ", ")).

            Options and arguments may come in any order. A value follows its option as the next argument or after an equals sign. \
            Arguments after -- are no options.
            """)
    }

    private func command(_ command: CommandDefinition) -> [String] {
        let synopsis = [Roff.bold("firelite \(command.name)")] + command.synopsis.dropFirst(2).map(Roff.escaped)
        var lines = [".SS \"\(Roff.escaped("firelite \(command.name)"))\""]
        lines += Roff.filled(Roff.sentence(command.summary)) + [".PP"] + synopsis
        lines += Roff.list(command.options.map { ($0.term, $0.help) }) + Roff.paragraphs(command.explanation)
        guard !command.jsonKeys.isEmpty else { return lines }
        return lines + [".PP", "Keys of the JSON object:"] + Roff.list(command.jsonKeys.map { ($0.name, $0.help) })
    }

    private var options: [String] {
        Roff.list([
            ("--help", "print the commands, or the help of the command that it follows"),
            ("--version", "print the versions of the tool, the linked library and the file format"),
        ])
    }

    private var examples: [String] { [".nf"] + commands.flatMap(\.examples).map(Roff.line) + [".fi"] }

    private var statuses: [String] {
        let statuses = HelpText.statuses + [(.unread, "the reader of standard output closed it")]
        return Roff.list(statuses.map { ("\($0.status.rawValue)", $0.meaning) }) + Roff.paragraphs("Errors are one line on standard error.")
    }

    private var files: [String] {
        Roff.list([
            ("FILE", "the database, an SQLite file"),
            ("FILE-wal, FILE-shm", "parts of a database that is open; the first has the latest changes, so never delete it"),
            ("FILE-rejects.ndjson", "texts that firelite import --on-error skip rejected"),
        ])
    }

    private var environment: [String] {
        Roff.list([
            ("FIRELITE_DATABASE", "the database of a command that needs one and gets none by an option or argument"),
            (
                "FIRELITE_CORES",
                "how many cores export, view, check and validate use at most; without it, those that there are, and no more than 8"
            ),
            ("VISUAL, EDITOR", "the editor of firelite edit"),
            ("NO_COLOR", "any value but the empty one turns colors off; output that is not to a terminal never has colors"),
            ("TERM", "if it is dumb or missing, there are no colors"),
        ])
    }
}

/// `firelite manual`: prints the manual page.
struct ManualCommand: Command {
    static let definition = CommandDefinition(
        name: "manual", summary: "print the manual page, or the short one of a command",
        options: [], operands: "COMMAND", operandCount: 0...1, operandKinds: [.other],
        discussion: """
            The page is in the language of man (roff), which `man -l -`, mandoc and groff -man format. `make install` installs it,
            and the page of each command as firelite-COMMAND.

            Examples: firelite manual | man -l -
                      firelite manual find | man -l -
            """)

    private let command: String?

    init(_ arguments: ParsedArguments) throws { command = arguments.operands.first }

    func run(_ console: Console) throws -> ExitStatus {
        guard let command else {
            try console.print(ManualPage(commands: FireLiteTool.definitions).text)
            return .done
        }
        guard let definition = FireLiteTool.command(named: command)?.definition else {
            throw ToolError.usage(
                "unknown command '\(command)'\(NearWords.hint(for: command, among: FireLiteTool.definitions.map(\.name)))")
        }
        try console.print(ManualPage.text(of: definition))
        return .done
    }
}
