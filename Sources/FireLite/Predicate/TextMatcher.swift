import FireLiteSQLiteBridge
import Foundation

/// Compares text for the SQL function `firelite_match(text, pattern, mode)`, which exists in the store's own connections.
enum TextMatcher {
    static let functionName = "firelite_match"

    static func register(_ connection: Connection) throws {
        try connection.addTextFunction(functionName) { text, pattern, mode in matches(text, pattern, mode) }
    }

    /// The folded form of a text, for comparisons that ignore case or accents.
    static func folded(_ text: String, _ folding: TextFolding) -> String {
        if folding.isEmpty { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return folding.contains(.ignoringCase) ? text.lowercased() : text }
        var options: String.CompareOptions = []
        if folding.contains(.ignoringCase) { options.insert(.caseInsensitive) }
        if folding.contains(.ignoringAccents) { options.insert(.diacriticInsensitive) }
        return text.folding(options: options, locale: nil)
    }

    static func matches(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>, _ mode: Int64) -> Bool {
        let folding = TextFolding(rawValue: mode & ~7)
        let way = TextOperator(rawValue: mode & 7) ?? .equal
        if folding.isEmpty { return matches(text, pattern, way) }
        var folded = Self.folded(String(decoding: text, as: UTF8.self), folding)
        return folded.withUTF8 { matches($0, pattern, way) }
    }

    private static func matches(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>, _ way: TextOperator) -> Bool {
        switch way {
        case .equal: return text.elementsEqual(pattern)
        case .hasPrefix: return text.starts(with: pattern)
        case .hasSuffix: return text.count >= pattern.count && text.suffix(pattern.count).elementsEqual(pattern)
        case .contains: return contains(text, pattern)
        case .like: return isLike(text, pattern)
        }
    }

    private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = pattern.first else { return true }
        guard text.count >= pattern.count else { return false }
        for start in 0...(text.count - pattern.count) where text[start] == first {
            var index = 1
            while index < pattern.count, text[start + index] == pattern[index] { index += 1 }
            if index == pattern.count { return true }
        }
        return false
    }

    /// `%` matches any run of characters, `_` one Unicode scalar.
    private static func isLike(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        var (position, place) = (0, 0)
        var retry: (position: Int, place: Int)?
        while position < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "%") {
                place += 1
                retry = (position, place)
            } else if place < pattern.count, pattern[place] == UInt8(ascii: "_") {
                place += 1
                position = next(text, position)
            } else if place < pattern.count, pattern[place] == text[position] {
                place += 1
                position += 1
            } else if let known = retry {
                position = next(text, known.position)
                place = known.place
                retry = (position, place)
            } else {
                return false
            }
        }
        while place < pattern.count, pattern[place] == UInt8(ascii: "%") { place += 1 }
        return place == pattern.count
    }

    /// The start of the next scalar.
    private static func next(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
        var position = position + 1
        while position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
        return position
    }
}
