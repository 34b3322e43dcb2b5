import FireLite

/// `firelite restore`: makes an earlier version of a resource the current one again.
struct RestoreCommand: Command {
    static let definition = CommandDefinition(
        name: "restore", summary: "make an earlier version of a resource the current one again",
        options: DatabaseArgument.options + [
            .option(
                "version", "N", "the version with this number, as `firelite history` prints it (default: the one before)")
        ],
        operands: "Type/id", operandCount: 1...1, operandKinds: [.resource],
        jsonKeys: [
            JSONKey("restored", "the number of the version that was restored"),
            JSONKey("version", "the number that it has as the current version"),
        ],
        discussion: """
            The history must be on: see `firelite track`. The default takes back the last change of a resource; for a
            deleted resource it is the version that was deleted. The restored version is a new one, so that restoring can be
            taken back too.

            Examples: firelite track --database health.sqlite on history
                      firelite delete --database health.sqlite Patient/123
                      firelite restore --database health.sqlite Patient/123
                      firelite restore --database health.sqlite --version 1 Patient/123
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let version: Int64?
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try ResourceKey(arguments.operands[0], in: database)
        version = try arguments.number("version", in: 1...Int.max).map { Int64($0) }
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let (restored, current) = try database.located {
            guard let result = try store.write({ try restore($0) }) else {
                let name = version.map { "version \($0)" } ?? "an earlier version"
                let off = try TrackedState.historyIsOff(store, of: key.type).map { ": \($0)" } ?? ""
                throw ToolError.incomplete("\(name) of \(key) is not in \(database.path)\(off)")
            }
            return result
        }
        var report = Report()
        report.addLine([.init("restored", .number(Int(restored))), .init("version", .number(Int(current)))])
        try console.print(report, asJSON: isJSON)
        return .done
    }

    /// - Returns: nil if there is no such version.
    private func restore(_ transaction: WriteTransaction) throws -> (restored: Int64, current: Int64)? {
        let versions = try transaction.history(typeName: key.type, id: key.id)
        let wanted = version ?? versions.first { !$0.isCurrent }?.version
        guard let wanted, try transaction.restore(typeName: key.type, id: key.id, version: wanted) != nil,
            let current = try transaction.history(typeName: key.type, id: key.id).first
        else { return nil }
        return (wanted, current.version)
    }
}
