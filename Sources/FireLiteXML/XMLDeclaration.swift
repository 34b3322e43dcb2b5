import Foundation

/// The encoding of a document by its first bytes (<https://www.w3.org/TR/xml/#sec-guessing>). FireLite reads UTF-8 alone, as FHIR demands.
enum XMLDeclaration {
    /// The number of bytes in which an encoding is looked for.
    static let length = 1_024
    /// The number of bytes in which the root element is looked for.
    static let rootLength = 1 << 16
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// What is there instead of UTF-8; nil if it may be UTF-8.
    ///
    /// - Parameter afterMark: whether a byte order mark precedes the bytes.
    static func foreignEncoding(_ bytes: UnsafeBufferPointer<UInt8>, afterMark: Bool) -> String? {
        // One of them is no part of the text. The parser skips a second one, too.
        if bytes.starts(with: afterMark ? byteOrderMark : byteOrderMark + byteOrderMark) { return "a second byte order mark" }
        let beginning = Array(bytes.prefix(4))
        if beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0, 0]) {
            return "UTF-16 or UTF-32"
        }
        if beginning.count >= 2, beginning[0] == 0 || beginning[1] == 0 { return "UTF-16 or UTF-32" }
        if beginning == [0x4C, 0x6F, 0xA7, 0x94] { return "EBCDIC" }
        guard let declared = declaredEncoding(bytes) else { return nil }
        return ["utf-8", "utf8", "us-ascii", "ascii"].contains(declared.lowercased()) ? nil : "another declared encoding"
    }

    /// The name of the root element without its prefix; nil if the beginning of the document does not show it.
    static func rootName(_ beginning: [UInt8]) -> String? {
        var rest = beginning[...]
        if rest.starts(with: byteOrderMark) { rest = rest.dropFirst(byteOrderMark.count) }
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
            if rest.starts(with: "<?".utf8) {
                guard let end = rest.firstRange(of: Array("?>".utf8)) else { return nil }
                rest = rest[end.upperBound...]
            } else if rest.starts(with: "<!--".utf8) {
                guard let end = rest.firstRange(of: Array("-->".utf8)) else { return nil }
                rest = rest[end.upperBound...]
            } else {
                guard rest.first == UInt8(ascii: "<") else { return nil }
                let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
                return String(decoding: name, as: UTF8.self).split(separator: ":").last.map(String.init)
            }
        }
    }

    /// The encoding in `<?xml version="1.0" encoding="…"?>`.
    private static func declaredEncoding(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let start = Array("<?xml".utf8)
        guard bytes.starts(with: start) else { return nil }
        let text = String(decoding: bytes.dropFirst(start.count).prefix(length), as: UTF8.self)
        guard let end = text.range(of: "?>"), let name = text[..<end.lowerBound].range(of: "encoding") else { return nil }
        let value = text[name.upperBound..<end.lowerBound].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }
}
