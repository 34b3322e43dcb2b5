import FireLiteSQLite

/// Writes the rows of a filled store into a fresh file with prepared statements, resource by resource, in one transaction.
struct FloorWriter {
    private let source: RawDatabase
    private let schema: RawSchema
    private let target: RawDatabase
    private let images: RowImageSource
    /// What inserts into each table, by its number in the schema.
    private let inserts: LateStatements

    /// - Parameters:
    ///   - original: the filled file.
    ///   - path: a file that is made, with what a new store has in it; or one with the tables of the filled file.
    init(from original: String, to path: String, isFresh: Bool = true, synchronous: String = "FULL") throws {
        source = try RawDatabase(original)
        schema = try RawSchema(source)
        images = try RowImageSource(source, schema)
        target = try RawDatabase(path, synchronous: synchronous)
        inserts = LateStatements(target)
        for table in schema.tables {
            let values = Array(repeating: "?", count: table.columns.count).joined(separator: ",")
            _ = inserts.number(of: "INSERT INTO \"\(table.name)\" VALUES (\(values))")
        }
        guard isFresh else { return }
        for sql in schema.fixed { try target.execute(sql) }
        for row in try source.rows("SELECT key, value FROM _meta") {
            try target.execute("INSERT INTO _meta VALUES ('\(row[0] ?? "")', '\(row[1] ?? "")')")
        }
    }

    /// Writes everything, a chunk at a time and as many in a transaction as a bulk upsert has.
    func writeAll(_ stopwatch: Stopwatch) throws {
        let count = Int64(try source.integer("SELECT max(root) FROM _resource"))
        try stopwatch.measure {
            try target.execute("BEGIN IMMEDIATE")
            try makeTables()
            var first: Int64 = 1
            while first <= count {
                if first > 1, (first - 1) % Int64(Fixture.mostInAWrite) == 0 { try target.execute("COMMIT; BEGIN IMMEDIATE") }
                let image = stopwatch.exclude { images.image(of: first...min(first + 49_999, count)) }
                try write(image)
                first += 50_000
            }
            try target.execute("COMMIT")
        }
    }

    /// Writes each of some resources in a transaction of its own, into tables that are there.
    func writeEach(_ roots: [Int64], _ stopwatch: Stopwatch) throws {
        let (begin, commit) = (try target.prepare("BEGIN IMMEDIATE"), try target.prepare("COMMIT"))
        for root in roots {
            let image = images.image(of: root...root)
            try stopwatch.measure {
                step(begin)
                try write(image)
                step(commit)
            }
        }
    }

    private func step(_ statement: OpaquePointer) {
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }

    private func makeTables() throws {
        for table in schema.tables where table.name != "_resource" {
            for sql in table.sql { try target.execute(sql) }
        }
        let shape = try target.prepare("INSERT INTO _shape VALUES (?, ?, ?)")
        for row in schema.shapeRows {
            sqlite3_bind_int64(shape, 1, Int64(row[0] ?? "") ?? 0)
            for column in 1...2 {
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                sqlite3_bind_text(shape, Int32(column + 1), row[column] ?? "", -1, transient)
            }
            step(shape)
        }
    }

    private func write(_ image: RowImage) throws {
        let failed = image.rows.withUnsafeBufferPointer { rows in
            image.cells.withUnsafeBufferPointer { cells in
                image.bytes.withUnsafeBufferPointer { insert(rows, cells, $0.baseAddress) }
            }
        }
        if failed { throw target.failure("INSERT") }
    }

    private func insert(
        _ rows: UnsafeBufferPointer<RowImage.Row>, _ cells: UnsafeBufferPointer<RowImage.Cell>, _ bytes: UnsafePointer<UInt8>?
    ) -> Bool {
        for row in rows {
            let statement = inserts[Int(row.table)]
            for index in row.cellStart..<row.cellEnd {
                Self.bind(cells[index], bytes, to: statement, cells[index].column + 1)
            }
            guard sqlite3_step(statement) == SQLITE_DONE else { return true }
            sqlite3_reset(statement)
        }
        return false
    }

    /// Binds a cell's value; text and bytes are not copied.
    @inline(__always)
    static func bind(_ cell: RowImage.Cell, _ bytes: UnsafePointer<UInt8>?, to statement: OpaquePointer, _ parameter: Int32) {
        switch cell.kind {
        case .null: sqlite3_bind_null(statement, parameter)
        case .int: sqlite3_bind_int64(statement, parameter, cell.payload)
        case .double: sqlite3_bind_double(statement, parameter, Double(bitPattern: UInt64(bitPattern: cell.payload)))
        case .text:
            let start = bytes.map { UnsafeRawPointer($0 + Int(cell.payload)).assumingMemoryBound(to: CChar.self) }
            sqlite3_bind_text(statement, parameter, start, cell.length, nil)
        case .blob: sqlite3_bind_blob(statement, parameter, bytes.map { $0 + Int(cell.payload) }, cell.length, nil)
        }
    }
}
