extension String {
    /// A number with the words for one, or for several: `1 row belongs`, `2 rows belong`.
    package init(counting number: some BinaryInteger, _ one: String, _ several: String) {
        self = "\(number) \(number == 1 ? one : several)"
    }

    /// The text for a message: only the beginning and the end of one with more bytes, as it may be a stranger's and of any length.
    package func shortened(to limit: Int = 120) -> String {
        guard utf8.count > limit else { return self }
        // Not characters: one of them can have any number of marks.
        return "\(Substring(unicodeScalars.prefix(limit / 2)))…\(Substring(unicodeScalars.suffix(limit / 2)))"
    }

    /// A message whose words are shortened, and the whole of which is not long either.
    package var withShortWords: String {
        guard utf8.count > 120 else { return self }
        return split(separator: " ", omittingEmptySubsequences: false).map { String($0).shortened() }.joined(separator: " ").shortened(
            to: 2_000)
    }
}
