/// A JSON value that is not a resource: members in order, numbers as written, and the line on which each value begins.
package struct JSONItem: Sendable {
    package enum Content: Sendable {
        case object([Member])
        case array([JSONItem])
        case string(String)
        /// The literal.
        case number(String)
        case bool(Bool)
        case null
    }

    package struct Member: Sendable {
        package let name: String
        package let value: JSONItem

        package init(name: String, value: JSONItem) {
            self.name = name
            self.value = value
        }
    }

    package let content: Content
    /// The line on which it begins, from 1; 0 if it was not read.
    package let line: Int

    package init(_ content: Content, line: Int = 0) {
        self.content = content
        self.line = line
    }

    // MARK: - Making values

    package static func object(_ members: [Member]) -> JSONItem { JSONItem(.object(members)) }
    package static func array(_ items: [JSONItem]) -> JSONItem { JSONItem(.array(items)) }
    package static func string(_ text: String) -> JSONItem { JSONItem(.string(text)) }
    package static func number(_ literal: String) -> JSONItem { JSONItem(.number(literal)) }
    package static func bool(_ value: Bool) -> JSONItem { JSONItem(.bool(value)) }
    package static let null = JSONItem(.null)

    /// An object with the members that have a value.
    package static func object(_ members: KeyValuePairs<String, JSONItem?>) -> JSONItem {
        .object(members.compactMap { member in member.value.map { Member(name: member.key, value: $0) } })
    }

    // MARK: - Reading values

    /// The value of a member; nil for other values than objects, and if there is none.
    package subscript(name: String) -> JSONItem? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text of a string; nil for other values.
    package var text: String? { if case .string(let text) = content { text } else { nil } }
    /// The items of an array; none for other values.
    package var items: [JSONItem] { if case .array(let items) = content { items } else { [] } }
    /// The members of an object; none for other values.
    package var members: [Member] { if case .object(let members) = content { members } else { [] } }
    /// The members of an object, for loops.
    package var pairs: [(name: String, value: JSONItem)] { members.map { ($0.name, $0.value) } }
    /// A number; nil for other values.
    package var number: FHIRDecimal? { if case .number(let literal) = content { FHIRDecimal(literal) } else { nil } }
    package var isObject: Bool { if case .object = content { true } else { false } }
    package var isArray: Bool { if case .array = content { true } else { false } }

    /// The kind of value, for messages.
    package var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    // MARK: - Text

    /// The JSON, in the order of the members.
    package var json: String {
        switch content {
        case .object(let members): JSONText.object(members.map { ($0.name, $0.value.json) })
        case .array(let items): JSONText.array(items.map(\.json))
        case .string(let text): JSONText.string(text)
        case .number(let literal): literal
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        }
    }
}

/// Equal if they say the same in the same order, wherever they were read. Texts are compared by their bytes.
extension JSONItem: Hashable {
    package static func == (left: JSONItem, right: JSONItem) -> Bool { left.content == right.content }
    package func hash(into hasher: inout Hasher) { hasher.combine(content) }

    /// Whether they say the same, with members in any order.
    package func isSame(as other: JSONItem) -> Bool {
        switch (content, other.content) {
        case (.array(let first), .array(let second)):
            first.count == second.count && zip(first, second).allSatisfy { $0.isSame(as: $1) }
        case (.object(let first), .object(let second)):
            first.count == second.count
                && first.allSatisfy { member in
                    second.contains { $0.name.hasSameBytes(as: member.name) && $0.value.isSame(as: member.value) }
                }
        default: content == other.content
        }
    }
}

extension JSONItem.Member: Hashable {
    package static func == (left: JSONItem.Member, right: JSONItem.Member) -> Bool {
        left.name.hasSameBytes(as: right.name) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(value)
    }
}

extension JSONItem.Content: Hashable {
    package static func == (left: JSONItem.Content, right: JSONItem.Content) -> Bool {
        switch (left, right) {
        case (.object(let first), .object(let second)): first == second
        case (.array(let first), .array(let second)): first == second
        case (.string(let first), .string(let second)), (.number(let first), .number(let second)): first.hasSameBytes(as: second)
        case (.bool(let first), .bool(let second)): first == second
        case (.null, .null): true
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .object(let members): hasher.combine(members)
        case .array(let items): hasher.combine(items)
        case .string(let text), .number(let text): hasher.combine(ExactText(text))
        case .bool(let value): hasher.combine(value)
        case .null: hasher.combine(0)
        }
    }
}
