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
