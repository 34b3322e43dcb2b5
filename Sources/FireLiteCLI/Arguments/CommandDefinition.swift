/// What the parser and the help need to know about a command.
struct CommandDefinition {
    let name: String
    /// One line for the list of commands.
    let summary: String
    let options: [OptionDefinition]
    /// What follows the options: `PATH…`; empty for nothing.
    let operands: String
    /// How many operands are allowed.
    let operandCount: ClosedRange<Int>
    /// The text of the command's help below the options.
    let discussion: String

    static let anyNumber = 1...Int.max

    func option(named name: String) -> OptionDefinition? { options.first { $0.name == name } }
}
