import FireLite

/// How many places of each kind were mended.
struct MendCounts {
    private var counts: [MendKind: Int] = [:]

    mutating func add(_ places: [MendedPlace]) {
        for place in places { counts[place.kind, default: 0] += 1 }
    }

    /// Adds a line, the kinds in their order, if anything was mended.
    func add(to report: inout Report) {
        let kinds = MendKind.allCases.compactMap { kind in counts[kind].map { (kind.rawValue, $0) } }
        let line = kinds.isEmpty ? nil : "mended: " + kinds.map { "\($0) \($1)" }.joined(separator: ", ")
        report.addSummary("mended", line, kinds.map { [.init("kind", .text($0)), .init("places", .number($1))] })
    }
}
