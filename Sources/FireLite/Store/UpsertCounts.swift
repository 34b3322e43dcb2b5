/// What an upsert did with its resources, in numbers.
public struct UpsertCounts: Sendable, Hashable {
    /// How many resources were new.
    public internal(set) var added = 0
    /// How many stored resources got other content.
    public internal(set) var updated = 0
    /// How many had the stored content already; no row was written for them.
    public internal(set) var unchanged = 0
    /// How many were older than the stored resource, which stayed as it is (`UpsertPolicy.keepNewer`).
    public internal(set) var skipped = 0
    /// How many were not stored because a later one in the same upsert has their type and id.
    public internal(set) var superseded = 0

    /// How many resources there were.
    public var total: Int { added + updated + unchanged + skipped + superseded }

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
