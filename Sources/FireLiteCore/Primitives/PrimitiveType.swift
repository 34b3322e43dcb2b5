/// A primitive datatype of FHIR, by its FHIR name (<https://hl7.org/fhir/datatypes.html#primitive>); `integer64` since R5.
public enum PrimitiveType: UInt8, Sendable, CaseIterable {
    /// `true` or `false`.
    case boolean
    /// A whole number of 32 bits with a sign.
    case integer
    /// A whole number from 1 to 2,147,483,647.
    case positiveInt
    /// A whole number from 0 to 2,147,483,647.
    case unsignedInt
    /// A whole number of 64 bits with a sign, which JSON has as a string.
    case integer64
    /// A decimal number whose trailing zeros count: `1.0` and `1.00` differ in precision.
    case decimal
    /// A year, a month or a day, without a time zone.
    case date
    /// A year, a month, a day, or a moment with its offset from UTC.
    case dateTime
    /// A moment, at least to the second, with its offset from UTC.
    case instant
    /// A time of day, without a date and a time zone.
    case time
    /// Text.
    case string
    /// Text from a set that is defined elsewhere, with single spaces at most, and none at its ends.
    case code
    /// 1 to 64 ASCII letters, digits, `-` and `.`.
    case id
    /// A URI reference (RFC 3986), absolute or relative.
    case uri
    /// A URI that says how to reach something: `https`, `mailto`.
    case url
    /// A URI that refers to a resource by its canonical URL, with `|` and a version if one is meant.
    case canonical
    /// An OID as a URI: `urn:oid:1.2.3`.
    case oid
    /// A UUID as a URI, with `urn:uuid:` before it.
    case uuid
    /// Text in Markdown.
    case markdown
    /// Bytes in base64.
    case base64Binary
    /// The XHTML of a narrative.
    case xhtml

    /// The FHIR name of the type, `dateTime` for example.
    public var name: String { Self.names[Int(rawValue)] }

    /// By the numbers of the cases: writing the name of a case looks through all of them.
    private static let names = allCases.map { "\($0)" }

    /// The type with this FHIR name, or nil.
    package init?(name: String) {
        guard let type = Self.byName[name] else { return nil }
        self = type
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// The representation of values of this type in memory.
    package var storage: PrimitiveStorage {
        switch self {
        case .boolean: .boolean
        case .integer, .positiveInt, .unsignedInt: .integer
        case .integer64: .integer
        case .decimal: .decimal
        case .date, .dateTime, .instant, .time: .temporal
        default: .text
        }
    }

    /// The integers that the type allows, for the integer types.
    package var integerRange: ClosedRange<Int64> {
        switch self {
        case .positiveInt: 1...Int64(Int32.max)
        case .unsignedInt: 0...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        default: Int64(Int32.min)...Int64(Int32.max)
        }
    }
}

/// The representation of a primitive's value: one 64-bit word if it fits, else text.
package enum PrimitiveStorage: UInt8, Sendable {
    /// 0 or 1.
    case boolean
    /// The number itself.
    case integer
    /// A `DecimalWord`; a literal that does not fit is kept as text.
    case decimal
    /// A `TemporalWord`; a literal that does not fit is kept as text.
    case temporal
    /// Text.
    case text
}

/// The literal of a decimal, date or time: packed into a word if that loses nothing, otherwise its text.
///
/// Public only because the protocol `FHIRTemporal` uses it.
@frozen public enum _PackedLiteral: Sendable, Hashable {
    /// A packed literal.
    case word(Int64)
    /// A literal that does not fit into a word.
    case text(String)
}
