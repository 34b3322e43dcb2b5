/// Names in use in one scope.
///
/// Names are taken regardless of case, since types name files and some file systems do not tell `Use` from `USE`.
struct NameScope {
    private var taken: Set<String>
    private let isCaseSensitive: Bool

    init(reserved: Set<String>, isCaseSensitive: Bool = true) {
        self.isCaseSensitive = isCaseSensitive
        taken = isCaseSensitive ? reserved : Set(reserved.map { $0.lowercased() })
    }

    /// Takes a name, with the suffix appended as often as it takes to make it unique.
    mutating func take(_ name: String, suffix: String) -> String {
        let key = isCaseSensitive ? name : name.lowercased()
        return taken.insert(key).inserted ? name : take(name + suffix, suffix: suffix)
    }
}
