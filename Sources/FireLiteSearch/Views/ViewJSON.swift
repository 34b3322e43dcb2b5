import Foundation

/// A value of a definition's JSON.
enum ViewJSON: Decodable {
    case null
    case boolean(Bool)
    /// The number's text.
    case number(String)
    case string(String)
    case list([ViewJSON])
    case object([String: ViewJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try Self.attempt({ try container.decode(Bool.self) }) {
            self = .boolean(value)
        } else if let value = try Self.attempt({ try container.decode(String.self) }) {
            self = .string(value)
        } else if let value = try Self.attempt({ try container.decode(Double.self) }) {
            // Not `Decimal`: Foundation reads 1.050 as 1.5 on Linux. Not `Int64` first: on Linux the error for 1.2 is none of decoding.
            self = .number(Int64(exactly: value).map { "\($0)" } ?? "\(value)")
        } else if let value = try Self.attempt({ try container.decode([ViewJSON].self) }) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: ViewJSON].self))
        }
    }

    /// The value, or nil if the JSON has another type there.
    private static func attempt<Value>(_ decode: () throws -> Value) throws -> Value? {
        do {
            return try decode()
        } catch DecodingError.typeMismatch, DecodingError.dataCorrupted {
            return nil
        }
    }

    /// What it is, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a truth value"
        case .number: "a number"
        case .string: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}

extension ViewJSON {
    /// - Throws: `DecodingError`.
    init(text: String) throws { self = try JSONDecoder().decode(ViewJSON.self, from: Data(text.utf8)) }
}
