import FireLiteCore

/// The ids that a write has put into tables which were empty when it began.
///
/// Who loads a fresh store need not look up each id in the file: what is not here is not there either. Nobody else writes meanwhile, and
/// an id that is here for nothing, as it was rolled back, costs a look-up only.
struct NewIDs {
    private enum State {
        case unknown
        /// Hashes of all its ids.
        case new(IDSet)
        /// There were rows before, so ids are looked up.
        case old
    }

    private var states: [State] = []

    /// Whether a resource with this id may be in the table.
    mutating func mayHold(_ id: String, _ table: TablePlan, _ access: StoreConnection) throws -> Bool {
        while states.count <= table.index { states.append(.unknown) }
        switch states[table.index] {
        case .old: return true
        case .new(let ids): return ids.contains(IDHash.of(id))
        case .unknown:
            let isEmpty = try !table.isInFile || access.connection.integer("SELECT 1 FROM \(table.quotedName) LIMIT 1") == nil
            states[table.index] = isEmpty ? .new(IDSet()) : .old
            return !isEmpty
        }
    }

    /// Whether there is no saying what ids are in the table without looking.
    func mayHoldAny(_ table: TablePlan) -> Bool {
        if case .old = states[table.index] { return true }
        return false
    }

    /// Notes the id of a resource that is about to be stored.
    mutating func insert(_ resource: FHIRResource, _ table: TablePlan) {
        guard table.index < states.count, case .new(let ids) = states[table.index], let id = resource.id else { return }
        ids.insert(IDHash.of(id))
    }

    /// Looks ids of the table up from now on.
    mutating func forget(_ table: TablePlan) {
        while states.count <= table.index { states.append(.unknown) }
        states[table.index] = .old
    }

    /// Forgets what was known, as a write begins.
    mutating func clear() { states.removeAll(keepingCapacity: true) }
}
