import FireLiteSQLite

/// A statement for each table that resources of a shape have rows in, for every shape.
final class ShapeStatements {
    let statements: LateStatements
    /// The numbers of each shape's statements.
    private var shapes: [UnsafeMutableBufferPointer<Int>] = []

    /// - Parameter sql: the statement for a table.
    init(_ database: RawDatabase, sql: (_ table: String) -> String) throws {
        statements = LateStatements(database)
        for row in try database.rows("SELECT shape, tables FROM _shape ORDER BY shape") {
            let numbers = (row[1] ?? "").split(separator: " ").map { statements.number(of: sql(String($0))) }
            let shape = Int(row[0] ?? "") ?? 0
            while shapes.count <= shape { shapes.append(UnsafeMutableBufferPointer(start: nil, count: 0)) }
            shapes[shape] = .allocate(capacity: numbers.count)
            _ = shapes[shape].initialize(from: numbers)
        }
    }

    deinit {
        for shape in shapes { shape.deallocate() }
    }

    /// The numbers of the statements for a shape.
    @inline(__always)
    func numbers(of shape: Int64) -> UnsafeMutableBufferPointer<Int> {
        shapes.indices.contains(Int(shape)) ? shapes[Int(shape)] : UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    /// Runs `body` with the statements for a shape, whose parameters are set to the keys of the resource with this number.
    @inline(__always)
    func forEach(_ shape: Int64, root: Int64, _ body: (OpaquePointer) -> Void) {
        for number in numbers(of: shape) {
            let statement = statements[number]
            sqlite3_bind_int64(statement, 1, root << 24)
            sqlite3_bind_int64(statement, 2, root << 24 | 0xFF_FFFF)
            body(statement)
            sqlite3_reset(statement)
        }
    }
}
