import Foundation

/// Reads one JSON string.
struct JSONStringScanner {
    let file: SourceFile

    /// Reads the string that starts at `start`, its opening quote.
    ///
    /// - Returns: The text (empty unless it is to be kept) and the offset after the closing quote.
    /// - Throws: `GeneratorError` for a string without end, a bad escape, a control character or bad UTF-8.
    func scan(from start: Int, keep: Bool) throws -> (text: String, end: Int) {
        let bytes = file.bytes
        var position = start + 1
        var text: [UInt8] = []
        var runStart = position
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                guard keep else { return ("", position + 1) }
                text += bytes[runStart..<position]
                guard let string = String(bytes: text, encoding: .utf8) else { throw error("invalid UTF-8 in a string", start) }
                return (string, position + 1)
            case UInt8(ascii: "\\"):
                if keep { text += bytes[runStart..<position] }
                let (scalar, end) = try escape(at: position)
                if keep { text += Array(String(Character(scalar)).utf8) }
                position = end
                runStart = end
            case 0..<0x20:
                throw error("control character in a string", position)
            default:
                position += 1
            }
        }
        throw error("string without a closing quote", start)
    }

    private func escape(at start: Int) throws -> (scalar: Unicode.Scalar, end: Int) {
        guard start + 1 < file.bytes.count else { throw error("unexpected end of the file in a string", start) }
        switch file.bytes[start + 1] {
        case UInt8(ascii: "\""): return ("\"", start + 2)
        case UInt8(ascii: "\\"): return ("\\", start + 2)
        case UInt8(ascii: "/"): return ("/", start + 2)
        case UInt8(ascii: "b"): return ("\u{8}", start + 2)
        case UInt8(ascii: "f"): return ("\u{C}", start + 2)
        case UInt8(ascii: "n"): return ("\n", start + 2)
        case UInt8(ascii: "r"): return ("\r", start + 2)
        case UInt8(ascii: "t"): return ("\t", start + 2)
        case UInt8(ascii: "u"): return try unicodeEscape(at: start)
        default: throw error("unknown escape in a string", start)
        }
    }

    /// `\uXXXX`, or two of them for a scalar outside the basic plane.
    private func unicodeEscape(at start: Int) throws -> (scalar: Unicode.Scalar, end: Int) {
        let first = try codeUnit(at: start)
        if let scalar = Unicode.Scalar(first) { return (scalar, start + 6) }
        let rest = file.bytes[(start + 6)...]
        if (0xD800..<0xDC00).contains(first), rest.starts(with: #"\u"#.utf8) {
            let second = try codeUnit(at: start + 6)
            if (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                return (scalar, start + 12)
            }
        }
        throw error("half of a surrogate pair in a string", start)
    }

    private func codeUnit(at start: Int) throws -> UInt32 {
        let digits = file.bytes.dropFirst(start + 2).prefix(4)
        let isHexadecimal = digits.count == 4 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }
        guard isHexadecimal, let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw error("expected four hexadecimal digits", start)
        }
        return unit
    }

    private func error(_ message: String, _ offset: Int) -> GeneratorError {
        GeneratorError(message, at: file.location(of: offset))
    }
}
