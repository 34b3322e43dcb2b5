/// What became of imported resources.
struct ImportCounts: Equatable {
    var added = 0
    var updated = 0
    var unchanged = 0
    var rejected = 0

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
