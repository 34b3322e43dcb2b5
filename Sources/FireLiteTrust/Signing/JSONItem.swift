import FireLite

/// A value of JSON with its members in their order and its numbers as they are written.
enum JSONItem: Sendable, Hashable {
    case object([Member])
    case array([JSONItem])
    case string(String)
    /// The literal.
    case number(String)
    case bool(Bool)
    case null

    struct Member: Sendable, Hashable {
        let name: String
        let value: JSONItem
    }

    /// The value of a member; nil for other values than objects, and if there is none.
    subscript(name: String) -> JSONItem? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text of a string; nil for other values.
    var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The items of an array; none for other values.
    var items: [JSONItem] { if case .array(let items) = self { items } else { [] } }
    /// The members of an object; none for other values.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }
    /// The number of seconds, or another number; nil for other values.
    var number: Double? { if case .number(let literal) = self { Double(literal) } else { nil } }

    /// An object with those members whose values are there.
    static func object(_ members: KeyValuePairs<String, JSONItem?>) -> JSONItem {
        .object(members.compactMap { member in member.value.map { Member(name: member.key, value: $0) } })
    }

    /// The JSON, in the order of the members.
    var json: String {
        switch self {
        case .object(let members): JSONText.object(members.map { ($0.name, $0.value.json) })
        case .array(let items): JSONText.array(items.map(\.json))
        case .string(let text): JSONText.string(text)
        case .number(let literal): literal
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        }
    }
}
