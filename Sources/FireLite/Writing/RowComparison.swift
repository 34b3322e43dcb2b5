import FireLiteCore
import FireLiteSQLiteBridge

/// Compares the stored rows of resources, where SQLite has them, with new rows of the same structure: what differs is then a few columns.
///
/// Most changes of a resource leave its lists as long as they were. Copying its stored rows to compare them took longer than comparing.
struct RowComparison {
    /// A column of a row with another value.
    struct CellChange {
        let column: Int32
        /// The new cell; -1 for NULL.
        let cell: Int32
    }

    /// A row with other values in some columns.
    struct RowChange {
        /// Its index in the buffer of new rows.
        let row: Int
        /// Its changes in `cells`.
        let cells: Range<Int>
    }

    private let newRows: ContiguousArray<RowBuffer.Row>
    private let newCells: ContiguousArray<RowBuffer.Cell>
    private let newBytes: ContiguousArray<UInt8>
    private(set) var rows: [RowChange] = []
    private(set) var cells: [CellChange] = []

    // The resource that is being compared: its new rows, how many of them were found, what had changed before it.
    private var current = 0..<0
    private var found = 0
    private var isAlike = true
    private var firstRow = 0
    private var firstCell = 0

    /// - Parameter buffer: the new rows of all resources, with numbers from 0 in each.
    init(_ buffer: borrowing RowBuffer) {
        newRows = buffer.rows
        newCells = buffer.cells
        newBytes = buffer.bytes
    }

    /// Begins with a resource, which has these new rows.
    mutating func begin(_ new: Range<Int>) {
        current = new
        found = 0
        isAlike = true
        firstRow = rows.count
        firstCell = cells.count
    }

    /// Ends a resource and returns its changes in `rows`; nil if its stored rows have another structure.
    mutating func end() -> Range<Int>? {
        // A row is found by its number and table, so none is found twice.
        if isAlike, found == current.count { return firstRow..<rows.count }
        rows.removeSubrange(firstRow...)
        cells.removeSubrange(firstCell...)
        return nil
    }

    /// Compares a stored row.
    @inline(__always)
    mutating func take(_ row: ResultRow, _ columns: RowColumns) {
        let node = Int(RowKey.node(row.value(0).int))
        guard isAlike, node < current.count else {
            isAlike = false
            return
        }
        let index = current.lowerBound + node
        let new = newRows[index]
        let (parent, order) = (row.value(1), row.value(2))
        guard new.table == columns.tableIndex, new.parent == (parent.type == .null ? -1 : parent.int),
            Int64(new.order) == (order.type == .null ? -1 : order.int)
        else {
            isAlike = false
            return
        }
        let first = cells.count
        var cell = Int(new.cellStart)
        let end = Int(new.cellEnd)
        for source in columns.sources.indices {
            let column = columns.sources[source].column
            let value = row.value(source + RowColumns.fixedColumns)
            if cell < end, newCells[cell].column == column {
                if !isEqual(newCells[cell], value) { cells.append(CellChange(column: column, cell: Int32(truncatingIfNeeded: cell))) }
                cell += 1
            } else if value.type != .null {
                cells.append(CellChange(column: column, cell: -1))
            }
        }
        // Both are in the order of a walk through the object; otherwise a new value could have no column here.
        isAlike = cell == end
        found += 1
        if cells.count > first { rows.append(RowChange(row: index, cells: first..<cells.count)) }
    }

    @inline(__always)
    private func isEqual(_ cell: RowBuffer.Cell, _ value: ResultValue) -> Bool {
        switch cell.kind {
        case .kept: return true
        case .int: return value.type == .integer && value.int == cell.payload
        case .double:
            guard value.type == .float else { return false }
            let double = value.double
            return Int64(bitPattern: (double == 0 ? 0 : double).bitPattern) == cell.payload
        case .text:
            guard value.type == .text || value.type == .blob else { return false }
            let bytes = value.textBytes
            guard bytes.count == cell.length else { return false }
            guard let stored = bytes.baseAddress, cell.length > 0 else { return true }
            return newBytes.withUnsafeBufferPointer { new in
                guard let base = new.baseAddress else { return false }
                return sameBytes(base + Int(cell.payload), stored, cell.length)
            }
        }
    }
}
