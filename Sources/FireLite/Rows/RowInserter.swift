import FireLiteCore
import SQLiteBridge

/// Writes buffered rows into their tables, one table after the other, each with one compiled statement.
struct RowInserter {
    let schema: StorageSchema
    let connection: Connection

    /// How many rows one statement inserts where a table gets that many: starting and ending a statement costs a third of inserting a row.
    static let group = 8

    /// Inserts all rows of the buffer; `roots` has the root number of each resource in it.
    ///
    /// - Throws: `SQLiteError`, after which some of the rows are there: the caller goes back to where it was.
    func insert(_ buffer: borrowing RowBuffer, roots: [Int64]) throws {
        for table in 0..<buffer.heads.count where buffer.heads[table] >= 0 {
            let plan = schema.tables[table]
            var row = Int(buffer.heads[table])
            while row >= 0 {
                let width = buffer.hasRows(Self.group, from: row) && plan.columns.count <= TableStatements.trackedColumns ? Self.group : 1
                let statement = try insertStatement(plan, rows: width)
                for place in 0..<width {
                    let header = buffer.rows[row]
                    let key = roots[Int(header.resource)] << 24 | Int64(header.node)
                    bind(header, key: key, parent: header.parent, buffer, statement, plan, place: width == 1 ? nil : place)
                    row = Int(header.next)
                }
                try statement.run()
            }
        }
    }

    /// Inserts one row.
    ///
    /// - Throws: `SQLiteError`.
    func insert(_ row: Int, of buffer: borrowing RowBuffer, key: Int64, parent: Int64) throws {
        let header = buffer.rows[row]
        let plan = schema.tables[Int(header.table)]
        let statement = try insertStatement(plan, rows: 1)
        bind(header, key: key, parent: parent, buffer, statement, plan, place: nil)
        try statement.run()
    }

    private func insertStatement(_ plan: TablePlan, rows: Int) throws -> Statement {
        if let statement = rows == 1 ? plan.statements.insert : plan.statements.insertGroup { return statement }
        let names = plan.columns.map { ",\"\($0.name)\"" }.joined()
        let row = "(?,?,?" + String(repeating: ",?", count: plan.columns.count) + ")"
        let values = Array(repeating: row, count: rows).joined(separator: ",")
        // Several rows with ABORT, the default, would have SQLite keep what each page was before the statement.
        let statement = try connection.prepare(
            "INSERT\(rows == 1 ? "" : " OR FAIL") INTO \"\(plan.name)\"(_k,_parent,_ord\(names)) VALUES \(values)")
        if rows == 1 {
            plan.statements.insert = statement
            plan.statements.boundColumns = 0
        } else {
            plan.statements.insertGroup = statement
            plan.statements.boundInGroup = Array(repeating: 0, count: rows)
        }
        return statement
    }

    /// Binds a row; `place` is its number in a statement of several.
    @inline(__always)
    private func bind(
        _ header: RowBuffer.Row, key: Int64, parent: Int64, _ buffer: borrowing RowBuffer, _ statement: Statement, _ plan: TablePlan,
        place: Int?
    ) {
        let first = (place ?? 0) * (plan.columns.count + 3) + 1
        statement.bind(first, key)
        if parent >= 0 { statement.bind(first + 1, parent) } else { statement.bindNull(first + 1) }
        if header.order >= 0 { statement.bind(first + 2, Int64(header.order)) } else { statement.bindNull(first + 2) }
        var bound: UInt64 = 0
        for cell in Int(header.cellStart)..<Int(header.cellEnd) {
            let column = Int(buffer.cells[cell].column)
            buffer.bind(cell, to: first + 3 + column, of: statement)
            if column < TableStatements.trackedColumns { bound |= 1 << UInt64(column) }
        }
        // The parameters that an earlier row set and this one does not.
        var stale = ~bound
        if let place {
            stale &= plan.statements.boundInGroup[place]
            plan.statements.boundInGroup[place] = bound
        } else {
            stale &= plan.statements.boundColumns
            plan.statements.boundColumns = bound
        }
        while stale != 0 {
            statement.bindNull(first + 3 + stale.trailingZeroBitCount)
            stale &= stale - 1
        }
        if plan.columns.count > TableStatements.trackedColumns { clearUntracked(header, buffer, statement, plan) }
    }

    @inline(never)
    private func clearUntracked(_ header: RowBuffer.Row, _ buffer: borrowing RowBuffer, _ statement: Statement, _ plan: TablePlan) {
        var used = Set<Int32>()
        for cell in Int(header.cellStart)..<Int(header.cellEnd) { used.insert(buffer.cells[cell].column) }
        for column in TableStatements.trackedColumns..<plan.columns.count where !used.contains(Int32(column)) {
            statement.bindNull(column + 4)
        }
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
                // The bytes stay where they are until the batch has been written.
                let empty: StaticString = ""
                let base = bytes.baseAddress.map { $0 + Int(cell.payload) } ?? empty.utf8Start
                base.withMemoryRebound(to: CChar.self, capacity: cell.length) { statement.bind(parameter, unownedText: $0, cell.length) }
            }
        }
    }
}
