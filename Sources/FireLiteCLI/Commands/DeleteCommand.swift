import FireLite
import FireLiteRecords

/// `firelite delete`: deletes resources.
struct DeleteCommand: Command {
    static let definition = CommandDefinition(
        name: "delete", summary: "delete resources and everything that belongs to them",
        options: DatabaseArgument.options,
        operands: "Type/id…", operandCount: CommandDefinition.anyNumber, operandKinds: [.resource],
        jsonKeys: [JSONKey("deleted", "the number of deleted resources"), JSONKey("missing", "a list: the arguments that are not stored")],
        discussion: """
            All are deleted in one transaction. Missing ones are reported; the others are still deleted. In a
            database with records (firelite records) what is deleted leaves its metadata at once.

            Example: firelite delete --database health.sqlite Patient/123 Patient/124
            """)

    private let database: DatabaseArgument
    private let keys: [ResourceKey]
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        isJSON = arguments.has("json")
        keys = try arguments.operands.map { try ResourceKey($0, in: database) }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        var missing: [ResourceKey] = []
        try database.located {
            try store.followRecordsIfKept()
            try store.write { transaction in
                missing = try keys.filter { try !transaction.delete(typeName: $0.type, id: $0.id) }
            }
        }
        var report = Report()
        report.addLine([.init("deleted", .number(keys.count - missing.count))])
        report.addMember("missing", .texts(missing.map(\.description)))
        try console.print(report, asJSON: isJSON)
        for key in missing { console.report("firelite delete: \(key) is not in \(database.path)") }
        return missing.isEmpty ? .done : .incomplete
    }
}
