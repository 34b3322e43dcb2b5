/// A primitive datatype of FHIR, by its FHIR name (<https://hl7.org/fhir/datatypes.html#primitive>); `integer64` since R5.
public enum PrimitiveType: UInt8, Sendable, CaseIterable {
    case boolean, integer, positiveInt, unsignedInt, integer64, decimal
    case date, dateTime, instant, time
    case string, code, id, uri, url, canonical, oid, uuid, markdown, base64Binary, xhtml

    /// The FHIR name of the type, `dateTime` for example.
    public var name: String { "\(self)" }

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
