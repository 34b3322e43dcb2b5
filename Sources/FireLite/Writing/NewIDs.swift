import FireLiteCore

/// The ids that a write has added to tables that were empty when it began.
///
/// Loading a new store need not look up each id in the file: an id that is not here is not in the file. There is no other writer, and
/// an id that is here although it was rolled back only costs a lookup.
struct NewIDs {
    private enum State {
        case unknown
        /// The hashes of all its ids.
        case new(IDSet)
        /// The table had rows before, so ids are looked up.
        case old
    }

    private var states: [State] = []

    /// Whether the table may have a resource with this id.
    mutating func mayHold(_ id: String, _ table: TablePlan, _ access: StoreConnection) throws -> Bool {
        switch try state(of: table, access) {
        case .old, .unknown: return true
        case .new(let ids): return ids.contains(IDHash.of(id))
        }
    }

    /// Whether the table had rows before, so that its ids are not known here.
    mutating func hadAny(_ table: TablePlan, _ access: StoreConnection) throws -> Bool {
        if case .new = try state(of: table, access) { return false }
        return true
    }

    private mutating func state(of table: TablePlan, _ access: StoreConnection) throws -> State {
        while states.count <= table.index { states.append(.unknown) }
        if case .unknown = states[table.index] {
            let isEmpty = try !table.isInFile || access.connection.integer("SELECT 1 FROM \(table.quotedName) LIMIT 1") == nil
            states[table.index] = isEmpty ? .new(IDSet()) : .old
        }
        return states[table.index]
    }

    /// Records the id of a resource that is about to be stored.
    mutating func insert(_ resource: FHIRResource, _ table: TablePlan) {
        guard table.index < states.count, case .new(let ids) = states[table.index], let id = resource.id else { return }
        ids.insert(IDHash.of(id))
    }

    /// Looks up ids of the table from now on.
    mutating func forget(_ table: TablePlan) {
        while states.count <= table.index { states.append(.unknown) }
        states[table.index] = .old
    }

    /// Discards everything, at the start of a write.
    mutating func clear() { states.removeAll(keepingCapacity: true) }
}
