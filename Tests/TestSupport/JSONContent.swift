import Foundation

/// JSON compared by its content: numbers by value, objects without order.
public enum JSONContent: Decodable, Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case list([JSONContent])
    case object([String: JSONContent])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = Self.attempt({ try container.decode(Bool.self) }) {
            self = .boolean(value)
        } else if let value = Self.attempt({ try container.decode(String.self) }) {
            self = .string(value)
        } else if let value = Self.attempt({ try container.decode(Double.self) }) {
            self = .number(value)
        } else if let value = Self.attempt({ try container.decode([JSONContent].self) }) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONContent].self))
        }
    }

    private static func attempt<Value>(_ decode: () throws -> Value) -> Value? {
        do { return try decode() } catch { return nil }
    }

    /// The value that a text is.
    public init(_ text: String) throws { self = try JSONDecoder().decode(JSONContent.self, from: Data(text.utf8)) }

    /// A member of an object; null if there is none.
    public subscript(name: String) -> JSONContent {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The elements of a list; empty for anything else.
    public var elements: [JSONContent] { if case .list(let elements) = self { elements } else { [] } }

    /// The text of a string; empty for anything else.
    public var text: String { if case .string(let text) = self { text } else { "" } }

    /// The value as JSON, with members in the order of their names.
    public var json: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .string(let text): Self.quoted(text)
        case .list(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.json)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 32:
                result += "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
