import FireLite

/// `firelite get`: prints one resource.
struct GetCommand: Command {
    static let definition = CommandDefinition(
        name: "get", summary: "print one resource as JSON",
        options: DatabaseArgument.options + [.option("pk", "PK", "the resource's local key, instead of Type/id")],
        operands: "Type/id", operandCount: 0...1, operandKinds: [.resource],
        discussion: """
            The JSON is indented on a terminal and one line otherwise.

            Example: firelite get --database health.sqlite Patient/123
            """)

    private enum Key {
        case resource(ResourceKey)
        case pk(String)
    }

    private let database: DatabaseArgument
    private let key: Key

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        switch (arguments.operands.first, arguments["pk"]) {
        case (let text?, nil): key = .resource(try ResourceKey(text, in: database))
        case (nil, let pk?): key = .pk(pk)
        default: throw ToolError.usage("give either Type/id or --pk")
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let resource = try database.located {
            switch key {
            case .resource(let key): try store.resource(typeName: key.type, id: key.id)
            case .pk(let pk): try store.read { try $0.resource(pk: pk) }
            }
        }
        guard let resource else { throw ToolError.incomplete("\(name) is not in \(database.path)") }
        try console.print(console.json(resource))
        return .done
    }

    private var name: String {
        switch key {
        case .resource(let key): key.description
        case .pk(let pk): "pk \(pk)"
        }
    }
}
