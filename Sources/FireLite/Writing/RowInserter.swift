import FireLiteCore
import FireLiteSQLiteBridge

/// Writes buffered rows to their tables, one table after the other, each with one compiled statement.
struct RowInserter {
    let schema: StorageSchema
    let connection: Connection

    /// The number of rows that one statement inserts if a table gets that many: starting and ending a statement costs a third of inserting a row.
    static let group = 8

    /// Inserts all rows of the buffer; `roots` has the root number of each resource in it.
    ///
    /// - Throws: `SQLiteError`, after which some of the rows are stored: the caller must roll back.
    func insert(_ buffer: borrowing RowBuffer, roots: [Int64]) throws {
        for table in 0..<buffer.heads.count where buffer.heads[table] >= 0 {
            let plan = schema.tables[table]
            var row = Int(buffer.heads[table])
            while row >= 0 {
                let isGroup = buffer.hasRows(Self.group, from: row) && plan.columns.count <= InsertStatement.trackedColumns
                let insert = try isGroup ? groupStatement(plan) : statement(plan)
                for place in insert.bound.indices {
                    let header = buffer.rows[row]
                    let key = RowKey.key(roots[Int(header.resource)], Int64(header.node))
                    bind(header, key: key, parent: header.parent, buffer, to: place, of: insert, plan)
                    row = Int(header.next)
                }
                try insert.statement.run()
            }
        }
    }

    /// Inserts one row.
    ///
    /// - Throws: `SQLiteError`.
    func insert(_ row: Int, of buffer: borrowing RowBuffer, key: Int64, parent: Int64) throws {
        let header = buffer.rows[row]
        let plan = schema.tables[Int(header.table)]
        let insert = try statement(plan)
        bind(header, key: key, parent: parent, buffer, to: 0, of: insert, plan)
        try insert.statement.run()
    }

    private func statement(_ plan: TablePlan) throws -> InsertStatement {
        let insert = try plan.statements.insert ?? InsertStatement(plan, rows: 1, connection)
        plan.statements.insert = insert
        return insert
    }

    private func groupStatement(_ plan: TablePlan) throws -> InsertStatement {
        let insert = try plan.statements.insertGroup ?? InsertStatement(plan, rows: Self.group, connection)
        plan.statements.insertGroup = insert
        return insert
    }

    /// Binds a row to one of the positions in a statement.
    @inline(__always)
    private func bind(
        _ header: RowBuffer.Row, key: Int64, parent: Int64, _ buffer: borrowing RowBuffer, to place: Int, of insert: InsertStatement,
        _ plan: TablePlan
    ) {
        let statement = insert.statement
        let first = place * (plan.columns.count + 3) + 1
        statement.bind(first, key)
        if parent >= 0 { statement.bind(first + 1, parent) } else { statement.bindNull(first + 1) }
        if header.order >= 0 { statement.bind(first + 2, Int64(header.order)) } else { statement.bindNull(first + 2) }
        var bound: UInt64 = 0
        for cell in Int(header.cellStart)..<Int(header.cellEnd) {
            let column = Int(buffer.cells[cell].column)
            buffer.bind(cell, to: first + 3 + column, of: statement)
            if column < InsertStatement.trackedColumns { bound |= 1 << UInt64(column) }
        }
        // Parameters that an earlier row set but this one does not.
        var stale = insert.bound[place] & ~bound
        insert.bound[place] = bound
        while stale != 0 {
            statement.bindNull(first + 3 + stale.trailingZeroBitCount)
            stale &= stale - 1
        }
        if plan.columns.count > InsertStatement.trackedColumns { clearUntracked(header, buffer: buffer, statement: statement, plan: plan) }
    }

    @inline(never)
    private func clearUntracked(_ header: RowBuffer.Row, buffer: borrowing RowBuffer, statement: Statement, plan: TablePlan) {
        var used = Set<Int32>()
        for cell in Int(header.cellStart)..<Int(header.cellEnd) { used.insert(buffer.cells[cell].column) }
        for column in InsertStatement.trackedColumns..<plan.columns.count where !used.contains(Int32(column)) {
            statement.bindNull(column + 4)
        }
    }
}

/// A compiled statement that inserts rows into a table.
final class InsertStatement {
    /// The number of columns with a bit for whether they are bound.
    static let trackedColumns = 64

    let statement: Statement
    /// The columns that each row of the statement last set.
    @exclusivity(unchecked) var bound: [UInt64]

    /// - Throws: `SQLiteError`.
    init(_ plan: TablePlan, rows: Int, _ connection: Connection) throws {
        let names = plan.columns.map { "," + $0.quotedName }.joined()
        let row = "(?,?,?" + String(repeating: ",?", count: plan.columns.count) + ")"
        let values = Array(repeating: row, count: rows).joined(separator: ",")
        // With ABORT, the default, and several rows, SQLite would keep a copy of each page before the statement.
        let policy = rows == 1 ? "" : " OR FAIL"
        statement = try connection.prepare("INSERT\(policy) INTO \(plan.quotedName)(_k,_parent,_ord\(names)) VALUES \(values)")
        bound = Array(repeating: 0, count: rows)
    }
}

extension RowBuffer {
    /// Whether a table has that many rows from one of them on.
    @inline(__always)
    fileprivate borrowing func hasRows(_ count: Int, from row: Int) -> Bool {
        var row = row
        for _ in 1..<count {
            row = Int(rows[row].next)
            if row < 0 { return false }
        }
        return true
    }

    /// Binds a cell's value, without a copy of its text, to a parameter.
    @inline(__always)
    borrowing func bind(_ cell: Int, to parameter: Int, of statement: Statement) {
        let cell = cells[cell]
        switch cell.kind {
        case .int: statement.bind(parameter, cell.payload)
        case .double: statement.bind(parameter, Double(bitPattern: UInt64(bitPattern: cell.payload)))
        case .kept: statement.bindNull(parameter)
        case .text:
            bytes.withUnsafeBufferPointer { bytes in
                // The bytes stay valid until the batch has been written.
                let empty: StaticString = ""
                let base = bytes.baseAddress.map { $0 + Int(cell.payload) } ?? empty.utf8Start
                base.withMemoryRebound(to: CChar.self, capacity: cell.length) { statement.bind(parameter, unownedText: $0, cell.length) }
            }
        }
    }
}
