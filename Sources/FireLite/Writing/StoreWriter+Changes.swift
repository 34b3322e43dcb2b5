import FireLiteCore
import FireLiteSQLiteBridge

/// A resource that is stored with other content.
struct PendingChange {
    let registration: Registration
    /// Retained by the caller of the upsert, which writes all changes before it returns. Counting references here would need its memory, which
    /// has left the processor's cache when the change is written.
    let resource: Unmanaged<FHIRResource>
    let digest: ContentDigest.Value
    /// Its new rows in `StoreWriter.changedRows`.
    let rows: Range<Int>
}

// Many changed resources at once: each becomes rows while it is in the processor's cache, and the stored rows are read table by table, as a scan
// reads them. Starting a statement for each resource costs more than its rows.
extension StoreWriter {
    /// The number of changed resources whose rows are read together: enough for several rows of each table, as a statement is started for each.
    static let changesTogether = 256
    /// Fewer are read one by one.
    static let fewChanges = 4
    /// How far on, by number, a resource may be to be reached by stepping over the rows of others.
    private static let near: Int64 = 8
    /// The memory of the rows of a larger resource is returned.
    private static let keptBytes = 1 << 16

    /// Notes a change, which is written with others.
    func postpone(_ registration: Registration, _ resource: FHIRResource, digest: ContentDigest.Value) throws {
        let first = changedRows.buffer.rows.count
        _ = try changedRows.add(resource, as: changes.count, numbering: .fresh, marksManaged: false, takesOver: true)
        // Statements that read a table name all of its columns.
        if access.schema.needsGrowth(for: changedRows.buffer, from: first) { try grow() }
        changes.append(
            PendingChange(
                registration: registration, resource: .passUnretained(resource), digest: digest,
                rows: first..<changedRows.buffer.rows.count))
    }

    /// Whether enough changes wait to be written.
    var hasManyChanges: Bool { changes.count >= Self.changesTogether || changedRows.buffer.bytes.count >= Self.batchBytes }

    /// Writes the changes that wait, in their order.
    func writeChanges() throws {
        guard !changes.isEmpty else { return }
        defer { clearChanges() }
        guard let order = Self.readingOrder(changes) else {
            for change in changes { try replace(change, storedAt: nil) }
            return
        }
        try writeChanges(order)
    }

    /// - Parameter order: the indexes of the changes in the order of their resources' numbers.
    private func writeChanges(_ order: [Int]) throws {
        // Shares the memory of the new rows, which are cleared when it has gone.
        var comparison = RowComparison(changedRows.buffer)
        var found = [Range<Int>?](repeating: nil, count: changes.count)
        try compare(order, &comparison, into: &found)
        let places = try readOthers(order.filter { found[$0] == nil })
        for (index, change) in changes.enumerated() {
            if let rows = found[index] {
                try write(change, rows, comparison)
            } else {
                try replace(change, storedAt: places[index])
            }
        }
    }

    private func replace(_ change: PendingChange, storedAt place: Int?) throws {
        try change.resource._withUnsafeGuaranteedRef { resource in
            _ = try replace(change.registration, with: resource, numbering: .fresh, digest: change.digest, storedAt: place)
        }
    }

    func clearChanges() {
        changes.removeAll(keepingCapacity: true)
        changedRows.clear()
    }

    /// The indexes of changes in the order of their resources' numbers; nil if their rows are to be read one by one.
    private static func readingOrder(_ changes: [PendingChange]) -> [Int]? {
        guard changes.count >= fewChanges else { return nil }
        func root(_ index: Int) -> Int64 { changes[index].registration.root }
        let order = changes.indices.sorted { root($0) < root($1) }
        guard let first = order.first, let last = order.last, root(first) >= 0, root(last) <= RootNumbers.maximum else { return nil }
        // A damaged file may have two ids of one resource.
        return zip(order, order.dropFirst()).allSatisfy { root($0) < root($1) } ? order : nil
    }

    // MARK: - Resources with the same structure

    /// Compares the changes, in an order, with the stored rows.
    ///
    /// - Parameter found: receives the changed rows of each resource whose stored rows have the structure of the new ones.
    private func compare(_ order: [Int], _ comparison: inout RowComparison, into found: inout [Range<Int>?]) throws {
        // A resource that has as many rows in the same tables as it has ever had is likely to have the same ones.
        let alike = try order.filter { index in
            let (rows, registration) = (changes[index].rows, changes[index].registration)
            return try rows.count == Int(registration.nodes) && shape(of: rows, in: changedRows.buffer).number == registration.shape
        }
        guard alike.count >= Self.fewChanges else { return }
        var next = 0
        try access.reader.compare(alike.map { changes[$0].registration }, near: Self.near, &comparison) { _ in
            changes[alike[next]].rows
        } ended: { rows in
            found[alike[next]] = rows
            next += 1
        }
    }

    /// Writes the changed columns of a resource.
    private func write(_ change: PendingChange, _ changedRowRange: Range<Int>, _ comparison: borrowing RowComparison) throws {
        let registration = change.registration
        try refuseSealed(registration)
        let type = access.schema.tables[Int(changedRows.buffer.rows[change.rows.lowerBound].table)]
        // The id may have changed.
        newIDs.forget(type)
        let oldID = try oldID(of: registration, type)
        var paths = record?.notesPaths == true ? ChangedPaths(access.schema, firstRow: change.rows.lowerBound) : nil
        for row in comparison.rows[changedRowRange] {
            let header = changedRows.buffer.rows[row.row]
            let plan = access.schema.tables[Int(header.table)]
            let cells = comparison.cells[row.cells]
            let statement = try plan.update(of: cells.lazy.map { .values($0.column) }, access.connection)
            for (place, cell) in cells.enumerated() {
                if cell.cell < 0 {
                    statement.bindNull(place + 2)
                } else {
                    changedRows.buffer.bind(Int(cell.cell), to: place + 2, of: statement)
                }
            }
            statement.bind(1, RowKey.key(registration.root, Int64(header.node)))
            try statement.run()
            record?.touch(header.table)
            paths?.updated(row.row, changedRows.buffer, cells.map { .values($0.column) })
        }
        _ = try register(
            registration, change.resource, type, shape: registration.shape, nodes: registration.nodes, digest: change.digest,
            paths: paths?.paths, oldID: oldID)
    }

    // MARK: - Others

    /// Reads the stored rows of changes, in an order, into `storedRows`.
    ///
    /// - Returns: the index there of the rows of each change; empty places where they are to be read one by one.
    private func readOthers(_ order: [Int]) throws -> [Int?] {
        var places = [Int?](repeating: nil, count: changes.count)
        guard order.count >= Self.fewChanges else { return places }
        while storedRows.count < order.count { storedRows.append(RowBuffer(linksTables: false)) }
        for index in order.indices {
            if storedRows[index].bytes.capacity > Self.keptBytes { storedRows[index] = RowBuffer(linksTables: false) }
            storedRows[index].clear()
        }
        try access.reader.rows(order.map { changes[$0].registration }, near: Self.near, into: &storedRows)
        for (place, index) in order.enumerated() { places[index] = place }
        return places
    }
}
