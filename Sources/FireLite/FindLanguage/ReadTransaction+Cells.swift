import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// Calls `body` with the cells of each result.
    func forEachCells(_ request: QueryRequest, _ columns: [ValueColumn], _ body: ([ValueCell]) throws -> Void) throws {
        var lists: [ListStatement?] = []
        try forEachResult(
            request,
            columns: { statement in
                lists = try columns.map { column in
                    guard case .list(let type) = column.kind else { return nil }
                    return try ListStatement(column.path, type, statement)
                }
                return try columns.flatMap { try Self.columns($0, statement) }
            },
            { row in
                var cells: [ValueCell] = []
                for (index, column) in columns.enumerated() {
                    let (value, aside) = (row.value(1 + 2 * index), row.value(2 + 2 * index))
                    switch column.kind {
                    case .count: cells.append(.count(Int(value.integer ?? 0)))
                    case .value(let type): cells.append(ValueCodec.literal(value, aside: aside, type).map { .value($0) } ?? .absent)
                    case .list: cells.append(try list(lists[index], row.int(0)))
                    }
                }
                try body(cells)
                return true
            })
    }

    /// The two result columns of a column; NULL for lists, which have statements of their own.
    private static func columns(_ column: ValueColumn, _ statement: QueryStatement) throws -> [SQLFragment] {
        let null: SQLFragment = "NULL"
        switch column.kind {
        case .list: return [null, null]
        case .count: return [try statement.compiler.count(column.path, statement.scope), null]
        case .value: return try statement.firstValue(column.path).columns
        }
    }

    private func list(_ statement: ListStatement?, _ key: Int64) throws -> ValueCell {
        guard let statement else { return .absent }
        var literals: [String] = []
        try forEachRow(statement.values(ofResult: key)) { row in
            if let literal = ValueCodec.literal(row.value(0), aside: row.value(1), statement.type) { literals.append(literal) }
            return true
        }
        return literals.isEmpty ? .absent : .list(literals)
    }
}

/// The statement that reads every value at a path of one result. Not a subquery, which returns only one value.
private struct ListStatement {
    let type: PrimitiveType
    private let head: SQLFragment
    private let tail: SQLFragment

    /// Nil if the file has no such rows.
    init?(_ path: QueryPath, _ type: PrimitiveType, _ statement: QueryStatement) throws {
        guard let rows = try statement.compiler.rows(path, statement.scope), case .column(let column) = rows.leaf, column.name != nil
        else { return nil }
        self.type = type
        let result = QueryStatement.alias
        head = "SELECT \(column), \(column.asideSQL ?? "NULL") FROM \(statement.scope.table) \(result)\(rows.joins) WHERE \(result)._k = "
        let present = SQLFragment.all([rows.condition, "\(column) IS NOT NULL"])
        tail = rows.isDirect ? " AND \(present)" : " AND \(present) ORDER BY \(rows.orders)"
    }

    func values(ofResult key: Int64) -> SQLFragment { "\(head)\(bind: .integer(key))\(tail)" }
}
