/// What a profile changed in a class, and what of it a class cannot express.
struct ProfileNarrowing {
    private var applied: [String: Int] = [:]
    private var omitted: [String: Int] = [:]

    mutating func apply(_ what: String) { applied[what, default: 0] += 1 }

    mutating func omit(_ what: String) { omitted[what, default: 0] += 1 }

    /// One line about it.
    func note(on type: String, by url: String) -> String {
        let omitted = self.omitted.isEmpty ? "" : "; not in the class, " + Self.list(self.omitted)
        return "`\(type)` is narrowed by \(url), \(applied.isEmpty ? "nothing" : Self.list(applied))\(omitted)"
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}
