import FireLiteSQLite

/// Goes through the tables once for many resources, given in the order of their numbers: where these are near one another, stepping over
/// the rows between them is less work than looking up each resource's.
final class FloorCursors {
    private let shapes: ShapeStatements
    private let last: Int64
    /// The number of the resource that each statement stands on a row of; -1 where it was not run.
    private var roots: ContiguousArray<Int64>
    /// Stepping over the rows of so many resources costs about as much as a look-up.
    private static let near: Int64 = 8

    /// - Parameters:
    ///   - shapes: statements that read a range of keys in their order.
    ///   - last: the greatest number of a resource that will be read.
    init(_ shapes: ShapeStatements, last: Int64) {
        self.shapes = shapes
        self.last = last
        roots = ContiguousArray(repeating: -1, count: shapes.statements.count)
    }

    /// Calls `body` with the statement for each row of a resource, whose number is greater than those before.
    @inline(__always)
    func forEachRow(root: Int64, shape: Int64, _ body: (OpaquePointer) -> Void) {
        for number in shapes.numbers(of: shape) {
            let statement = shapes.statements[number]
            if roots[number] < root - Self.near {
                sqlite3_reset(statement)
                sqlite3_bind_int64(statement, 1, root << 24)
                sqlite3_bind_int64(statement, 2, last << 24 | 0xFF_FFFF)
                step(statement, number)
            }
            while roots[number] < root { step(statement, number) }
            while roots[number] == root {
                body(statement)
                step(statement, number)
            }
        }
    }

    @inline(__always)
    private func step(_ statement: OpaquePointer, _ number: Int) {
        roots[number] = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) >> 24 : .max
    }

    /// Resets the statements.
    func end() {
        for number in roots.indices where roots[number] >= 0 { sqlite3_reset(shapes.statements[number]) }
    }
}
