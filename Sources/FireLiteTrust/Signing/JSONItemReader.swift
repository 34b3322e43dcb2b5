import Foundation

/// Reads JSON (RFC 8259) strictly: no member twice, nothing after the end, and no more than ``depth`` levels.
struct JSONItemReader {
    private static let depth = 128
    private var bytes: [UInt8]
    private var place = 0

    /// Reads a value.
    ///
    /// - Throws: ``TrustError/Code/malformed``.
    static func read(_ data: Data) throws -> JSONItem {
        var reader = JSONItemReader(bytes: Array(data))
        reader.skipSpace()
        let item = try reader.value(0)
        reader.skipSpace()
        guard reader.place == reader.bytes.count else { throw reader.malformed() }
        return item
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func malformed() -> TrustError { TrustError(.malformed, "there is no valid JSON at byte \(place)") }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() { while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 } }

    private mutating func skip(_ character: Unicode.Scalar) throws {
        guard next == UInt8(ascii: character) else { throw malformed() }
        place += 1
    }

    private mutating func word(_ text: StaticString, _ item: JSONItem) throws -> JSONItem {
        let word = text.withUTF8Buffer { Array($0) }
        guard bytes.count - place >= word.count, bytes[place..<place + word.count].elementsEqual(word) else { throw malformed() }
        place += word.count
        return item
    }

    private mutating func value(_ level: Int) throws -> JSONItem {
        guard level < Self.depth, let byte = next else { throw malformed() }
        switch byte {
        case UInt8(ascii: "{"): return try object(level)
        case UInt8(ascii: "["): return try array(level)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(_ level: Int) throws -> JSONItem {
        try skip("{")
        skipSpace()
        var members: [JSONItem.Member] = []
        var names: Set<[UInt8]> = []
        if next == UInt8(ascii: "}") {
            place += 1
            return .object([])
        }
        while true {
            skipSpace()
            let name = try string()
            // By bytes, as Swift takes canonically equivalent texts for equal.
            guard names.insert(Array(name.utf8)).inserted else { throw malformed() }
            skipSpace()
            try skip(":")
            skipSpace()
            members.append(JSONItem.Member(name: name, value: try value(level + 1)))
            skipSpace()
            if next == UInt8(ascii: ",") {
                place += 1
                continue
            }
            try skip("}")
            return .object(members)
        }
    }

    private mutating func array(_ level: Int) throws -> JSONItem {
        try skip("[")
        skipSpace()
        var items: [JSONItem] = []
        if next == UInt8(ascii: "]") {
            place += 1
            return .array([])
        }
        while true {
            skipSpace()
            items.append(try value(level + 1))
            skipSpace()
            if next == UInt8(ascii: ",") {
                place += 1
                continue
            }
            try skip("]")
            return .array(items)
        }
    }

    // MARK: - Strings and numbers

    private mutating func string() throws -> String {
        try skip("\"")
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw malformed() }
                return string
            case UInt8(ascii: "\\"): text += Array(String(try escape()).utf8)
            case 0..<0x20: throw malformed()
            default: text.append(byte)
            }
        }
        throw malformed()
    }

    private mutating func escape() throws -> Unicode.Scalar {
        guard let byte = next else { throw malformed() }
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
            guard 0xD800..<0xDC00 ~= first else { throw malformed() }
            try skip("\\")
            try skip("u")
            let second = try unit()
            guard 0xDC00..<0xE000 ~= second, let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
                throw malformed()
            }
            return scalar
        default: throw malformed()
        }
    }

    private mutating func unit() throws -> UInt32 {
        guard bytes.count - place >= 4, let digits = String(validating: bytes[place..<place + 4], as: UTF8.self),
            digits.utf8.allSatisfy({ 48...57 ~= $0 || 65...70 ~= $0 || 97...102 ~= $0 }), let unit = UInt32(digits, radix: 16)
        else { throw malformed() }
        place += 4
        return unit
    }

    private mutating func number() throws -> String {
        let start = place
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { 48...57 ~= $0 } ?? false }
        if next == UInt8(ascii: "-") { place += 1 }
        guard isDigit(next) else { throw malformed() }
        if next == UInt8(ascii: "0") { place += 1 } else { while isDigit(next) { place += 1 } }
        if next == UInt8(ascii: ".") {
            place += 1
            guard isDigit(next) else { throw malformed() }
            while isDigit(next) { place += 1 }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            place += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
            guard isDigit(next) else { throw malformed() }
            while isDigit(next) { place += 1 }
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }
}
