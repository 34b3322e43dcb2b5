/// What is asked of one value.
package enum ValueTest: Sendable {
    /// Compares by SQL's order: numbers as numbers, text by its UTF-8 bytes.
    case compare(Comparison, SQLValue)
    /// The value is one of these.
    case oneOf([SQLValue])
    /// Between two values, both included.
    case between(SQLValue, SQLValue)
    /// Compares dates and times as the intervals they name. The exact form asks whether every moment of the stored value's interval
    /// compares so, the overlapping form whether some moment of it may.
    case date(Comparison, DateBounds, overlapping: Bool)
    case dateOneOf([DateBounds])
    /// The pattern is folded already.
    case text(TextOperator, String, TextFolding)
}

/// How text is looked for in text.
package enum TextOperator: Int64, Sendable {
    case equal = 0
    case contains = 1
    case hasPrefix = 2
    case hasSuffix = 3
    /// `%` stands for any text, `_` for one character.
    case like = 4
}

/// What does not matter when text is compared.
public struct TextFolding: OptionSet, Sendable, Hashable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// `A` and `a` are the same.
    public static let ignoringCase = TextFolding(rawValue: 8)
    /// `é` and `e` are the same.
    public static let ignoringAccents = TextFolding(rawValue: 16)
    /// Neither case nor accents matter.
    public static let all: TextFolding = [.ignoringCase, .ignoringAccents]
}
