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
    /// Those that update one column for values, by its number.
    var updatesOfOne: [Statement?] = []
}

extension TablePlan {
    /// The statement that updates columns of the row whose key is the first parameter; their values are the next ones.
    ///
    /// - Throws: `SQLiteError`.
    func update(of columns: some Collection<UpdatedColumn>, _ connection: Connection) throws -> Statement {
        // Most updates are of one column; hashing an array takes longer than the rest here.
        guard columns.count == 1, case .values(let column)? = columns.first else {
            let columns = Array(columns)
            if let known = statements.updates[columns] { return known }
            let statement = try connection.prepare(updateText(columns))
            statements.updates[columns] = statement
            return statement
        }
        while statements.updatesOfOne.count <= column { statements.updatesOfOne.append(nil) }
        if let known = statements.updatesOfOne[Int(column)] { return known }
        let statement = try connection.prepare(updateText([.values(column)]))
        statements.updatesOfOne[Int(column)] = statement
        return statement
    }

    private func updateText(_ columns: [UpdatedColumn]) -> String {
        let names = columns.enumerated().map { position, column in "\(quoted(column.name(in: self))) = ?\(position + 2)" }
        return "UPDATE \(quotedName) SET \(names.joined(separator: ", ")) WHERE _k = ?1"
    }
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
