import FireLiteCore

/// Splits the text of an expression into tokens (FHIRPath 2.0, Grammar).
struct Lexer {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// All tokens, with `.end` as the last one.
    static func tokens(of text: String) throws -> [Token] {
        var lexer = Lexer(text)
        var tokens: [Token] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    // MARK: - Bytes

    func byte(_ distance: Int = 0) -> UInt8? {
        let place = position + distance
        return place < bytes.count ? bytes[place] : nil
    }

    static func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 &- 48 < 10 } ?? false }

    static func isNameStart(_ byte: UInt8?) -> Bool { byte.map { ($0 | 0x20) &- 97 < 26 || $0 == UInt8(ascii: "_") } ?? false }

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    func error(_ message: String, at place: Int? = nil) -> FHIRPathError { FHIRPathError(.syntax, message, at: place ?? position) }

    // MARK: - Tokens

    private mutating func skipSpaceAndComments() throws {
        while let byte = byte() {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                position += 1
            } else if isNext("\u{00A0}") {
                position += 2
            } else if isNext("//") {
                while let byte = self.byte(), byte != 0x0A, byte != 0x0D { position += 1 }
            } else if isNext("/*") {
                let start = position
                position += 2
                while !isNext("*/") {
                    if position >= bytes.count { throw error("the comment does not end", at: start) }
                    position += 1
                }
                position += 2
            } else {
                return
            }
        }
    }

    mutating func next() throws -> Token {
        try skipSpaceAndComments()
        let start = position
        let kind = try kind()
        return Token(kind: kind, position: start, end: position)
    }

    private mutating func kind() throws -> Token.Kind {
        guard let first = byte() else { return .end }
        if Self.isNameStart(first) { return .identifier(name()) }
        if Self.isDigit(first) { return try number() }
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try quoted(first))
        case UInt8(ascii: "`"): return .delimited(try quoted(first))
        case UInt8(ascii: "@"): return .temporal(try temporal())
        case UInt8(ascii: "%"): return .variable(try variable())
        case UInt8(ascii: "$"):
            position += 1
            let name = name()
            guard ["this", "index", "total"].contains(name) else {
                throw error("'$' is followed by this, index or total", at: position - name.utf8.count - 1)
            }
            return .special(name)
        default: return .symbol(try symbol())
        }
    }

    private mutating func name() -> String {
        let start = position
        while let byte = byte(), Self.isNameStart(byte) || Self.isDigit(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func symbol() throws -> String {
        for text in ["<=", ">=", "!=", "!~"] as [StaticString] where isNext(text) {
            position += 2
            return "\(text)"
        }
        guard let byte = byte(), "().,[]{}+-*/&|<>=~".utf8.contains(byte) else {
            let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
            throw error("unexpected character '\(rest.first.map(String.init) ?? "")'")
        }
        position += 1
        return String(UnicodeScalar(byte))
    }

    private mutating func number() throws -> Token.Kind {
        let start = position
        while Self.isDigit(byte()) { position += 1 }
        if byte() == UInt8(ascii: "."), Self.isDigit(byte(1)) {
            position += 1
            while Self.isDigit(byte()) { position += 1 }
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            guard let decimal = PathDecimal(text) else { throw error("a decimal has at most 38 digits", at: start) }
            return .decimal(decimal)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Int64(text) else { throw error("the number is too large", at: start) }
        if byte() == UInt8(ascii: "L"), !Self.isNameStart(byte(1)), !Self.isDigit(byte(1)) {
            position += 1
            return .long(value)
        }
        return value > Int64(Int32.max) ? .long(value) : .integer(value)
    }

    private mutating func variable() throws -> String {
        let start = position
        position += 1
        switch byte() {
        case UInt8(ascii: "`"), UInt8(ascii: "'"), UInt8(ascii: "\""): return try quoted(bytes[position])
        case let byte where Self.isNameStart(byte):
            var text = name()
            // `%vs-name` and `%ext-name` are common without the backticks that the grammar asks for.
            if text == "vs" || text == "ext", self.byte() == UInt8(ascii: "-"), Self.isNameStart(self.byte(1)) {
                let rest = position
                while let byte = self.byte(), Self.isNameStart(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "-") { position += 1 }
                text += String(decoding: bytes[rest..<position], as: UTF8.self)
            }
            return text
        default: throw error("'%' is followed by a name", at: start)
        }
    }

    /// `@2020-01-01T10:30:00Z` and its shorter forms.
    private mutating func temporal() throws -> PathTemporal {
        let start = position
        position += 1
        let from = position
        while let byte = byte(), Self.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "T") {
            // A minus after the time is an offset if digits and a colon follow, else a subtraction.
            if byte == UInt8(ascii: "-"), !Self.isDigit(self.byte(1)) { break }
            position += 1
        }
        if byte() == UInt8(ascii: "."), Self.isDigit(byte(1)), bytes[from..<position].contains(UInt8(ascii: ":")) {
            position += 1
            while Self.isDigit(byte()) { position += 1 }
            if byte() == UInt8(ascii: "-"), isOffset(1) { position += 6 }
        }
        if bytes[from..<position].contains(UInt8(ascii: "T")), position > from {
            if byte() == UInt8(ascii: "Z") {
                position += 1
            } else if byte() == UInt8(ascii: "+"), isOffset(1) {
                position += 6
            }
        }
        let text = String(decoding: bytes[from..<position], as: UTF8.self)
        guard let value = PathTemporal(literal: text) else { throw error("'@\(text)' is not a date, dateTime or time", at: start) }
        return value
    }

    private func isOffset(_ distance: Int) -> Bool {
        Self.isDigit(byte(distance)) && Self.isDigit(byte(distance + 1)) && byte(distance + 2) == UInt8(ascii: ":")
            && Self.isDigit(byte(distance + 3)) && Self.isDigit(byte(distance + 4))
    }

    // MARK: - Strings

    private mutating func quoted(_ quote: UInt8) throws -> String {
        let start = position
        position += 1
        var result: [UInt8] = []
        while let byte = byte() {
            position += 1
            if byte == quote { return String(decoding: result, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                result += try escape()
            } else {
                result.append(byte)
            }
        }
        throw error("the text does not end with \(String(UnicodeScalar(quote)))", at: start)
    }

    private mutating func escape() throws -> [UInt8] {
        let start = position - 1
        guard let byte = byte() else { throw error("the text ends within an escape", at: start) }
        position += 1
        switch byte {
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return [byte]
        case UInt8(ascii: "u"):
            guard var code = hexadecimal() else { throw error("'\\u' is followed by four hexadecimal digits", at: start) }
            if (0xD800..<0xDC00).contains(code), isNext("\\u") {
                position += 2
                guard let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else {
                    throw error("half of a surrogate pair", at: start)
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = UnicodeScalar(code) else { throw error("half of a surrogate pair", at: start) }
            return Array(String(Character(scalar)).utf8)
        default: throw error("unknown escape", at: start)
        }
    }

    private mutating func hexadecimal() -> UInt32? {
        guard position + 4 <= bytes.count, let code = Hexadecimal.number(bytes[position..<position + 4]) else { return nil }
        position += 4
        return code
    }
}
