import FireLite
import Foundation

/// Texts of the form `Type/id` in JSON and other texts: as references, relative or absolute, and in addresses of requests.
enum ReferenceTokens {
    /// Calls `body` with each `Type/id` in a text.
    ///
    /// - Parameter isLowercased: whether the types may begin with a small letter, as in a text in lower case.
    static func forEach(in text: String, isLowercased: Bool = false, _ body: (String) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            var index = 0
            while let slash = bytes[index...].firstIndex(of: UInt8(ascii: "/")) {
                index = slash + 1
                var start = slash
                while start > 0, isLetter(bytes[start - 1]) { start -= 1 }
                var end = slash + 1
                while end < bytes.count, isIDPart(bytes[end]) { end += 1 }
                guard start < slash, end > slash + 1, isLowercased || isUpper(bytes[start]) else { continue }
                body(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self))
            }
        }
    }

    /// Whether a text has one of some keys.
    static func hasAny(of keys: Set<String>, in text: String) -> Bool {
        var isFound = false
        forEach(in: text) { if keys.contains($0) { isFound = true } }
        return isFound
    }

    /// Whether a text in lower case has one of some keys in lower case.
    static func hasAny(ofLowercased keys: Set<String>, in text: String) -> Bool {
        var isFound = false
        forEach(in: text, isLowercased: true) { if keys.contains($0) { isFound = true } }
        return isFound
    }

    /// Whether a value has one of some UUIDs, in capitals or not.
    static func hasAny(of uuids: Set<UUID>, in value: SQLValue) -> Bool {
        guard !uuids.isEmpty else { return false }
        let text: [UInt8]
        switch value {
        case .text(let value): text = Array(value.utf8)
        case .blob(let bytes): text = bytes
        case .null, .integer, .real: return false
        }
        var begin = 0
        // Each run of hexadecimal digits and hyphens: it may begin with those of an escape, as in `%7C`.
        while begin + 36 <= text.count {
            let end = text[begin...].firstIndex { !isUUIDPart($0) } ?? text.count
            if end - begin >= 36, let uuid = UUID(uuidString: String(decoding: text[end - 36..<end], as: UTF8.self)), uuids.contains(uuid) {
                return true
            }
            begin = end + 1
        }
        return false
    }

    private static func isUUIDPart(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...102).contains(byte) || (65...70).contains(byte) || byte == 45
    }
    private static func isUpper(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isUpper(byte) || (97...122).contains(byte) }
    /// Source: FHIR, Datatypes, id.
    private static func isIDPart(_ byte: UInt8) -> Bool { isLetter(byte) || (48...57).contains(byte) || byte == 45 || byte == 46 }
}
