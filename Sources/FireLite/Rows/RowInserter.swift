import FireLiteCore
import SQLiteBridge

/// Writes buffered rows into their tables, one table after the other, each with one compiled statement.
struct RowInserter {
    let schema: StorageSchema
    let connection: Connection

    /// Inserts all rows of the buffer; `roots` has the root number of each resource in it.
    ///
    /// - Throws: `SQLiteError`.
    func insert(_ buffer: borrowing RowBuffer, roots: [Int64]) throws {
        for table in 0..<buffer.heads.count where buffer.heads[table] >= 0 {
            let plan = schema.tables[table]
            var row = Int(buffer.heads[table])
            let statement = try insertStatement(plan)
            while row >= 0 {
                let header = buffer.rows[row]
                bind(header, key: roots[Int(header.resource)] << 24 | Int64(header.node), parent: header.parent, buffer, statement, plan)
                try statement.run()
                row = Int(header.next)
            }
        }
    }

    /// Inserts one row.
    ///
    /// - Throws: `SQLiteError`.
    func insert(_ row: Int, of buffer: borrowing RowBuffer, key: Int64, parent: Int64) throws {
        let header = buffer.rows[row]
        let plan = schema.tables[Int(header.table)]
        let statement = try insertStatement(plan)
        bind(header, key: key, parent: parent, buffer, statement, plan)
        try statement.run()
    }

    private func insertStatement(_ plan: TablePlan) throws -> Statement {
        if let statement = plan.statements.insert { return statement }
        let names = plan.columns.map { ",\"\($0.name)\"" }.joined()
        let values = String(repeating: ",?", count: plan.columns.count)
        let statement = try connection.prepare("INSERT INTO \"\(plan.name)\"(_k,_parent,_ord\(names)) VALUES (?,?,?\(values))")
        plan.statements.insert = statement
        plan.statements.boundColumns = 0
        return statement
    }

    @inline(__always)
    private func bind(
        _ header: RowBuffer.Row, key: Int64, parent: Int64, _ buffer: borrowing RowBuffer, _ statement: Statement, _ plan: TablePlan
    ) {
        statement.bind(1, key)
        if parent >= 0 { statement.bind(2, parent) } else { statement.bindNull(2) }
        if header.order >= 0 { statement.bind(3, Int64(header.order)) } else { statement.bindNull(3) }
        var bound: UInt64 = 0
        for cell in Int(header.cellStart)..<Int(header.cellEnd) {
            let column = Int(buffer.cells[cell].column)
            buffer.bind(cell, to: column + 4, of: statement)
            if column < 64 { bound |= 1 << UInt64(column) }
        }
        clear(plan, bound, header, buffer, statement)
    }

    /// Sets the parameters to NULL that an earlier row set and this one does not.
    @inline(__always)
    private func clear(_ plan: TablePlan, _ bound: UInt64, _ header: RowBuffer.Row, _ buffer: borrowing RowBuffer, _ statement: Statement) {
        var stale = plan.statements.boundColumns & ~bound
        while stale != 0 {
            statement.bindNull(stale.trailingZeroBitCount + 4)
            stale &= stale - 1
        }
        plan.statements.boundColumns = bound
        guard plan.columns.count > 64 else { return }
        var used = Set<Int32>()
        for cell in Int(header.cellStart)..<Int(header.cellEnd) { used.insert(buffer.cells[cell].column) }
        for column in 64..<plan.columns.count where !used.contains(Int32(column)) { statement.bindNull(column + 4) }
    }
}

extension RowBuffer {
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
