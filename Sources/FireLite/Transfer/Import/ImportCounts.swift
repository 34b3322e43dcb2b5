/// The numbers of resources and texts of an import.
public struct ImportCounts: Equatable, Sendable {
    /// New resources.
    public var added = 0
    /// Resources that replaced a stored one.
    public var updated = 0
    /// Resources that were stored already with the same content.
    public var unchanged = 0
    /// Texts that could not be stored.
    public var rejected = 0
    /// Resources that a later one with the same type and id replaced, if they are close to each other in a file, and versions of a history
    /// before the last.
    public var superseded = 0
    /// OperationOutcomes of servers about searches and Bundles, which are not stored.
    public var outcomes = 0
    /// Resources older than the stored one, which was kept (``UpsertPolicy/keepNewer``).
    public var skipped = 0

    package init(added: Int = 0, updated: Int = 0, unchanged: Int = 0, rejected: Int = 0, superseded: Int = 0, outcomes: Int = 0) {
        self.added = added
        self.updated = updated
        self.unchanged = unchanged
        self.rejected = rejected
        self.superseded = superseded
        self.outcomes = outcomes
    }

    init(_ stored: UpsertCounts) {
        self.init(added: stored.added, updated: stored.updated, unchanged: stored.unchanged, superseded: stored.superseded)
        skipped = stored.skipped
    }

    /// The number of resources that were read and stored, or were already stored.
    public var stored: Int { added + updated + unchanged }

    package static func += (left: inout ImportCounts, right: ImportCounts) {
        left.added += right.added
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.rejected += right.rejected
        left.superseded += right.superseded
        left.outcomes += right.outcomes
        left.skipped += right.skipped
    }
}

/// The result of an import.
public struct ImportResult: Sendable, Equatable {
    /// How many resources were added, updated and so on; they add up to the number of resources read.
    public let counts: ImportCounts
    /// The first rejected texts, as many as ``ImportOptions/listedRejects`` says; `counts.rejected` is the number of all.
    public let rejects: [ImportFault]
}
