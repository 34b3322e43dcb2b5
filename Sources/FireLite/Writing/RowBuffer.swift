/// Rows to be written, or read back for comparison: headers, cells and text, each in one run of memory.
struct RowBuffer {
    /// One row of one table.
    struct Row {
        var table: Int32
        /// The number of the row in its resource.
        var node: UInt32
        /// The number of the row that owns it; -1 for a resource that is not contained.
        var parent: Int64
        /// Its position in the owner's list; -1 for none.
        var order: Int32
        var cellStart: Int32
        var cellEnd: Int32
        /// The next row of the same table, or -1.
        var next: Int32 = -1
        /// The index of its resource in the batch.
        var resource: Int32
        /// The row in the other buffer that it was matched with, or -1.
        var match: Int32 = -1
    }

    enum Kind: UInt8 {
        case int, double, text
        /// The stored value is kept.
        case kept
    }

    /// One value: a number, or the position of its text in `bytes`.
    struct Cell {
        let column: Int32
        let kind: Kind
        let length: Int
        let payload: Int64
    }

    /// Whether the rows of a table are linked, which only rows to insert need.
    var linksTables = true
    var rows = ContiguousArray<Row>()
    var cells = ContiguousArray<Cell>()
    var bytes = ContiguousArray<UInt8>()
    /// The first and last row of each table, or -1.
    var heads = ContiguousArray<Int32>()
    var tails = ContiguousArray<Int32>()

    mutating func clear() {
        // Of one resource, few tables have rows.
        for row in rows.prefix(linksTables && rows.count < heads.count ? rows.count : 0) {
            heads[Int(row.table)] = -1
            tails[Int(row.table)] = -1
        }
        if linksTables, rows.count >= heads.count {
            for index in heads.indices {
                heads[index] = -1
                tails[index] = -1
            }
        }
        rows.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
        // The memory for one huge resource must not be kept forever.
        bytes.removeAll(keepingCapacity: bytes.capacity < 64 << 20)
    }

    /// Starts a row; its cells follow.
    @inline(__always)
    mutating func begin(table: Int, node: UInt32, parent: Int64, order: Int32, resource: Int32) -> Int {
        let index = rows.count
        let start = Int32(truncatingIfNeeded: cells.count)
        rows.append(
            Row(
                table: Int32(truncatingIfNeeded: table), node: node, parent: parent, order: order, cellStart: start, cellEnd: start,
                resource: resource))
        guard linksTables else { return index }
        while heads.count <= table {
            heads.append(-1)
            tails.append(-1)
        }
        if tails[table] >= 0 {
            rows[Int(tails[table])].next = Int32(truncatingIfNeeded: index)
        } else {
            heads[table] = Int32(truncatingIfNeeded: index)
        }
        tails[table] = Int32(truncatingIfNeeded: index)
        return index
    }

    @inline(__always)
    mutating func end(_ row: Int) { rows[row].cellEnd = Int32(truncatingIfNeeded: cells.count) }

    /// Keeps the stored value of a column.
    mutating func keep(_ column: Int32) {
        cells.append(Cell(column: column, kind: .kept, length: 0, payload: 0))
    }

    @inline(__always)
    mutating func add(_ column: Int32, int value: Int64) {
        cells.append(Cell(column: column, kind: .int, length: 0, payload: value))
    }

    @inline(__always)
    mutating func add(_ column: Int32, double value: Double) {
        // SQLite stores an integral REAL as an integer, which has no negative zero.
        cells.append(Cell(column: column, kind: .double, length: 0, payload: Int64(bitPattern: (value == 0 ? 0 : value).bitPattern)))
    }

    @inline(__always)
    mutating func add(_ column: Int32, text: borrowing String) {
        var text = copy text
        text.withUTF8 { add(column, bytes: $0) }
    }

    @inline(__always)
    mutating func add(_ column: Int32, bytes source: UnsafeBufferPointer<UInt8>) {
        cells.append(Cell(column: column, kind: .text, length: source.count, payload: Int64(bytes.count)))
        bytes.append(contentsOf: source)
    }
}
