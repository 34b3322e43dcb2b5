import FireLite

/// `firelite delete`: deletes resources.
struct DeleteCommand: Command {
    static let definition = CommandDefinition(
        name: "delete", summary: "delete resources and everything that belongs to them",
        options: DatabaseArgument.options,
        operands: "Type/id…", operandCount: CommandDefinition.anyNumber,
        discussion: """
            All are deleted in one transaction. Missing ones are reported; the others are still deleted.

            Example: firelite delete --database health.sqlite Patient/123 Patient/124
            """)

    private let database: DatabaseArgument
    private let keys: [ResourceKey]

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        keys = try arguments.operands.map { try ResourceKey($0, in: database) }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        var missing: [ResourceKey] = []
        try database.located {
            try store.write { transaction in
                missing = try keys.filter { try !transaction.delete(typeName: $0.type, id: $0.id) }
            }
        }
        try console.print("deleted \(keys.count - missing.count)")
        for key in missing { console.report("firelite delete: \(key) is not in \(database.path)") }
        return missing.isEmpty ? .done : .incomplete
    }
}
