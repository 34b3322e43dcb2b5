/// The first row of a trail that does not fit.
public struct AuditFinding: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The row does not say what it said when it was written.
        case changed
        /// The row is missing: it, or the end of the trail, was deleted.
        case missing
        /// The row is in no signed head.
        case unexpected
        /// The rows of one commit, of which this is the first, are not those that were signed.
        case rewritten
        /// The row's values were removed, and no entry says so.
        case emptied
        /// The signed head of the row's commit was changed, deleted or forged.
        case head
        /// A stored node over rows, of which this is the first, does not match them.
        case node
        /// The trail is another one than that of a head that was kept.
        case otherTrail
    }

    /// What is wrong.
    public let kind: Kind
    /// The number of the row.
    public let row: Int64
    /// What is wrong, and where.
    public let description: String

    init(_ kind: Kind, _ row: Int64, _ description: String) {
        self.kind = kind
        self.row = row
        self.description = description
    }
}

/// The result of verifying a trail.
public struct AuditVerification: Sendable, Hashable {
    /// The number of rows that the trail has.
    public internal(set) var size: Int64 = 0
    /// The number of rows whose values were pruned.
    public internal(set) var prunedCount: Int64 = 0
    /// The number of its heads.
    public internal(set) var headCount: Int64 = 0
    /// The last head; nil if there is none.
    public internal(set) var head: AuditHead?
    /// The first row that does not fit; nil if all do.
    public internal(set) var finding: AuditFinding?

    /// Whether everything fits.
    public var isIntact: Bool { finding == nil }
}
