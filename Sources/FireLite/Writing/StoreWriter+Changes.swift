import FireLiteCore
import FireLiteSQLiteBridge

/// A resource that is stored with other content.
struct PendingChange {
    let registration: Registration
    let resource: FHIRResource
    let digest: ContentDigest.Value
}

// Many changed resources at once: their stored rows are read table by table, as a scan reads them. Starting a statement for each resource costs more
// than its rows.
extension StoreWriter {
    /// The number of changed resources whose rows are read together: enough for several rows of each table, as a statement is started for each.
    static let changesTogether = 256
    /// Fewer are read one by one.
    private static let few = 4
    /// How far on, by number, a resource may be to be reached by stepping over the rows of others.
    private static let near: Int64 = 8
    /// The memory of the rows of a larger resource is returned.
    private static let keptBytes = 1 << 16

    /// Writes the changes that wait, in their order.
    func writeChanges() throws {
        guard !changes.isEmpty else { return }
        let batch = changes
        changes.removeAll(keepingCapacity: true)
        guard let order = Self.readingOrder(batch) else {
            for change in batch { try replace(change.registration, with: change.resource, numbering: .fresh, digest: change.digest) }
            return
        }
        while storedRows.count < batch.count { storedRows.append(RowBuffer(linksTables: false)) }
        for index in batch.indices {
            if storedRows[index].bytes.capacity > Self.keptBytes { storedRows[index] = RowBuffer(linksTables: false) }
            storedRows[index].clear()
        }
        try access.reader.rows(order.map { batch[$0].registration }, near: Self.near, into: &storedRows)
        var places = [Int](repeating: 0, count: batch.count)
        for (place, index) in order.enumerated() { places[index] = place }
        for (index, change) in batch.enumerated() {
            try replace(change.registration, with: change.resource, numbering: .fresh, digest: change.digest, storedAt: places[index])
        }
    }

    /// The indexes of changes in the order of their resources' numbers; nil if their rows are to be read one by one.
    private static func readingOrder(_ changes: [PendingChange]) -> [Int]? {
        guard changes.count >= few else { return nil }
        func root(_ index: Int) -> Int64 { changes[index].registration.root }
        let order = changes.indices.sorted { root($0) < root($1) }
        guard let first = order.first, let last = order.last, root(first) >= 0, root(last) <= RootNumbers.maximum else { return nil }
        // A damaged file may have two ids of one resource.
        return zip(order, order.dropFirst()).allSatisfy { root($0) < root($1) } ? order : nil
    }
}
