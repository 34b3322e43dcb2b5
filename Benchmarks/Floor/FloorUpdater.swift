import FireLiteSQLite

/// Brings a file's rows to another's with prepared statements: for each resource the look-up by id and the registry row, and for each row
/// that differs an UPDATE of the columns that do.
final class FloorUpdater {
    private struct Change {
        let statement: Int
        let key: Int64
        let cells: Range<Int>
    }

    private let after: RawDatabase
    /// The file to change as it is found: on a connection of its own, as one that has read everything would have it in its cache.
    private let before: RawDatabase
    private let target: RawDatabase
    private let schema: RawSchema
    private var changes: [Change] = []
    private var cells: [RowImage.Cell] = []
    private var bytes: [UInt8] = []
    private let statements: LateStatements
    private var numbers: [[Int32]: Int] = [:]
    /// Keeps the values from being optimized away.
    private(set) var sum: Int64 = 0

    /// - Parameters:
    ///   - after: the file to become equal to, which has the same rows with other values, and perhaps more columns.
    ///   - target: the file to change, by the connection that is to do it.
    init(after: String, target: RawDatabase) throws {
        self.after = try RawDatabase(after)
        before = try RawDatabase(target.path)
        self.target = target
        statements = LateStatements(target)
        schema = try RawSchema(self.after)
    }

    /// Updates what differs, in one transaction; what differs is found before that.
    ///
    /// - Parameter keys: the resources that are looked up first, none where that was done in another way.
    func run(keys: [ResourceKey], _ stopwatch: Stopwatch) throws {
        try addColumns(stopwatch)
        for (index, table) in schema.tables.enumerated() { try findChanges(of: table, index) }
        let lookups = KeyLookups(target, keys) {
            """
            SELECT root, shape, revision, nodes, digest, pk FROM "\($0)" CROSS JOIN _resource ON root = _k >> 24
            WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1
            """
        }
        try stopwatch.measure {
            try target.execute("BEGIN IMMEDIATE")
            for lookup in lookups.all { sum &+= lookups.run(lookup) { RawDatabase.touch($0, columns: 6) } ?? 0 }
            cells.withUnsafeBufferPointer { cells in bytes.withUnsafeBufferPointer { update(cells, $0.baseAddress) } }
            try target.execute("COMMIT")
        }
    }

    private func update(_ cells: UnsafeBufferPointer<RowImage.Cell>, _ bytes: UnsafePointer<UInt8>?) {
        for change in changes {
            let statement = statements[change.statement]
            for (parameter, cell) in change.cells.enumerated() {
                FloorWriter.bind(cells[cell], bytes, to: statement, Int32(parameter + 1))
            }
            sqlite3_bind_int64(statement, Int32(change.cells.count + 1), change.key)
            sqlite3_step(statement)
            sqlite3_reset(statement)
        }
    }

    // MARK: - Differences

    /// Adds the columns that only the other file has.
    private func addColumns(_ stopwatch: Stopwatch) throws {
        let known = try RawSchema(target).tables
        for table in schema.tables {
            let columns = known.first { $0.name == table.name }?.columns.count ?? 0
            for column in table.columns.dropFirst(columns) {
                try stopwatch.measure { try target.execute("ALTER TABLE \"\(table.name)\" ADD COLUMN \"\(column)\" TEXT") }
            }
        }
    }

    private func findChanges(of table: RawSchema.Table, _ index: Int) throws {
        let sql = "SELECT * FROM \"\(table.name)\" ORDER BY \"\(table.key)\""
        let (new, old) = (try after.prepare(sql), try before.prepare(sql))
        while sqlite3_step(new) == SQLITE_ROW, sqlite3_step(old) == SQLITE_ROW {
            var columns: [Int32] = []
            let start = cells.count
            for column in 1..<Int32(table.columns.count) where !ContentComparison.isEqual(new, old, column) {
                columns.append(column)
                append(new, column)
            }
            guard !columns.isEmpty else { continue }
            changes.append(
                Change(statement: statement(table, index, columns), key: sqlite3_column_int64(new, 0), cells: start..<cells.count))
        }
        sqlite3_reset(new)
        sqlite3_reset(old)
    }

    private func append(_ statement: OpaquePointer, _ column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER:
            cells.append(RowImage.Cell(column: column, kind: .int, length: 0, payload: sqlite3_column_int64(statement, column)))
        case SQLITE_FLOAT:
            let bits = Int64(bitPattern: sqlite3_column_double(statement, column).bitPattern)
            cells.append(RowImage.Cell(column: column, kind: .double, length: 0, payload: bits))
        case SQLITE_NULL: cells.append(RowImage.Cell(column: column, kind: .null, length: 0, payload: 0))
        case let type:
            let count = sqlite3_column_bytes(statement, column)
            let kind = type == SQLITE_TEXT ? RowImage.Kind.text : .blob
            cells.append(RowImage.Cell(column: column, kind: kind, length: count, payload: Int64(bytes.count)))
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: Int(count)))
        }
    }

    private func statement(_ table: RawSchema.Table, _ index: Int, _ columns: [Int32]) -> Int {
        let key = [Int32(index)] + columns
        if let known = numbers[key] { return known }
        let assignments = columns.map { "\"\(table.columns[Int($0)])\" = ?" }.joined(separator: ", ")
        let number = statements.number(of: "UPDATE \"\(table.name)\" SET \(assignments) WHERE \"\(table.key)\" = ?")
        numbers[key] = number
        return number
    }
}
