/// The literal of a decimal, date or time: packed into a word if that is lossless, else its text.
@frozen public enum PackedLiteral: Sendable, Hashable {
    case word(Int64)
    case text(String)
}
