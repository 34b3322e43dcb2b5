import FireLiteCore
import FireLiteSQLiteBridge

extension RowBuffer {
    /// Adds a stored row.
    @inline(__always)
    mutating func append(_ row: ResultRow, _ columns: RowColumns) {
        let (parent, order) = (row.value(1), row.value(2))
        let begun = begin(
            table: columns.plan.index, node: RowKey.node(row.value(0).int), parent: parent.type == .null ? -1 : parent.int,
            order: order.type == .null ? -1 : Int32(truncatingIfNeeded: order.int), resource: 0)
        for index in columns.sources.indices {
            let column = columns.sources[index].column
            let cell = row.value(index + RowColumns.fixedColumns)
            switch cell.type {
            case .null: continue
            case .integer: add(column, int: cell.int)
            case .float: add(column, double: cell.double)
            case .text, .blob: add(column, bytes: cell.textBytes)
            }
        }
        end(begun)
    }
}
