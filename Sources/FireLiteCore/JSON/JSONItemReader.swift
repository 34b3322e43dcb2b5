import Foundation

/// Why a text is not JSON.
package struct JSONItemError: Error {
    /// The fault, without values of the text.
    package let problem: String
    /// The offset in bytes, from 0.
    package let offset: Int
    /// The line, from 1 or the reader's first line.
    package let line: Int
}

/// Reads JSON (RFC 8259) strictly: valid UTF-8, no member twice, nothing after the end, and no more than `maximumDepth` levels.
package struct JSONItemReader {
    /// The standard limit of levels.
    package static let maximumDepth = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private let depth: Int
    private var place = 0
    private var line: Int

    /// Reads a value.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 without a byte order mark.
    ///   - line: the number of its first line.
    ///   - depth: the number of levels at most.
    /// - Throws: ``JSONItemError``.
    package static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, line: Int = 1, depth: Int = maximumDepth
    ) throws(JSONItemError) -> JSONItem {
        var reader = JSONItemReader(bytes: bytes, depth: depth, line: line)
        reader.skipSpace()
        let item = try reader.value(0)
        reader.skipSpace()
        guard reader.place == bytes.count else { throw reader.failure("text follows the JSON value") }
        return item
    }

    /// The same for bytes in memory.
    package static func read(_ bytes: some ContiguousBytes, line: Int = 1, depth: Int = maximumDepth) throws(JSONItemError) -> JSONItem {
        let result: Result<JSONItem, JSONItemError> = bytes.withUnsafeBytes { bytes in
            do throws(JSONItemError) {
                return .success(try read(bytes.assumingMemoryBound(to: UInt8.self), line: line, depth: depth))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, depth: Int, line: Int) {
        self.bytes = bytes
        self.depth = depth
        self.line = line
    }

    private func failure(_ problem: String) -> JSONItemError { JSONItemError(problem: problem, offset: place, line: line) }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            if byte == 0x0A { line += 1 }
            place += 1
        }
    }

    private mutating func skip(_ byte: UInt8, _ what: String) throws(JSONItemError) {
        guard next == byte else { throw failure("\(what) is missing") }
        place += 1
    }

    private mutating func word(_ text: StaticString, _ content: JSONItem.Content) throws(JSONItemError) -> JSONItem.Content {
        let isThere = text.withUTF8Buffer { word in
            bytes.count - place >= word.count && bytes[place..<place + word.count].elementsEqual(word)
        }
        guard isThere else { throw failure("this is not a JSON value") }
        place += text.utf8CodeUnitCount
        return content
    }

    private mutating func value(_ level: Int) throws(JSONItemError) -> JSONItem {
        guard level < depth else { throw failure("the values are nested too deeply") }
        guard let byte = next else { throw failure("the text ends early") }
        let start = line
        let content: JSONItem.Content =
            switch byte {
            case UInt8(ascii: "{"): .object(try members(level))
            case UInt8(ascii: "["): .array(try items(level))
            case UInt8(ascii: "\""): .string(try string())
            case UInt8(ascii: "t"): try word("true", .bool(true))
            case UInt8(ascii: "f"): try word("false", .bool(false))
            case UInt8(ascii: "n"): try word("null", .null)
            default: .number(try number())
            }
        return JSONItem(content, line: start)
    }

    private mutating func members(_ level: Int) throws(JSONItemError) -> [JSONItem.Member] {
        var members: [JSONItem.Member] = []
        // By bytes, as Swift takes canonically equivalent texts for equal.
        var names: Set<[UInt8]> = []
        place += 1
        skipSpace()
        if next == UInt8(ascii: "}") {
            place += 1
            return members
        }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is missing") }
            let name = try string()
            let isNew: Bool
            if members.count < 8 {
                isNew = !members.contains { $0.name.hasSameBytes(as: name) }
            } else {
                if names.isEmpty { names = Set(members.map { Array($0.name.utf8) }) }
                isNew = names.insert(Array(name.utf8)).inserted
            }
            guard isNew else { throw failure("a member occurs twice") }
            skipSpace()
            try skip(UInt8(ascii: ":"), "a colon")
            skipSpace()
            members.append(JSONItem.Member(name: name, value: try value(level + 1)))
            skipSpace()
            if next == UInt8(ascii: ",") {
                place += 1
                continue
            }
            try skip(UInt8(ascii: "}"), "a closing brace")
            return members
        }
    }

    private mutating func items(_ level: Int) throws(JSONItemError) -> [JSONItem] {
        var items: [JSONItem] = []
        place += 1
        skipSpace()
        if next == UInt8(ascii: "]") {
            place += 1
            return items
        }
        while true {
            skipSpace()
            items.append(try value(level + 1))
            skipSpace()
            if next == UInt8(ascii: ",") {
                place += 1
                continue
            }
            try skip(UInt8(ascii: "]"), "a closing bracket")
            return items
        }
    }

    // MARK: - Strings and numbers

    private mutating func string() throws(JSONItemError) -> String {
        place += 1
        let start = place
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { place += 1 }
        if next == UInt8(ascii: "\"") {
            place += 1
            return try text(UnsafeBufferPointer(rebasing: bytes[start..<place - 1]))
        }
        var text = Array(bytes[start..<place])
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return try self.text(text)
            case UInt8(ascii: "\\"): text.append(contentsOf: String(Character(try escape())).utf8)
            case 0..<0x20: throw failure("a control character is in a string")
            default: text.append(byte)
            }
        }
        throw failure("a string does not end")
    }

    private func text(_ bytes: some Collection<UInt8>) throws(JSONItemError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("a string is not valid UTF-8") }
        return text
    }

    private mutating func escape() throws(JSONItemError) -> Unicode.Scalar {
        guard let byte = next else { throw failure("a string does not end") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try unit()
            if let scalar = Unicode.Scalar(first) { return scalar }
            guard 0xD800..<0xDC00 ~= first, next == UInt8(ascii: "\\"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "u")
            else {
                throw failure("half of a surrogate pair is missing")
            }
            place += 2
            let second = try unit()
            guard 0xDC00..<0xE000 ~= second, let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
                throw failure("half of a surrogate pair is missing")
            }
            return scalar
        default: throw failure("an escape in a string is unknown")
        }
    }

    private mutating func unit() throws(JSONItemError) -> UInt32 {
        guard bytes.count - place >= 4, let unit = Hexadecimal.number(bytes[place..<place + 4]) else {
            throw failure("an escape in a string needs four digits")
        }
        place += 4
        return unit
    }

    private mutating func number() throws(JSONItemError) -> String {
        let start = place
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 &- 48 < 10 } ?? false }
        if next == UInt8(ascii: "-") { place += 1 }
        guard isDigit(next) else { throw failure("this is not a JSON value") }
        if next == UInt8(ascii: "0") { place += 1 } else { while isDigit(next) { place += 1 } }
        if next == UInt8(ascii: ".") {
            place += 1
            guard isDigit(next) else { throw failure("this is not a JSON value") }
            while isDigit(next) { place += 1 }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            place += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
            guard isDigit(next) else { throw failure("this is not a JSON value") }
            while isDigit(next) { place += 1 }
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }
}
