import FireLite

/// `firelite completions`: prints a script that completes command lines.
struct CompletionsCommand: Command {
    static let definition = CommandDefinition(
        name: "completions", summary: "print the completions of a shell",
        options: [], operands: Shell.allCases.map(\.rawValue).joined(separator: "|"), operandCount: 1...1,
        operandKinds: [.choice(Shell.allCases.map(\.rawValue))],
        discussion: """
            The script completes commands, options, files, resource types and words such as stop and skip. `make install`
            installs it for all three shells. To try it: source <(firelite completions bash), the same with zsh after compinit,
            or firelite completions fish | source.

            Examples: firelite completions bash
                      firelite completions zsh
                      firelite completions fish
            """)

    private let shell: Shell

    init(_ arguments: ParsedArguments) throws {
        let name = arguments.operands[0]
        guard let shell = Shell(rawValue: name) else {
            throw ToolError.usage("'\(name)' is not \(Shell.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.shell = shell
    }

    func run(_ console: Console) throws -> ExitStatus {
        try console.print(shell.script(FireLiteTool.definitions + [HelpText.definition], types: FireLiteTool.resourceTypes))
        return .done
    }
}
