import FireLiteCore

/// The resources whose numbers a statement selects from a module's tables, as a condition of queries. None if the file has no such tables.
package struct ModuleSelection: Sendable {
    let module: ModuleTables
    private let sql: String
    private let arguments: [SQLValue]

    /// - Parameters:
    ///   - sql: a `SELECT` of one column, called `root`: numbers of resources, with `?` for values.
    ///   - arguments: the values.
    package init(_ module: ModuleTables, _ sql: String, _ arguments: [SQLValue] = []) {
        self.module = module
        self.sql = sql
        self.arguments = arguments
    }

    /// Whether another selection has the same statement and values.
    func isSame(as other: ModuleSelection) -> Bool { module.id == other.module.id && sql == other.sql && arguments == other.arguments }

    /// The keys of the resources' rows.
    var keys: SQLFragment { "SELECT \(raw: RowKey.key(ofSQL: "root")) FROM (\(SQLFragment(raw: sql, arguments)))" }
}
