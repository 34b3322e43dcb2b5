/// The order of business versions, and patterns such as `1.0.x`.
enum VersionPattern {
    /// Whether a version has wildcards: a part that is `x`, `X` or `*`.
    static func isPattern(_ version: String) -> Bool {
        version.split(separator: ".", omittingEmptySubsequences: false).contains { isWildcard($0) }
    }

    private static func isWildcard(_ part: some StringProtocol) -> Bool { part == "x" || part == "X" || part == "*" }

    /// Whether a version is the one that a reference asks for, or one that its pattern allows.
    static func matches(_ version: String?, _ wanted: String) -> Bool {
        guard let version else { return false }
        if version == wanted { return true }
        // An edition of SNOMED CT stands for its latest version.
        if wanted.hasPrefix("http://snomed.info/"), version.hasPrefix(wanted + "/version/") { return true }
        guard isPattern(wanted) else { return false }
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        let pattern = wanted.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= pattern.count else { return false }
        if parts.count > pattern.count, let last = pattern.last, !isWildcard(last) { return false }
        return zip(parts, pattern).allSatisfy { isWildcard($1) || $0 == $1 }
    }

    /// Whether the first version is older: numbers by value, texts by their letters, a pre-release before its release; none is the oldest.
    static func isOlder(_ first: String?, _ second: String?) -> Bool {
        guard let first else { return second != nil }
        guard let second else { return false }
        let (one, other) = (parts(first), parts(second))
        for (left, right) in zip(one.main, other.main) where left != right { return isLess(left, right) }
        if one.main.count != other.main.count { return one.main.count < other.main.count }
        if one.label == nil || other.label == nil { return one.label != nil && other.label == nil }
        for (left, right) in zip(one.label ?? [], other.label ?? []) where left != right { return isLess(left, right) }
        return (one.label?.count ?? 0) < (other.label?.count ?? 0)
    }

    private static func parts(_ version: String) -> (main: [Substring], label: [Substring]?) {
        let core = version.prefix { $0 != "+" }
        // A date such as 2024-03-01 has no label.
        let isSemantic = core.prefix { $0 != "-" }.contains(".")
        let main = isSemantic ? core.prefix { $0 != "-" } : core
        let label = core.dropFirst(main.count + 1)
        let separators: Set<Character> = isSemantic ? ["."] : [".", "-", "/"]
        return (main.split { separators.contains($0) }, label.isEmpty ? nil : label.split(separator: "."))
    }

    private static func isLess(_ first: Substring, _ second: Substring) -> Bool {
        switch (Int(first), Int(second)) {
        case (let left?, let right?): left < right
        case (nil, nil): first < second
        // Numbers come before words, as in semantic versions.
        case (let left, _): left != nil
        }
    }
}
