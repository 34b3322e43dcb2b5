/// How many places of each kind were mended.
struct MendCounts {
    private var counts: [MendKind: Int] = [:]

    mutating func add(_ places: [MendedPlace]) {
        for place in places { counts[place.kind, default: 0] += 1 }
    }

    /// One line, the kinds in their order; nil if nothing was mended.
    var summary: String? {
        let parts = MendKind.allCases.compactMap { kind in counts[kind].map { "\(kind.rawValue) \($0)" } }
        return parts.isEmpty ? nil : "mended: " + parts.joined(separator: ", ")
    }
}
