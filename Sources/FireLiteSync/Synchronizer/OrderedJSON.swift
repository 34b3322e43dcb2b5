/// JSON whose numbers and texts are kept as they are written, for comparing and repeating them. Reads what the library wrote.
indirect enum OrderedJSON: Equatable {
    /// A text with its quotation marks, a number, `true`, `false` or `null`.
    case scalar(Substring)
    case array([OrderedJSON])
    case object([(name: String, value: OrderedJSON)])

    init?(_ text: String) {
        var parser = Parser(rest: text[...])
        guard let value = parser.value(), parser.rest.isEmpty else { return nil }
        self = value
    }

    /// As JSON.
    var text: String {
        switch self {
        case .scalar(let text): String(text)
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { "\(JSONQuoting.quoted($0.name)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    static func == (left: OrderedJSON, right: OrderedJSON) -> Bool {
        switch (left, right) {
        case (.scalar(let first), .scalar(let second)): first == second
        case (.array(let first), .array(let second)): first == second
        case (.object(let first), .object(let second)):
            first.count == second.count
                && first.allSatisfy { member in second.contains { $0.name == member.name && $0.value == member.value } }
        default: false
        }
    }

    private struct Parser {
        var rest: Substring

        mutating func value() -> OrderedJSON? {
            switch rest.utf8.first {
            case UInt8(ascii: "{"): return object()
            case UInt8(ascii: "["): return array()
            case UInt8(ascii: "\""): return string().map { .scalar($0) }
            default:
                let scalar = rest.prefix { !",]}".contains($0) }
                rest = rest[scalar.endIndex...]
                return scalar.isEmpty ? nil : .scalar(scalar)
            }
        }

        private mutating func take(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func object() -> OrderedJSON? {
            guard take("{") else { return nil }
            var members: [(name: String, value: OrderedJSON)] = []
            while !take("}") {
                if !members.isEmpty, !take(",") { return nil }
                guard let name = string(), take(":"), let value = self.value() else { return nil }
                members.append((String(name.dropFirst().dropLast()), value))
            }
            return .object(members)
        }

        private mutating func array() -> OrderedJSON? {
            guard take("[") else { return nil }
            var items: [OrderedJSON] = []
            while !take("]") {
                if !items.isEmpty, !take(",") { return nil }
                guard let item = value() else { return nil }
                items.append(item)
            }
            return .array(items)
        }

        /// A text with its quotation marks.
        private mutating func string() -> Substring? {
            let bytes = rest.utf8
            guard bytes.first == UInt8(ascii: "\"") else { return nil }
            var end = bytes.index(after: bytes.startIndex)
            while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\"") {
                if bytes[end] == UInt8(ascii: "\\") { end = bytes.index(after: end) }
                guard end < bytes.endIndex else { return nil }
                end = bytes.index(after: end)
            }
            guard end < bytes.endIndex else { return nil }
            let next = bytes.index(after: end)
            let text = rest[..<next]
            rest = rest[next...]
            return text
        }
    }
}
