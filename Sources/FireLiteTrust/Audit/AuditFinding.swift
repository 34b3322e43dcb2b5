/// The first row of a trail that does not match.
public struct AuditFinding: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The row's content has changed since it was written.
        case changed
        /// The row is missing: it was deleted, the end of the trail was cut off, or there is no trail.
        case missing
        /// No signed head covers the row.
        case unexpected
        /// The rows of a commit differ from the signed ones. This is the first of them.
        case rewritten
        /// The row's values were removed, and no entry records that.
        case emptied
        /// The signed head of the row's commit was changed, deleted or forged.
        case head
        /// A stored node does not match its rows. This is the first of them.
        case node
        /// The trail is not the one of a kept head.
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
    /// The number of rows.
    public internal(set) var size: Int64 = 0
    /// The number of rows whose values were pruned.
    public internal(set) var prunedCount: Int64 = 0
    /// The number of heads.
    public internal(set) var headCount: Int64 = 0
    /// The last head; nil without heads.
    public internal(set) var head: AuditHead?
    /// The first row that does not match; nil if all do.
    public internal(set) var finding: AuditFinding?

    /// Whether there is a trail, and everything matches.
    public var isIntact: Bool { finding == nil }
}
