import FireLiteSQLiteBridge

/// A table's compiled statements.
struct TableStatements {
    var insert: InsertStatement?
    /// Inserts several rows.
    var insertGroup: InsertStatement?
    var columns: RowColumns?
    var select: RowReader?
    /// Reads the rows of several ranges.
    var selectGroup: RowReader?
    var rootByID: Statement?
    var registrationByID: Statement?
    /// Looks up several ids.
    var registrationsByIDs: Statement?
    /// The same, for the numbers of the resources alone.
    var rootsByIDs: Statement?
    var delete: Statement?
    var updates: [[UpdatedColumn]: Statement] = [:]
}

/// A column that an update sets.
enum UpdatedColumn: Hashable {
    /// `_parent`: the number of the owner's row.
    case parent
    /// `_ord`: the position in the list.
    case order
    /// A column for values, by its number in the table.
    case values(Int32)

    func name(in plan: TablePlan) -> String {
        switch self {
        case .parent: "_parent"
        case .order: "_ord"
        case .values(let column): plan.columns[Int(column)].name
        }
    }
}
