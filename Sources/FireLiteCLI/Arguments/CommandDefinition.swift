/// What the parser, the help, the completions and the manual need to know about a command.
struct CommandDefinition {
    let name: String
    /// One line for the list of commands.
    let summary: String
    let options: [OptionDefinition]
    /// What follows the options and the database: `PATH…`; empty for nothing.
    let ownOperands: String
    /// How to tell the first of them from a database in front of them; nil for a command that has its database only as an option.
    let ownOperand: OwnOperand?
    /// How many operands are allowed.
    let operandCount: ClosedRange<Int>
    /// What each operand names; the last one counts for all that follow it.
    let operandKinds: [ValueKind]
    /// Whether a command line with these options and so many operands needs a database although `--database` is optional, so that the environment
    /// may name it.
    let needsDatabase: @Sendable (_ options: Set<String>, _ operandCount: Int) -> Bool
    /// The keys of the JSON object; empty for a command without one.
    let jsonKeys: [JSONKey]
    /// Options of other commands that this one cannot have, with what to do instead.
    let remedies: [String: String]
    /// What the command lists; nil for a command without a list.
    let list: ListDefinition?
    /// The text of the command's help below the options. Its last paragraph is `Example: firelite …`, or several in aligned lines.
    let discussion: String

    /// - Parameters:
    ///   - ownOperand: accepts the database as the first operand, too.
    ///   - needsDatabase: for a command whose database is optional.
    ///   - jsonKeys: adds the option `--json`, unless `options` has one.
    ///   - remedies: what to do instead of an option that similar commands have.
    ///   - list: adds the options of lists that `options` does not have.
    init(
        name: String, summary: String, options: [OptionDefinition], operands: String, operandCount: ClosedRange<Int>,
        operandKinds: [ValueKind] = [], ownOperand: OwnOperand? = nil,
        needsDatabase: @escaping @Sendable (_ options: Set<String>, _ operandCount: Int) -> Bool = { _, _ in false },
        jsonKeys: [JSONKey] = [], remedies: [String: String] = [:], list: ListDefinition? = nil, discussion: String
    ) {
        self.name = name
        self.summary = summary
        let hasJSON = jsonKeys.isEmpty || options.contains { $0.name == Report.option.name }
        let added = list?.options(besides: options) ?? []
        self.list = list.map { $0.adding(added.map(\.name)) }
        self.options = options + added + (hasJSON ? [] : [Report.option])
        ownOperands = operands
        self.ownOperand = ownOperand
        self.needsDatabase = needsDatabase
        self.operandCount = operandCount
        self.operandKinds = operandKinds
        self.jsonKeys = jsonKeys
        self.remedies = remedies
        self.discussion = discussion
    }

    static let anyNumber = 1...Int.max

    /// The option that an operand in front of the others, or the environment, can stand for.
    static let database = "database"

    func option(named name: String) -> OptionDefinition? { options.first { $0.name == name } }

    /// The words for the first operand, each of which is something else that the command does; empty for a command that does one thing.
    var actions: [String] {
        guard case .choice(let words)? = operandKinds.first else { return [] }
        return words
    }

    /// The action that operands name, or the first one; nil if they begin with another word, which the command refuses itself.
    func action(_ operands: [String]) -> String? {
        guard let named = operands.first ?? actions.first else { return nil }
        if actions.contains(named) { return named }
        // Where an action can be left out, this is what the unnamed one is about; no option is for it alone.
        return operandCount.lowerBound == 0 ? "" : nil
    }

    /// What follows the options: `[FILE] PATH…`; empty for nothing.
    var operands: String {
        guard ownOperand != nil else { return ownOperands }
        return ownOperands.isEmpty ? "[FILE]" : "[FILE] \(ownOperands)"
    }

    /// The parts of the command line in the order of the help.
    var synopsis: [String] {
        // A database that may come first need not be an option.
        let options = options.map { $0.name == Self.database && ownOperand != nil ? "[\($0.term)]" : $0.synopsis }
        return ["firelite", name] + options + (operands.isEmpty ? [] : [operands])
    }

    // MARK: - Parts of the discussion

    /// The discussion without the examples.
    var explanation: String { lines(isExample: false).joined(separator: "\n").trimmingSuffix { $0 == "\n" } }

    /// The paragraph with the examples, as in the help; empty for none.
    var exampleText: String { lines(isExample: true).joined(separator: "\n") }

    /// The command lines of the examples.
    var examples: [String] {
        lines(isExample: true).compactMap { line in line.range(of: "firelite ").map { String(line[$0.lowerBound...]) } }
    }

    private func lines(isExample: Bool) -> [Substring] {
        let lines = discussion.split(separator: "\n", omittingEmptySubsequences: false)
        let start = lines.firstIndex { $0.hasPrefix("Example:") || $0.hasPrefix("Examples:") } ?? lines.endIndex
        return Array(isExample ? lines[start...] : lines[..<start])
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return String(text)
    }
}

/// One command of the tool.
protocol Command {
    static var definition: CommandDefinition { get }

    /// Checks the arguments without opening or changing anything.
    ///
    /// - Throws: `ToolError` with status 2.
    init(_ arguments: ParsedArguments) throws

    func run(_ console: Console) throws -> ExitStatus
}

/// An option of a command: `--name VALUE`, or `--name` alone.
struct OptionDefinition {
    let name: String
    /// The name of the value in the help; nil for an option without a value.
    let value: String?
    /// What the value names.
    let kind: ValueKind
    let isRequired: Bool
    let isRepeatable: Bool
    let help: String
    /// The actions that use it; nil for all. Any other refuses it.
    private(set) var actions: [String]?
    /// The name of the option without which it is refused; nil for none.
    private(set) var needed: String?

    static func flag(_ name: String, _ help: String) -> OptionDefinition {
        OptionDefinition(name: name, value: nil, kind: .other, isRequired: false, isRepeatable: false, help: help)
    }

    static func option(
        _ name: String, _ value: String, kind: ValueKind = .other, isRequired: Bool = false, isRepeatable: Bool = false, _ help: String
    ) -> OptionDefinition {
        OptionDefinition(name: name, value: value, kind: kind, isRequired: isRequired, isRepeatable: isRepeatable, help: help)
    }

    /// Whether an action uses it.
    func isFor(_ action: String) -> Bool { actions?.contains(action) ?? true }

    /// The same option of a command whose other actions do not use it.
    func only(_ actions: String...) -> OptionDefinition { only(actions) }

    func only(_ actions: [String]) -> OptionDefinition {
        var option = self
        option.actions = actions
        return option
    }

    /// The same for an option of several commands, whose help does not name the actions.
    func only(with actions: [String]) -> OptionDefinition {
        OptionDefinition(
            name: name, value: value, kind: kind, isRequired: isRequired, isRepeatable: isRepeatable,
            help: "with \(actions.joined(separator: " and ")): \(help)"
        ).only(actions)
    }

    /// The same option of a command that uses it only together with another.
    func needing(_ other: String) -> OptionDefinition {
        var option = self
        option.needed = other
        return option
    }

    /// `--name VALUE`, in brackets if it is optional.
    var synopsis: String { (isRequired ? term : "[\(term)]") + (isRepeatable ? "…" : "") }

    /// `--name VALUE`, as in a list of options.
    var term: String { value.map { "--\(name) \($0)" } ?? "--\(name)" }
}

/// A key of the JSON object that a command prints with `--json`.
struct JSONKey {
    let name: String
    let help: String

    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
    }
}
