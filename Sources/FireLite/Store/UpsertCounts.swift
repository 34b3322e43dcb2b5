/// The numbers of resources that an upsert added, updated and so on.
public struct UpsertCounts: Sendable, Hashable {
    /// The number of new resources.
    public internal(set) var added = 0
    /// The number of stored resources whose content changed.
    public internal(set) var updated = 0
    /// The number of resources that were stored already with the same content; no row was written for them.
    public internal(set) var unchanged = 0
    /// The number of resources older than the stored one, which was kept (`UpsertPolicy.keepNewer`).
    public internal(set) var skipped = 0
    /// The number of resources not stored because a later one in the same upsert has the same type and id.
    public internal(set) var superseded = 0

    /// The total number of resources.
    public var total: Int { added + updated + unchanged + skipped + superseded }

    /// Both together.
    func adding(_ other: UpsertCounts) -> UpsertCounts {
        var sum = self
        sum.added += other.added
        sum.updated += other.updated
        sum.unchanged += other.unchanged
        sum.skipped += other.skipped
        sum.superseded += other.superseded
        return sum
    }

    @inline(__always)
    mutating func note(_ outcome: UpsertOutcome) {
        switch outcome {
        case .added: added += 1
        case .merge, .updated: updated += 1
        case .unchanged: unchanged += 1
        case .older: skipped += 1
        case .replaced: superseded += 1
        }
    }
}
