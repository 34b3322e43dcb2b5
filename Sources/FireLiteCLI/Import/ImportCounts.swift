/// What became of imported resources.
struct ImportCounts: Equatable {
    var added = 0
    var updated = 0
    var unchanged = 0
    var rejected = 0

    init(added: Int = 0, updated: Int = 0, unchanged: Int = 0, rejected: Int = 0) {
        self.added = added
        self.updated = updated
        self.unchanged = unchanged
        self.rejected = rejected
    }

    init(_ stored: (added: Int, updated: Int, unchanged: Int)) {
        self.init(added: stored.added, updated: stored.updated, unchanged: stored.unchanged)
    }

    /// How many resources were read and stored, or found stored already.
    var stored: Int { added + updated + unchanged }

    static func += (left: inout ImportCounts, right: ImportCounts) {
        left.added += right.added
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.rejected += right.rejected
    }

    func summary(_ duration: Duration) -> String {
        "added \(added), updated \(updated), unchanged \(unchanged), rejected \(rejected), seconds \(Figures.seconds(duration))"
    }
}
