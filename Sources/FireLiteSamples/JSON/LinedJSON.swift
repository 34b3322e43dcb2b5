import FireLiteCore

/// A JSON value that knows the line on which it begins, with numbers as they are written.
struct LinedJSON: Sendable {
    enum Content: Sendable {
        case null
        case bool(Bool)
        case number(FHIRDecimal)
        case string(String)
        case array([LinedJSON])
        case object([(name: String, value: LinedJSON)])
    }

    let content: Content
    let line: Int

    /// Reads UTF-8.
    ///
    /// - Throws: `SampleError.damaged` with the line.
    init(_ bytes: [UInt8], firstLine: Int = 1) throws {
        self = try bytes.withUnsafeBufferPointer { bytes in
            var parser = LinedJSONParser(bytes: bytes, line: firstLine)
            return try parser.document()
        }
    }

    init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    subscript(name: String) -> LinedJSON? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.name == name }?.value
    }

    var text: String? { if case .string(let text) = content { text } else { nil } }
    var number: FHIRDecimal? { if case .number(let number) = content { number } else { nil } }
    var elements: [LinedJSON] { if case .array(let elements) = content { elements } else { [] } }
    var members: [(name: String, value: LinedJSON)] { if case .object(let members) = content { members } else { [] } }
    var isObject: Bool { if case .object = content { true } else { false } }
    var isArray: Bool { if case .array = content { true } else { false } }
}

/// A parser of JSON (RFC 8259) that counts lines.
struct LinedJSONParser {
    private static let maximumDepth = 64

    let bytes: UnsafeBufferPointer<UInt8>
    var line: Int
    private var position = 0
    private var depth = 0

    init(bytes: UnsafeBufferPointer<UInt8>, line: Int) {
        self.bytes = bytes
        self.line = line
    }

    mutating func document() throws -> LinedJSON {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw failure("text follows the JSON value") }
        return value
    }

    private func failure(_ message: String) -> SampleError { SampleError(.damaged, message, line: line) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 {
            if byte == 10 { line += 1 }
            position += 1
        }
    }

    private mutating func expect(_ byte: UInt8, _ what: String) throws {
        skipSpace()
        guard next == byte else { throw failure("\(what) is missing") }
        position += 1
    }

    private mutating func value() throws -> LinedJSON {
        skipSpace()
        let start = line
        guard let byte = next else { throw failure("the text ends early") }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw failure("the values are nested too deeply") }
        switch byte {
        case UInt8(ascii: "{"): return LinedJSON(.object(try object()), line: start)
        case UInt8(ascii: "["): return LinedJSON(.array(try array()), line: start)
        case UInt8(ascii: "\""): return LinedJSON(.string(try string()), line: start)
        default: return LinedJSON(try word(), line: start)
        }
    }

    private mutating func object() throws -> [(name: String, value: LinedJSON)] {
        position += 1
        var members: [(name: String, value: LinedJSON)] = []
        var names: Set<String> = []
        skipSpace()
        if next == UInt8(ascii: "}") {
            position += 1
            return members
        }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is missing") }
            let name = try string()
            guard names.insert(name).inserted else { throw failure("a member occurs twice") }
            try expect(UInt8(ascii: ":"), "a colon")
            members.append((name, try value()))
            skipSpace()
            if next == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try expect(UInt8(ascii: "}"), "a closing brace")
            return members
        }
    }

    private mutating func array() throws -> [LinedJSON] {
        position += 1
        var elements: [LinedJSON] = []
        skipSpace()
        if next == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value())
            skipSpace()
            if next == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try expect(UInt8(ascii: "]"), "a closing bracket")
            return elements
        }
    }

    private mutating func word() throws -> LinedJSON.Content {
        let start = position
        while let byte = next, 48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte || byte == 43 || byte == 45 || byte == 46 {
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        switch text {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard let number = FHIRDecimal(text) else { throw failure("this is not a JSON value") }
            return .number(number)
        }
    }

    private mutating func string() throws -> String {
        position += 1
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 32 { position += 1 }
        if next == UInt8(ascii: "\"") {
            position += 1
            return String(decoding: bytes[start..<position - 1], as: UTF8.self)
        }
        var text = [UInt8](bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(&text)
            case 0..<32: throw failure("a control character is in a string")
            default: text.append(byte)
            }
        }
        throw failure("a string does not end")
    }

    private mutating func escape(_ text: inout [UInt8]) throws {
        guard let byte = next else { throw failure("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if 0xD800...0xDBFF ~= code, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            {
                position += 2
                let low = try hexadecimal()
                guard 0xDC00...0xDFFF ~= low else { throw failure("half of a surrogate pair is missing") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw failure("half of a surrogate pair is missing") }
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw failure("an escape in a string is unknown")
        }
    }

    private mutating func hexadecimal() throws -> UInt32 {
        guard position + 4 <= bytes.count, let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else {
            throw failure("an escape in a string needs four digits")
        }
        position += 4
        return code
    }
}
