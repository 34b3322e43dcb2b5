/// Reads a JSON text (RFC 8259) and reports where it is wrong.
///
/// Members the importer has no use for are checked but not kept: the specification's prose is most of a
/// definitions package.
struct JSONParser {
    private let file: SourceFile
    private let ignored: Set<String>
    private var position = 0
    private var depth = 0

    /// Deeper nesting than any definition has, and shallow enough for any stack.
    private static let deepestNesting = 200

    private init(_ file: SourceFile, ignoring ignored: Set<String>) {
        self.file = file
        self.ignored = ignored
    }

    /// Parses a file.
    ///
    /// - Throws: `GeneratorError` with the place of the first byte that is wrong.
    static func parse(_ file: SourceFile, ignoring ignored: Set<String> = []) throws -> JSONNode {
        var parser = JSONParser(file, ignoring: ignored)
        parser.skipSpace()
        let node = try parser.value(keep: true)
        parser.skipSpace()
        if parser.position < file.bytes.count { throw parser.error("unexpected text after the JSON value") }
        return node
    }

    // MARK: - Values

    private mutating func value(keep: Bool) throws -> JSONNode {
        let offset = position
        guard let byte = peek() else { throw error("unexpected end of the file, expected a JSON value") }
        switch byte {
        case UInt8(ascii: "{"): return JSONNode(content: try object(keep: keep), offset: offset)
        case UInt8(ascii: "["): return JSONNode(content: try array(keep: keep), offset: offset)
        case UInt8(ascii: "\""): return JSONNode(content: .string(try string(keep: keep)), offset: offset)
        case UInt8(ascii: "t"): return JSONNode(content: try word("true", .bool(true)), offset: offset)
        case UInt8(ascii: "f"): return JSONNode(content: try word("false", .bool(false)), offset: offset)
        case UInt8(ascii: "n"): return JSONNode(content: try word("null", .null), offset: offset)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONNode(content: try number(), offset: offset)
        default: throw error("unexpected character, expected a JSON value")
        }
    }

    private mutating func object(keep: Bool) throws -> JSONNode.Content {
        try enter()
        defer { depth -= 1 }
        var members: [String: JSONNode] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            let nameOffset = position
            guard peek() == UInt8(ascii: "\"") else { throw error("expected a member name in quotes") }
            let name = try string(keep: keep)
            skipSpace()
            guard take(":") else { throw error("expected `:` after a member name") }
            skipSpace()
            let isKept = keep && !ignored.contains(name)
            var node = try value(keep: isKept)
            node.keyOffset = nameOffset
            if isKept, members.updateValue(node, forKey: name) != nil {
                throw GeneratorError("member `\(name)` occurs twice", at: file.location(of: nameOffset))
            }
            skipSpace()
        } while take(",")
        guard take("}") else { throw error("expected `,` or `}`") }
        return .object(members)
    }

    private mutating func array(keep: Bool) throws -> JSONNode.Content {
        try enter()
        defer { depth -= 1 }
        var items: [JSONNode] = []
        skipSpace()
        if take("]") { return .array(items) }
        repeat {
            skipSpace()
            let item = try value(keep: keep)
            if keep { items.append(item) }
            skipSpace()
        } while take(",")
        guard take("]") else { throw error("expected `,` or `]`") }
        return .array(items)
    }

    private mutating func enter() throws {
        depth += 1
        if depth > Self.deepestNesting { throw error("nested more than \(Self.deepestNesting) levels deep") }
        position += 1
    }

    private mutating func word(_ text: String, _ content: JSONNode.Content) throws -> JSONNode.Content {
        guard file.bytes[position...].starts(with: text.utf8) else { throw error("expected `\(text)`") }
        position += text.utf8.count
        return content
    }

    private mutating func number() throws -> JSONNode.Content {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return .number(String(decoding: file.bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw error("expected a digit") }
    }

    // MARK: - Bytes

    private mutating func string(keep: Bool) throws -> String {
        let (text, end) = try JSONStringScanner(file: file).scan(from: position, keep: keep)
        position = end
        return text
    }

    private func peek() -> UInt8? { position < file.bytes.count ? file.bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func error(_ message: String) -> GeneratorError {
        GeneratorError(message, at: file.location(of: position))
    }
}
