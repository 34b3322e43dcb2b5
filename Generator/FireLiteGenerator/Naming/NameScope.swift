/// Names in use in one scope.
///
/// Types name files, and some file systems do not tell `Use` from `USE`: a scope can take names regardless of case.
struct NameScope {
    private var taken: Set<String>
    private let isCaseSensitive: Bool

    init(reserved: Set<String>, isCaseSensitive: Bool = true) {
        self.isCaseSensitive = isCaseSensitive
        taken = isCaseSensitive ? reserved : Set(reserved.map { $0.lowercased() })
    }

    /// Takes a name, with the suffix appended as often as it takes to make it unique.
    mutating func take(_ name: String, suffix: String) -> String {
        var candidate = name
        while !taken.insert(isCaseSensitive ? candidate : candidate.lowercased()).inserted { candidate += suffix }
        return candidate
    }
}
