/// What the parser and the help need to know of a command.
struct CommandDefinition {
    let name: String
    /// One line for the list of commands.
    let summary: String
    let options: [OptionDefinition]
    /// What follows the options: `PATH…`; empty for nothing.
    let operands: String
    /// How many of those there may be.
    let operandCount: ClosedRange<Int>
    /// What the command's own help says below the options.
    let discussion: String

    static let anyNumber = 1...Int.max

    func option(named name: String) -> OptionDefinition? { options.first { $0.name == name } }
}
