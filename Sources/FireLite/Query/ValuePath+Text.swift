import FireLiteCore

extension QueryValuePath where Value == String {
    private func look(_ way: TextOperator, _ text: String, _ folding: TextFolding) -> QueryCondition {
        QueryCondition(.value(path, .text(way, TextMatcher.folded(text, folding), folding)))
    }

    /// Whether some text at the path equals `text`, except for what `folding` ignores.
    public func equals(_ text: String, _ folding: TextFolding) -> QueryCondition { look(.equal, text, folding) }

    /// Whether some text at the path contains `text`. Case and accents matter unless `folding` ignores them.
    public func contains(_ text: String, _ folding: TextFolding = []) -> QueryCondition { look(.contains, text, folding) }

    /// Whether some text at the path begins with `text`. Case and accents matter, and an index is used, unless `folding` ignores them.
    public func hasPrefix(_ text: String, _ folding: TextFolding = []) -> QueryCondition { look(.hasPrefix, text, folding) }

    /// Whether some text at the path ends with `text`. Case and accents matter unless `folding` ignores them.
    public func hasSuffix(_ text: String, _ folding: TextFolding = []) -> QueryCondition { look(.hasSuffix, text, folding) }

    /// Whether some text at the path matches the pattern, in which `%` stands for any text and `_` for one character (a Unicode scalar).
    public func like(_ pattern: String, _ folding: TextFolding = []) -> QueryCondition { look(.like, pattern, folding) }
}
