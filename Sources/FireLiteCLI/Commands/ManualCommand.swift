import FireLite

/// `firelite manual`: prints the manual page.
struct ManualCommand: Command {
    static let definition = CommandDefinition(
        name: "manual", summary: "print the manual page",
        options: [], operands: "", operandCount: 0...0,
        discussion: """
            The page is in the language of man (roff), which `man -l -`, mandoc and groff -man format. `make install` installs it.

            Example: firelite manual | man -l -
            """)

    init(_ arguments: ParsedArguments) throws {}

    func run(_ console: Console) throws -> ExitStatus {
        try console.print(ManualPage(commands: FireLiteTool.definitions).text)
        return .done
    }
}
