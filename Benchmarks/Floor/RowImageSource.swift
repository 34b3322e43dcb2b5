import FireLiteSQLite

/// Reads the rows of a filled file for the floors, chunk by chunk.
final class RowImageSource {
    private let schema: RawSchema
    private let selects: [OpaquePointer]
    /// Which parameters have a value after the rows so far.
    private var bound: [[Bool]]

    init(_ database: RawDatabase, _ schema: RawSchema) throws {
        self.schema = schema
        selects = try schema.tables.map {
            try database.prepare("SELECT * FROM \"\($0.name)\" WHERE \"\($0.key)\" BETWEEN ? AND ? ORDER BY \"\($0.key)\"")
        }
        bound = schema.tables.map { Array(repeating: false, count: $0.columns.count) }
    }

    /// The rows of the resources with these numbers.
    func image(of roots: ClosedRange<Int64>) -> RowImage {
        var image = RowImage()
        var order: [(root: Int64, row: Int)] = []
        for (index, table) in schema.tables.enumerated() {
            let shift = RawSchema.shift(table)
            let statement = selects[index]
            sqlite3_bind_int64(statement, 1, roots.lowerBound << shift)
            sqlite3_bind_int64(statement, 2, roots.upperBound << shift | ((1 << shift) - 1))
            while sqlite3_step(statement) == SQLITE_ROW {
                let key = sqlite3_column_int64(statement, 0)
                order.append((key >> shift, image.rows.count))
                image.read(statement, table: index, key: key)
            }
            sqlite3_reset(statement)
        }
        // Rows came table by table: sorted by resource they are in the order of writing.
        order.sort { ($0.root, $0.row) < ($1.root, $1.row) }
        image.arrange(order.map(\.row), bound: &bound)
        return image
    }
}
