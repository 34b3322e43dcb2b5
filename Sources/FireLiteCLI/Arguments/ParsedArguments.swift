import FireLite
import FireLiteCore
import Foundation

/// The arguments of one command, checked against its definition.
struct ParsedArguments {
    let operands: [String]
    private let values: [String: [String]]
    /// The database that the environment names, for commands that need one in some of their forms.
    let standardDatabase: String?
    /// What the command may write to, by `--name` or the placeholder of an operand.
    private let outputs: [String: OutputPath]
    /// Writes a note to standard error. Default: none.
    var note: (String) -> Void = { _ in }

    /// Whether `--help` is among the options.
    static func asksForHelp(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    /// The number of cores that the command may use.
    let cores: Int

    /// The variable with the number of cores that a command may use.
    static let coresVariable = "FIRELITE_CORES"

    /// The number of cores that the environment allows; by default as many as a store uses.
    ///
    /// - Throws: `ToolError` with status 2.
    private static func cores(_ environment: [String: String]) throws -> Int {
        guard let text = environment[coresVariable], !text.isEmpty else { return FHIRStore.Configuration().maximumCores }
        guard let number = Int(text), number >= 1 else {
            throw ToolError.usage("\(coresVariable) in the environment must be a whole number from 1")
        }
        // Each is a thread with a connection.
        return min(number, maximumCores)
    }

    /// More than any machine has that the tool is for.
    private static let maximumCores = 64

    /// The variable that names the database of a command that needs one.
    static let databaseVariable = "FIRELITE_DATABASE"

    /// Accepts `--name VALUE`, `--name=VALUE`, `--name` and operands in any order; everything after `--` is an operand.
    ///
    /// A database may be the first operand of some commands, and `FIRELITE_DATABASE` names it where a command needs one and none is named.
    /// - Throws: `ToolError` with status 2.
    init(_ arguments: [String], for definition: CommandDefinition, environment: [String: String] = [:]) throws {
        var operands: [String] = []
        var values: [String: [String]] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard argument.hasPrefix("--"), let option = definition.option(named: String(parts[0].dropFirst(2))) else {
                if argument.hasPrefix("--"), let remedy = definition.remedies[String(parts[0].dropFirst(2))] {
                    throw ToolError.usage("\(definition.name) has no \(parts[0]): \(remedy)")
                }
                let near = NearWords.nearest(to: String(parts[0].drop { $0 == "-" }), among: definition.options.map(\.name))
                let hint = near.map { "did you mean --\($0)? " } ?? ""
                throw ToolError.usage("unknown option '\(parts[0])': \(hint)`firelite \(definition.name) --help` lists them")
            }
            if values[option.name] != nil, !option.isRepeatable { throw ToolError.usage("--\(option.name) is given twice") }
            values[option.name, default: []].append(try Self.value(of: option, parts.dropFirst().first, &rest))
        }
        let given = Set(values.keys)
        // The same, whichever way it is said.
        if values["format"] == ["json"], definition.option(named: Report.option.name) != nil { values[Report.option.name] = [""] }
        let isNamed = Self.nameDatabase(for: definition, in: &values, operands: &operands, environment: environment)
        try Self.suggestWords(for: definition, values, operands)
        try Self.refuseUnused(given, for: definition, values, operands)
        for option in definition.options where option.isRequired && values[option.name] == nil {
            let remedy = option.name == Self.database ? ": name the file there, or in \(Self.databaseVariable)" : ""
            throw ToolError.usage("--\(option.name) \(option.value ?? "") is missing\(remedy)")
        }
        if operands.count > definition.operandCount.upperBound {
            throw ToolError.usage("unexpected argument '\(operands[definition.operandCount.upperBound])'")
        }
        if operands.count < definition.operandCount.lowerBound { throw ToolError.usage("\(definition.ownOperands) is missing") }
        self.operands = operands
        cores = try Self.cores(environment)
        standardDatabase = environment[Self.databaseVariable].flatMap { $0.isEmpty ? nil : $0 }
        self.values = values
        let paths = Self.paths(definition, values, operands).map {
            // The name of what was given.
            isNamed && $0.name == "--\(Self.database)" ? OutputPath.Argument(name: Self.databaseVariable, path: $0.path, kind: $0.kind) : $0
        }
        try Self.requireFiles(paths)
        outputs = try OutputPath.outputs(among: paths)
    }

    private static let database = CommandDefinition.database

    /// Takes the database from the first operand, or from the environment, if no option names it.
    ///
    /// - Returns: whether it is the environment's.
    private static func nameDatabase(
        for definition: CommandDefinition, in values: inout [String: [String]], operands: inout [String], environment: [String: String]
    ) -> Bool {
        guard values[database] == nil, let option = definition.option(named: database) else { return false }
        guard option.isRequired || definition.needsDatabase(Set(values.keys), operands.count) else { return false }
        if let own = definition.ownOperand, !own.includesFirst(of: operands, count: definition.operandCount) {
            values[database] = [operands.removeFirst()]
        } else if let path = environment[databaseVariable], !path.isEmpty {
            values[database] = [path]
            return true
        }
        return false
    }

    /// Refuses a misspelled word if one of those that an option or an operand takes is near. Commands refuse any other wrong word themselves.
    private static func suggestWords(for definition: CommandDefinition, _ values: [String: [String]], _ operands: [String]) throws {
        for option in definition.options {
            guard case .choice(let words) = option.kind else { continue }
            for value in values[option.name] ?? [] {
                if let near = misspelled(value, words) { throw ToolError.usage("--\(option.name) is '\(value)': did you mean '\(near)'?") }
            }
        }
        for (operand, kind) in zip(operands, definition.operandKinds) {
            guard case .choice(let words) = kind, let near = misspelled(operand, words) else { continue }
            throw ToolError.usage("'\(operand)' is not \(list(words)): did you mean '\(near)'?")
        }
    }

    /// Refuses options that the action does not use, and those without the option that they belong to.
    private static func refuseUnused(
        _ given: Set<String>, for definition: CommandDefinition, _ values: [String: [String]], _ operands: [String]
    ) throws {
        let action = definition.action(operands)
        for option in definition.options where given.contains(option.name) {
            if let action, !option.isFor(action) { throw ToolError.usage("--\(option.name) needs \(list(option.actions ?? []))") }
            if let needed = option.needed, values[needed] == nil { throw ToolError.usage("--\(option.name) needs --\(needed)") }
        }
    }

    /// The word that is meant; nil for one of the words, whatever its case, and for a list or a path.
    private static func misspelled(_ text: String, _ words: [String]) -> String? {
        let isWord = !text.contains { ",./".contains($0) } && !words.contains { $0.lowercased() == text.lowercased() }
        return isWord ? NearWords.nearest(to: text, among: words) : nil
    }

    private static func list(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : "\(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1])"
    }

    /// The options and operands that name files and folders.
    private static func paths(
        _ definition: CommandDefinition, _ values: [String: [String]], _ operands: [String]
    ) -> [OutputPath.Argument] {
        let options = definition.options.filter(\.kind.isPath).flatMap { option in
            (values[option.name] ?? []).map { OutputPath.Argument(name: "--\(option.name)", path: $0, kind: option.kind) }
        }
        let kinds = definition.operandKinds
        let names = definition.ownOperands.split(separator: " ").map(String.init)
        return options
            + operands.enumerated().compactMap { index, operand in
                guard let kind = index < kinds.count ? kinds[index] : kinds.last, kind.isPath else { return nil }
                return OutputPath.Argument(name: index < names.count ? names[index] : names.last ?? "", path: operand, kind: kind)
            }
    }

    /// Refuses pipes and devices as databases: SQLite would wait for ever for a pipe.
    private static func requireFiles(_ paths: [OutputPath.Argument]) throws {
        for argument in paths where argument.kind == .database {
            var status = stat()
            guard stat(argument.path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { continue }
            throw ToolError.usage("\(argument.name) is \(argument.path), which is not an ordinary file: name another file")
        }
    }

    private static func value(of option: OptionDefinition, _ attached: String?, _ rest: inout ArraySlice<String>) throws -> String {
        guard let placeholder = option.value else {
            if attached != nil { throw ToolError.usage("--\(option.name) takes no value") }
            return ""
        }
        if let attached { return attached }
        guard let next = rest.first, !next.hasPrefix("--") else { throw ToolError.usage("--\(option.name) needs a value, \(placeholder)") }
        rest.removeFirst()
        return next
    }

    /// Whether an option is given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option, or nil if it is not given.
    subscript(name: String) -> String? { values[name]?.first }

    /// Every value of a repeatable option.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// What the command writes to by an option or an operand, which its definition must declare as an output; nil if it is not given.
    ///
    /// - Parameter name: `--name`, or the placeholder of an operand.
    func output(_ name: String) -> OutputPath? { outputs[name] }

    /// The value of a numeric option.
    ///
    /// - Throws: `ToolError` with status 2 if it is not a number in `range`.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let limit = range.upperBound == Int.max ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw ToolError.usage("--\(name) is '\(text)', not a whole number \(limit)")
        }
        return number
    }
}

/// A resource named by its type and logical id: `Patient/1`.
struct ResourceKey: CustomStringConvertible {
    let type: String
    let id: String

    var description: String { "\(type)/\(id)" }

    /// - Throws: `ToolError` with status 2 if the text is not `Type/id` or the release has no such type.
    init(_ text: String, in database: DatabaseArgument) throws {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { throw ToolError.usage("'\(text)' is not of the form Type/id") }
        _ = try database.resourceLayout(named: parts[0])
        (type, id) = (parts[0], parts[1])
    }
}
