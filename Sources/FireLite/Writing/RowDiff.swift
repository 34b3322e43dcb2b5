import FireLiteCore
import FireLiteSQLiteBridge

/// Compares the stored rows of a resource with new rows, and writes only the differences.
///
/// A new row replaces the stored row that it matches, and takes its number: the one with the object's number if objects
/// are managed, else the one at the same position of the same list. Unmatched stored rows are deleted.
struct RowDiff {
    let connection: StoreConnection
    let inserter: RowInserter
    /// The number of rows that the last call inserted, updated and deleted.
    private(set) var written = 0
    /// The tables of those rows, if observers need them.
    private(set) var touched: [Int32] = []
    /// The changed elements, if observers need them.
    private(set) var paths: [String]?
    private let notes: Notes

    /// What observers need to know.
    enum Notes {
        case nothing, tables, paths
    }

    /// A column of a stored row with a new value.
    private struct Change {
        enum Value {
            case null
            case integer(Int64)
            /// A cell of the new row.
            case cell(Int)
        }
        let column: UpdatedColumn
        let value: Value
    }

    private struct Position: Hashable {
        let table: Int32
        let parent: Int64
        let order: Int32
        let member: Int
    }

    init(_ connection: StoreConnection, notes: Notes) {
        self.connection = connection
        self.notes = notes
        inserter = RowInserter(schema: connection.schema, connection: connection.connection)
    }

    /// Changes the stored rows of resource `root` to `new`.
    ///
    /// - Parameters:
    ///   - new: the rows of one resource, whose parents are row indexes; receives their numbers.
    ///   - byNumber: whether rows with a number match the stored row with that number.
    ///   - nextNode: the first unused row number of the resource; increases with new rows.
    /// - Throws: `SQLiteError`; `FHIRStoreError.tooLarge`.
    mutating func apply(_ new: inout RowBuffer, over stored: inout RowBuffer, root: Int64, byNumber: Bool, nextNode: inout UInt32) throws {
        written = 0
        if !matchInOrder(&new, &stored, byNumber: byNumber) { match(&new, &stored, byNumber: byNumber) }
        for index in new.rows.indices where new.rows[index].match < 0 {
            guard nextNode <= Flattener.maximumNode else {
                throw FHIRStoreError(
                    .tooLarge, "a resource has had more than \(Flattener.maximumNode) rows: store a copy of it instead")
            }
            new.rows[index].node = nextNode
            nextNode += 1
        }
        var changed = notes == .paths ? ChangedPaths(connection.schema) : nil
        for index in stored.rows.indices where stored.rows[index].match < 0 {
            note(stored.rows[index].table)
            changed?.removed(index, stored)
            try delete(connection.schema.tables[Int(stored.rows[index].table)], key: RowKey.key(root, Int64(stored.rows[index].node)))
        }
        for index in new.rows.indices {
            let row = new.rows[index]
            let parent = row.parent < 0 ? -1 : Int64(new.rows[Int(row.parent)].node)
            let key = RowKey.key(root, Int64(row.node))
            if row.match < 0 {
                try inserter.insert(index, of: new, key: key, parent: parent)
                written += 1
                note(row.table)
                changed?.added(index, new)
            } else if let columns = try update(index, new: new, parent: parent, match: Int(row.match), stored: stored, key: key) {
                note(row.table)
                changed?.updated(index, new, columns)
            }
        }
        paths = changed?.paths
    }

    private mutating func note(_ table: Int32) { if notes != .nothing { touched.append(table) } }

    // MARK: - Matching

    /// Matches rows if old and new have the same structure, a quick test; returns false if they have not.
    ///
    /// By number, objects must also have the numbers that they would be given: then none has moved.
    private func matchInOrder(_ new: inout RowBuffer, _ stored: inout RowBuffer, byNumber: Bool) -> Bool {
        guard new.rows.count == stored.rows.count else { return false }
        for index in stored.rows.indices {
            let old = stored.rows[index]
            guard Int(old.node) < new.rows.count else { return false }
            let row = new.rows[Int(old.node)]
            guard row.table == old.table, row.parent == old.parent, row.order == old.order else { return false }
            guard byNumber, row.node != old.node else { continue }
            // Values of a list of primitives have no objects.
            guard row.node == Flattener.unnumbered, connection.schema.tables[Int(row.table)].primitive != nil else { return false }
        }
        for index in stored.rows.indices {
            let node = Int(stored.rows[index].node)
            stored.rows[index].match = Int32(node)
            new.rows[node].match = Int32(index)
            new.rows[node].node = UInt32(node)
        }
        return true
    }

    private func match(_ new: inout RowBuffer, _ stored: inout RowBuffer, byNumber: Bool) {
        var byPosition: [Position: Int32] = [:]
        var byNode: [UInt32: Int32] = [:]
        if byNumber { byNode.reserveCapacity(stored.rows.count) } else { byPosition.reserveCapacity(stored.rows.count) }
        for index in stored.rows.indices {
            let row = stored.rows[index]
            if byNumber {
                byNode[row.node] = Int32(index)
                // The others are not looked up by their position.
                guard row.parent < 0 || connection.schema.tables[Int(row.table)].primitive != nil else { continue }
            }
            byPosition[Position(table: row.table, parent: row.parent, order: row.order, member: member(row, stored))] = Int32(index)
        }
        for index in new.rows.indices {
            let row = new.rows[index]
            var found: Int32?
            if byNumber, row.node != Flattener.unnumbered {
                found = byNode[row.node].flatMap { stored.rows[Int($0)].table == row.table ? $0 : nil }
            } else if !byNumber || connection.schema.tables[Int(row.table)].primitive != nil || row.parent < 0 {
                let parent = row.parent < 0 ? -1 : Int(row.parent)
                let parentNode = parent < 0 ? -1 : Int64(new.rows[parent].node)
                let hasParent = parent < 0 || new.rows[parent].match >= 0
                found =
                    hasParent ? byPosition[Position(table: row.table, parent: parentNode, order: row.order, member: member(row, new))] : nil
            }
            if let candidate = found, stored.rows[Int(candidate)].match < 0 {
                stored.rows[Int(candidate)].match = Int32(index)
                new.rows[index].match = candidate
                new.rows[index].node = stored.rows[Int(candidate)].node
            } else {
                new.rows[index].match = -1
            }
        }
    }

    /// A hash of the member that a contained resource, or a row of a shared table, fills; 0 for other rows.
    private func member(_ row: RowBuffer.Row, _ buffer: borrowing RowBuffer) -> Int {
        let column = connection.schema.tables[Int(row.table)].memberColumn
        guard column >= 0, row.cellEnd > row.cellStart else { return 0 }
        let cell = buffer.cells[Int(row.cellStart)]
        guard cell.column == column, cell.kind == .text else { return 0 }
        var hasher = Hasher()
        for offset in 0..<cell.length { hasher.combine(buffer.bytes[Int(cell.payload) + offset]) }
        return hasher.finalize()
    }

    // MARK: - Statements

    private mutating func delete(_ plan: TablePlan, key: Int64) throws {
        try plan.deleteRows(key...key, connection.connection)
        written += 1
    }

    /// Updates the columns of a stored row that differ.
    ///
    /// - Returns: the columns; nil if none differ.
    private mutating func update(
        _ index: Int, new: borrowing RowBuffer, parent: Int64, match: Int, stored: borrowing RowBuffer, key: Int64
    ) throws -> [UpdatedColumn]? {
        let (row, old) = (new.rows[index], stored.rows[match])
        let plan = connection.schema.tables[Int(row.table)]
        var changes: [Change] = []
        if parent != old.parent { changes.append(Change(column: .parent, value: parent < 0 ? .null : .integer(parent))) }
        if row.order != old.order { changes.append(Change(column: .order, value: row.order < 0 ? .null : .integer(Int64(row.order)))) }
        Self.compare(row, new: new, old: old, stored: stored, changes: &changes)
        guard !changes.isEmpty else { return nil }
        let columns = changes.map(\.column)
        let statement = try plan.update(of: columns, connection.connection)
        for (position, change) in changes.enumerated() {
            switch change.value {
            case .null: statement.bindNull(position + 2)
            case .integer(let value): statement.bind(position + 2, value)
            case .cell(let cell): new.bind(cell, to: position + 2, of: statement)
            }
        }
        statement.bind(1, key)
        try statement.run()
        written += 1
        return columns
    }

    private static func compare(
        _ row: RowBuffer.Row, new: borrowing RowBuffer, old: RowBuffer.Row, stored: borrowing RowBuffer,
        changes: inout [Change]
    ) {
        // Both have their cells in the order of a walk through the object.
        var oldCell = Int(old.cellStart)
        let oldEnd = Int(old.cellEnd)
        for cell in Int(row.cellStart)..<Int(row.cellEnd) {
            if oldCell < oldEnd, new.isEqual(cell, stored, oldCell) {
                oldCell += 1
                continue
            }
            let column = new.cells[cell].column
            var found = oldCell
            while found < oldEnd, stored.cells[found].column != column { found += 1 }
            if found < oldEnd {
                for gone in oldCell..<found { changes.append(Change(column: .values(stored.cells[gone].column), value: .null)) }
                oldCell = found + 1
                if new.cells[cell].kind == .kept || new.isEqual(cell, stored, found) { continue }
            }
            if new.cells[cell].kind != .kept { changes.append(Change(column: .values(column), value: .cell(cell))) }
        }
        for gone in oldCell..<oldEnd { changes.append(Change(column: .values(stored.cells[gone].column), value: .null)) }
    }
}

extension RowBuffer {
    /// Whether two cells, of this buffer and another, have the same column and value.
    @inline(__always)
    borrowing func isEqual(_ cell: Int, _ other: borrowing RowBuffer, _ otherCell: Int) -> Bool {
        let (first, second) = (cells[cell], other.cells[otherCell])
        guard first.column == second.column, first.kind == second.kind, first.length == second.length else { return false }
        guard first.kind == .text else { return first.payload == second.payload }
        return bytes.withUnsafeBufferPointer { left in
            other.bytes.withUnsafeBufferPointer { right in
                guard let leftBase = left.baseAddress, let rightBase = right.baseAddress, first.length > 0 else { return true }
                return sameBytes(leftBase + Int(first.payload), rightBase + Int(second.payload), first.length)
            }
        }
    }
}
