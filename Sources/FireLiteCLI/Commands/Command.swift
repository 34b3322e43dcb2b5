/// One command of the tool.
protocol Command {
    static var definition: CommandDefinition { get }

    /// Checks the arguments without opening or changing anything.
    ///
    /// - Throws: `ToolError` with status 2.
    init(_ arguments: ParsedArguments) throws

    func run(_ console: Console) throws -> ExitStatus
}
