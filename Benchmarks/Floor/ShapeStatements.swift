import SQLiteLibrary

/// A prepared statement for each table that resources of a shape have rows in, for every shape.
final class ShapeStatements {
    private var shapes: [UnsafeMutableBufferPointer<OpaquePointer>] = []

    /// - Parameter sql: the statement for a table.
    init(_ database: RawDatabase, sql: (_ table: String) -> String) throws {
        var known: [String: OpaquePointer] = [:]
        for row in try database.rows("SELECT shape, tables FROM _shape ORDER BY shape") {
            let tables = (row[1] ?? "").split(separator: " ").map(String.init)
            let statements = try tables.map { table in
                let statement = try known[table] ?? database.prepare(sql(table))
                known[table] = statement
                return statement
            }
            let number = Int(row[0] ?? "") ?? 0
            while shapes.count <= number { shapes.append(UnsafeMutableBufferPointer(start: nil, count: 0)) }
            shapes[number] = .allocate(capacity: statements.count)
            _ = shapes[number].initialize(from: statements)
        }
    }

    deinit {
        for shape in shapes { shape.deallocate() }
    }

    /// The statements for a shape, whose parameters are set to the keys of the resource with this number.
    @inline(__always)
    func forEach(_ shape: Int64, root: Int64, _ body: (OpaquePointer) -> Void) {
        guard shapes.indices.contains(Int(shape)) else { return }
        for statement in shapes[Int(shape)] {
            sqlite3_bind_int64(statement, 1, root << 24)
            sqlite3_bind_int64(statement, 2, root << 24 | 0xFF_FFFF)
            body(statement)
            sqlite3_reset(statement)
        }
    }
}
