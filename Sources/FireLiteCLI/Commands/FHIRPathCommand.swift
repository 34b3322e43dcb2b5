import FireLite
import FireLiteFHIRPath
import FireLiteKnowledge
import Foundation

/// `firelite fhirpath`: evaluates an expression.
struct FHIRPathCommand: Command {
    static let definition = CommandDefinition(
        name: "fhirpath", summary: "evaluate a FHIRPath expression",
        options: [
            .option("input", "FILE", kind: .file, "evaluate it on the resource in this JSON file; - is standard input"),
            .option(
                "database", "FILE", kind: .database,
                "evaluate it on the resource Type/id in this SQLite file; FIRELITE_DATABASE can name it"),
            CodesArgument.option,
            DatabaseArgument.release,
            KeyFile.option.needing(CommandDefinition.database),
            ListFormat.option(standard: "ndjson"),
        ],
        operands: "[Type/id] EXPRESSION", operandCount: 1...2, operandKinds: [.resource, .other],
        needsDatabase: { options, operands in operands == 2 && !options.contains("input") },
        jsonKeys: [JSONKey("results", "a list: type, value")], list: ListDefinition(key: "results"),
        discussion: """
            The output is one line for each result, an object with `type` and `value`; --format table and csv have the columns type
            and value. The type is FHIR's name, as `code` or
            `HumanName`, or one of FHIRPath's own: boolean, string, integer, long, decimal, date, dateTime, time or Quantity.
            The value is a text in FHIRPath's notation, as `@2020-01-01` or `10 'mg'`, the JSON of an object, or null.

            Without --input and --database there is nothing to evaluate on, which is enough for `1 + 1`. A path that begins with
            a type, as Patient.name, has no results then, but its elements are checked; any other path is an error. References
            are resolved in the database. An expression that begins with a minus follows --. memberOf() and subsumes() know
            FHIR's own codes, the definitions in the database, and those of --knowledge.

            The check is strict: a path that begins with the name of another type, and first() and the like after children() or
            descendants(), which have no order, are errors. The exit status is 1 if the expression is wrong, and 0 with or
            without results. The error names line and column.

            Examples: firelite fhirpath --database health.sqlite Patient/123 "name.where(use = 'official').given.first()"
                      firelite fhirpath "@2020-02-29 + 1 year"
            """)

    private let expression: String
    private let input: String?
    private let database: DatabaseArgument?
    private let key: ResourceKey?
    private let release: FHIRRelease
    private let knowledge: CodesArgument
    private let format: ListFormat
    private let isForSpreadsheet: Bool

    init(_ arguments: ParsedArguments) throws {
        let argument = try DatabaseArgument(arguments, path: "-")
        release = argument.release
        input = arguments["input"]
        knowledge = CodesArgument(arguments)
        let given = try arguments.format()
        format = given ?? .ndjson
        isForSpreadsheet = try arguments.isForSpreadsheet(given)
        if arguments.has("database") {
            if input != nil { throw ToolError.usage("--input and --database are given: choose one") }
            guard arguments.operands.count == 2 else { throw ToolError.usage("--database needs Type/id and EXPRESSION") }
            database = argument
            key = try ResourceKey(arguments.operands[0], in: argument)
        } else {
            guard arguments.operands.count == 1 else {
                throw ToolError.usage("unexpected argument: Type/id needs --database\(input == nil ? " (or FIRELITE_DATABASE)" : "")")
            }
            // A division of a type by something has no results.
            if input == nil, Self.isKey(arguments.operands[0], argument.release) {
                throw ToolError.usage("EXPRESSION is missing after \(arguments.operands[0])")
            }
            (database, key) = (nil, nil)
        }
        expression = arguments.operands[arguments.operands.count - 1]
    }

    func run(_ console: Console) throws -> ExitStatus {
        var options = FHIRPathOptions()
        options.isStrict = true
        let path = try FHIRPath(expression, options: options)
        var context = FHIRPathContext()
        context.release = release
        var terminology = Terminology(release: release)
        try knowledge.add(to: &terminology)
        context.terminology = terminology
        var values: [FHIRPathValue] = []
        if let database, let key {
            let store = try database.openForReading()
            terminology.add(StoredDefinitions(store))
            context.terminology = terminology
            try database.located {
                try store.read { transaction in
                    guard let resource = try transaction.resource(typeName: key.type, id: key.id) else {
                        throw ToolError.incomplete("\(key) is not in \(database.path)")
                    }
                    context.resolve = { try transaction.resource(reference: $0) }
                    context.bases = try transaction.bases()
                    values = try path.evaluate(on: resource, context: context)
                    try print(values, console)
                }
            }
        } else if let input {
            let resource = try FHIRJSON.resource(from: FileContents.bytes(of: input, console), release: release)
            try print(path.evaluate(on: resource, context: context), console)
        } else {
            if let name = Self.firstName(in: path.syntax), !["FHIR", "System"].contains(name) {
                guard let layout = release.layout(named: name) else {
                    let hint = NearWords.nearest(to: name, among: release.layouts.map(\.name)).map { ": did you mean '\($0)'?" }
                    throw ToolError.incomplete(
                        "'\(name)' is not a type of FHIR \(release.name)\(hint ?? ", and there is no resource: give --input or Type/id")")
                }
                _ = try path.resultType(on: .object(layout), release: release, variables: [:])
            }
            try print(path.evaluate(context: context), console)
        }
        return .done
    }

    /// Whether a text is `Type/id`.
    private static func isKey(_ text: String, _ release: FHIRRelease) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[1].isEmpty && release.hasResourceType(named: String(parts[0]))
    }

    /// The name that the expression's first path begins with; nil if there is none.
    private static func firstName(in syntax: Syntax) -> String? {
        switch syntax.form {
        case .member(let name): name
        case .invocation(let left, _), .indexer(let left, _): firstName(in: left)
        case .sign(_, let operand), .isType(let operand, _), .asType(let operand, _): firstName(in: operand)
        case .binary(_, let left, let right): firstName(in: left) ?? firstName(in: right)
        default: nil
        }
    }

    private func print(_ values: [FHIRPathValue], _ console: Console) throws {
        var writer = RowWriter(console, as: format, key: "results", isForSpreadsheet: isForSpreadsheet)
        try writer.begin([("type", .left), ("value", .left)])
        for value in values {
            let type = Self.type(of: value)
            try writer.write(
                [type, Self.literal(of: value) ?? value.object.map { FHIRJSON.string($0) } ?? ""],
                json: JSONText.object([("type", JSONText.string(type)), ("value", Self.json(value))]))
        }
        try writer.end(console)
    }

    /// The name of the type in FHIR's spelling, as HL7's suite has it: FHIRPath's `Integer` is `integer`.
    static func type(of value: FHIRPathValue) -> String {
        guard value.namespace == "System", value.type != "Quantity" else { return value.type }
        return value.type.prefix(1).lowercased() + value.type.dropFirst()
    }

    private static func json(_ value: FHIRPathValue) -> String {
        literal(of: value).map { JSONText.string($0) } ?? value.object.map { FHIRJSON.string($0) } ?? "null"
    }

    /// The value in FHIRPath's notation; nil for an object.
    private static func literal(of value: FHIRPathValue) -> String? {
        guard var text = value.literal else { return nil }
        // A dateTime without a time ends with a T in FHIRPath's notation, as a date does not; here the type says which it is.
        if text.hasPrefix("@"), text.hasSuffix("T") { text.removeLast() }
        return text
    }
}
