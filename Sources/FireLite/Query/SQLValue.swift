/// An SQL value, with its storage class (<https://www.sqlite.org/datatype3.html>).
public enum SQLValue: Sendable, Hashable, Codable {
    /// NULL.
    case null
    /// A signed integer of up to 64 bits.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral
{
    /// The text of a literal.
    public init(stringLiteral value: String) { self = .text(value) }
    /// The integer of a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// The number of a literal.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// SQLite's booleans are 1 and 0.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
    /// NULL.
    public init(nilLiteral: ()) { self = .null }
}

extension SQLValue {
    /// The integer; nil for values of other classes.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The number, integer or real; nil for values of other classes.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
    /// The text; nil for values of other classes.
    public var text: String? { if case .text(let value) = self { value } else { nil } }
    /// Whether it is NULL.
    public var isNull: Bool { self == .null }
}
