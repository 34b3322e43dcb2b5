/// A test of one value.
package enum ValueTest: Sendable, Equatable {
    /// Compares by SQL's order: numbers as numbers, text by its UTF-8 bytes.
    case compare(Comparison, SQLValue)
    /// The value is one of these.
    case oneOf([SQLValue])
    /// Between two values, both included.
    case between(SQLValue, SQLValue)
    /// Compares dates and times as the intervals they name. The exact form requires every moment of the stored value's interval
    /// to compare so, the overlapping form some moment of it.
    case date(Comparison, DateBounds, overlapping: Bool)
    case dateOneOf([DateBounds])
    /// The pattern is already folded.
    case text(TextOperator, String, TextFolding)
    /// The text of a reference leads to a resource of this type, or is a `urn:uuid:`, which may lead to any.
    case referenceType(String)
    /// The text of a reference ends in this type and id, under whatever base address, or is the `urn:uuid:` of the id.
    case referenceTo(type: String, id: String)
    /// Whether a date has a time of day.
    case hasTime(Bool)

    /// A test of text whose pattern is not folded yet.
    package static func text(_ way: TextOperator, of pattern: String, _ folding: TextFolding) -> ValueTest {
        .text(way, TextMatcher.folded(pattern, folding), folding)
    }
}

/// How text is searched for in text.
package enum TextOperator: Int64, Sendable {
    case equal = 0
    case contains = 1
    case hasPrefix = 2
    case hasSuffix = 3
    /// `%` stands for any text, `_` for one character.
    case like = 4
}

/// Differences that comparisons of text ignore.
public struct TextFolding: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: Int64
    /// The options with these bits.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// `A` and `a` are the same.
    public static let ignoringCase = TextFolding(rawValue: 8)
    /// `é` and `e` are the same.
    public static let ignoringAccents = TextFolding(rawValue: 16)
    /// Ignores case and accents.
    public static let all: TextFolding = [.ignoringCase, .ignoringAccents]
}
