import FireLiteCore
import FireLiteSQLiteBridge

/// A resource that is stored with other content.
struct PendingChange {
    let registration: Registration
    let resource: FHIRResource
    let digest: ContentDigest.Value
}

/// What a file has of a resource that is about to be saved: its registration, and the index of its rows in `StoreWriter.storedRows`.
struct StoredResource {
    let registration: Registration
    let place: Int
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
        guard let order = Self.readingOrder(batch.map(\.registration.root)) else {
            for change in batch { try replace(change.registration, with: change.resource, numbering: .fresh, digest: change.digest) }
            return
        }
        let places = try readRows(batch.map(\.registration), order)
        for (index, change) in batch.enumerated() {
            try replace(change.registration, with: change.resource, numbering: .fresh, digest: change.digest, storedAt: places[index])
        }
    }

    /// Reads what the file has of resources that are about to be saved one after the other; nil if each is to be read when it is saved.
    ///
    /// - Parameter roots: their numbers.
    func stored(_ roots: [Int64]) throws -> [StoredResource]? {
        // What is kept of the content before a change is read with its rows, one by one.
        guard keeper == nil, tracking == nil, let order = Self.readingOrder(roots) else { return nil }
        try writeQueue()
        var registrations: [Registration] = []
        registrations.reserveCapacity(roots.count)
        for root in roots {
            // One that is not there is a conflict when it is saved.
            guard let registration = try access.registry.registration(root: root) else { return nil }
            registrations.append(registration)
        }
        return zip(registrations, try readRows(registrations, order)).map { StoredResource(registration: $0, place: $1) }
    }

    /// Reads the rows of resources into `storedRows`.
    ///
    /// - Parameter order: their indexes in the order of their numbers.
    /// - Returns: the index of each one's rows.
    private func readRows(_ registrations: [Registration], _ order: [Int]) throws -> [Int] {
        while storedRows.count < registrations.count { storedRows.append(RowBuffer(linksTables: false)) }
        for index in registrations.indices {
            if storedRows[index].bytes.capacity > Self.keptBytes { storedRows[index] = RowBuffer(linksTables: false) }
            storedRows[index].clear()
        }
        try access.reader.rows(order.map { registrations[$0] }, near: Self.near, into: &storedRows)
        var places = [Int](repeating: 0, count: registrations.count)
        for (place, index) in order.enumerated() { places[index] = place }
        return places
    }

    /// The indexes of resources in the order of their numbers; nil if their rows are to be read one by one.
    private static func readingOrder(_ roots: [Int64]) -> [Int]? {
        guard roots.count >= few else { return nil }
        let order = roots.indices.sorted { roots[$0] < roots[$1] }
        guard let first = order.first, let last = order.last, roots[first] >= 0, roots[last] <= RootNumbers.maximum else { return nil }
        // A damaged file may have two ids of one resource.
        return zip(order, order.dropFirst()).allSatisfy { roots[$0] < roots[$1] } ? order : nil
    }
}
