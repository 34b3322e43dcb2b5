import FireLiteCore

/// The outcomes of the resources of an upsert.
///
/// Not generic, as generic code would look up the types for each of them.
struct UpsertOutcomes {
    enum Entry {
        case object(FHIRResource)
        /// Stored before with this number, and kept if it is newer than the argument.
        case stored(Int64, isNewer: Bool)
        /// Replaced by a later one with the same id.
        case same(Int)
    }

    private(set) var counts = UpsertCounts()
    private(set) var entries: [Entry] = []

    init(capacity: Int) { entries.reserveCapacity(capacity) }

    /// - Parameter resource: the resource that was stored, for a new one.
    mutating func take(_ outcome: UpsertOutcome, _ resource: @autoclosure () -> FHIRResource) {
        counts.note(outcome)
        switch outcome {
        case .added: entries.append(.object(resource()))
        case .merge(let target): entries.append(.object(target))
        case .updated(let root), .unchanged(let root): entries.append(.stored(root, isNewer: false))
        case .older(let root): entries.append(.stored(root, isNewer: true))
        case .replaced(let index): entries.append(.same(index))
        }
    }
}

/// The outcome of one resource of an upsert.
enum UpsertOutcome {
    case added(Int64)
    /// Its content goes to this managed object.
    case merge(FHIRResource)
    case updated(Int64)
    case unchanged(Int64)
    /// The stored resource is newer and is kept.
    case older(Int64)
    /// The argument at this index counts: one with the same id that came later, or the same object.
    case replaced(Int)
}
