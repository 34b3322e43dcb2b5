/// The runtime's pair of functions that a property's getter and setter call, and the Swift type they carry.
///
/// A getter is `_` and the name (`_string`, `_strings`), a setter `_set` and the capitalized name.
enum Accessor: String, Sendable {
    case bool, int, decimal, date, dateTime, instant, time, string, code, object

    /// The Swift type of a primitive's value; `nil` for `code` and `object`, whose types are generated.
    var swiftType: String? {
        switch self {
        case .bool: return "Bool"
        case .int: return "Int"
        case .decimal: return "FHIRDecimal"
        case .date: return "FHIRDate"
        case .dateTime: return "FHIRDateTime"
        case .instant: return "FHIRInstant"
        case .time: return "FHIRTime"
        case .string: return "String"
        case .code, .object: return nil
        }
    }

    /// Primitives that are more than text in Swift. One that derives from another (`positiveInt`) goes by its base.
    private static let primitives: [String: Accessor] = [
        "boolean": .bool, "integer": .int, "positiveInt": .int, "unsignedInt": .int, "integer64": .int,
        "decimal": .decimal, "date": .date, "dateTime": .dateTime, "instant": .instant, "time": .time,
    ]

    /// The accessor of a primitive.
    ///
    /// - Parameter bases: The type and those it derives from, nearest first.
    static func primitive(_ bases: [String]) -> Accessor {
        bases.lazy.compactMap { primitives[$0] }.first ?? .string
    }
}
