/// Reads a JSON text into nodes. It checks no more than it needs: what it makes is read again by the strict reader.
struct JSONNodeParser {
    private let bytes: [UInt8]
    private var next = 0
    private var depth = 0

    /// The strict reader allows 128 levels.
    private static let deepest = 130

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value of the text; nil if it is not JSON, or too deep.
    static func node(of bytes: [UInt8]) -> JSONNode? {
        var parser = JSONNodeParser(bytes)
        guard let node = parser.value() else { return nil }
        parser.skipSpace()
        return parser.next == bytes.count ? node : nil
    }

    static func node(of bytes: UnsafeBufferPointer<UInt8>) -> JSONNode? { node(of: Array(bytes)) }

    private var here: UInt8? { next < bytes.count ? bytes[next] : nil }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private mutating func skipSpace() {
        while let byte = here, Self.isSpace(byte) { next += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard here == byte else { return false }
        next += 1
        return true
    }

    private mutating func value() -> JSONNode? {
        skipSpace()
        let start = next
        let content: JSONNode.Content?
        switch here {
        case UInt8(ascii: "{"): content = nested { $0.object() }
        case UInt8(ascii: "["): content = nested { $0.list() }
        case UInt8(ascii: "\""): content = string().map { .text($0) }
        default: content = word().map { .word($0) }
        }
        return content.map { JSONNode(content: $0, range: start..<next) }
    }

    private mutating func nested(_ body: (inout JSONNodeParser) -> JSONNode.Content?) -> JSONNode.Content? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        defer { depth -= 1 }
        next += 1
        return body(&self)
    }

    private mutating func object() -> JSONNode.Content? {
        var members: [JSONNode.Member] = []
        if take(UInt8(ascii: "}")) { return .object([]) }
        repeat {
            skipSpace()
            let start = next
            guard let name = string().flatMap(JSONNode.unescaped), take(UInt8(ascii: ":")), let value = value() else { return nil }
            members.append(.init(name: name, value: value, offset: start))
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) ? .object(members) : nil
    }

    private mutating func list() -> JSONNode.Content? {
        var items: [JSONNode] = []
        if take(UInt8(ascii: "]")) { return .list([]) }
        repeat {
            guard let item = value() else { return nil }
            items.append(item)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? .list(items) : nil
    }

    private mutating func string() -> ArraySlice<UInt8>? {
        let start = next
        guard here == UInt8(ascii: "\"") else { return nil }
        next += 1
        while let byte = here, byte != UInt8(ascii: "\"") { next += byte == UInt8(ascii: "\\") ? 2 : 1 }
        guard here != nil else { return nil }
        next += 1
        return bytes[start..<next]
    }

    private mutating func word() -> ArraySlice<UInt8>? {
        let start = next
        while let byte = here, !Self.isSpace(byte), !",]}:[{\"".utf8.contains(byte) { next += 1 }
        let word = bytes[start..<next]
        guard let first = word.first else { return nil }
        if first == UInt8(ascii: "-") || first &- 48 < 10 { return word }
        return ["true", "false", "null"].contains { word.elementsEqual($0.utf8) } ? word : nil
    }
}
