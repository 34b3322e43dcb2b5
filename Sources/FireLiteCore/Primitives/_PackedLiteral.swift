/// The literal of a decimal, date or time: packed into a word where that loses nothing, else its text.
///
/// Public only because the protocol `FHIRTemporal` stands on it.
@frozen public enum _PackedLiteral: Sendable, Hashable {
    /// A packed literal.
    case word(Int64)
    /// A literal that fits no word.
    case text(String)
}
