/// A primitive datatype of FHIR by its name there (<https://hl7.org/fhir/datatypes.html#primitive>); `integer64` since R5.
public enum PrimitiveType: UInt8, Sendable, CaseIterable {
    case boolean, integer, positiveInt, unsignedInt, integer64, decimal
    case date, dateTime, instant, time
    case string, code, id, uri, url, canonical, oid, uuid, markdown, base64Binary, xhtml

    /// The FHIR name of the type, `dateTime` for example.
    public var name: String { "\(self)" }

    /// The type with this FHIR name, or nil.
    public init?(name: String) {
        guard let type = Self.byName[name] else { return nil }
        self = type
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// How values of this type are kept in memory.
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

    /// The whole numbers the type allows, for the integer types.
    package var integerRange: ClosedRange<Int64> {
        switch self {
        case .positiveInt: 1...Int64(Int32.max)
        case .unsignedInt: 0...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        default: Int64(Int32.min)...Int64(Int32.max)
        }
    }
}

/// How the value of a primitive is kept: as one 64-bit word where it fits, as text otherwise.
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
