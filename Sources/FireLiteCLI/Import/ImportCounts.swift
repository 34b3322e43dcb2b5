import FireLite

/// The results of an import in numbers.
struct ImportCounts: Equatable {
    var added = 0
    var updated = 0
    var unchanged = 0
    var rejected = 0
    /// Resources that a later one with the same type and id in the file replaced, and versions of a history before the last.
    var superseded = 0
    /// OperationOutcomes of servers about searches.
    var outcomes = 0

    init(added: Int = 0, updated: Int = 0, unchanged: Int = 0, rejected: Int = 0, superseded: Int = 0, outcomes: Int = 0) {
        self.added = added
        self.updated = updated
        self.unchanged = unchanged
        self.rejected = rejected
        self.superseded = superseded
        self.outcomes = outcomes
    }

    init(_ stored: UpsertCounts) {
        self.init(added: stored.added, updated: stored.updated, unchanged: stored.unchanged, superseded: stored.superseded)
    }

    /// The number of resources that were read and stored, or were already stored.
    var stored: Int { added + updated + unchanged }

    static func += (left: inout ImportCounts, right: ImportCounts) {
        left.added += right.added
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.rejected += right.rejected
        left.superseded += right.superseded
        left.outcomes += right.outcomes
    }

    func report(_ duration: Duration) -> Report {
        var report = Report()
        report.addLine([
            .init("added", .number(added)), .init("updated", .number(updated)), .init("unchanged", .number(unchanged)),
            .init("superseded", .number(superseded), isShown: superseded > 0), .init("outcomes", .number(outcomes), isShown: outcomes > 0),
            .init("rejected", .number(rejected)), .init("seconds", .seconds(duration)),
        ])
        return report
    }
}
