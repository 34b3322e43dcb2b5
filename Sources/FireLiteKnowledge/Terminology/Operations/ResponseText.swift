import FireLiteCore
import Foundation

/// Writes a response into one run of bytes: an expansion has a hundred thousand values, and a text of each, joined level by level, takes longer than to find them.
struct ResponseText {
    private var bytes: [UInt8] = []

    /// The UTF-8 of a value as JSON, in the order of the members.
    static func data(_ item: JSONItem) -> Data {
        var text = ResponseText()
        text.write(item)
        return Data(text.bytes)
    }

    private mutating func write(_ item: JSONItem) {
        switch item.content {
        case .object(let members):
            var separator = UInt8(ascii: "{")
            for member in members {
                bytes.append(separator)
                write(member.name)
                bytes.append(UInt8(ascii: ":"))
                write(member.value)
                separator = UInt8(ascii: ",")
            }
            if members.isEmpty { bytes.append(separator) }
            bytes.append(UInt8(ascii: "}"))
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (place, item) in items.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                write(item)
            }
            bytes.append(UInt8(ascii: "]"))
        case .string(let text): write(text)
        case .number(let literal): bytes.append(contentsOf: literal.utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .null: bytes.append(contentsOf: "null".utf8)
        }
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isWritten =
            text.utf8.withContiguousStorageIfAvailable { utf8 in
                guard Self.isPlain(UnsafeRawBufferPointer(utf8)) else { return false }
                bytes.append(contentsOf: utf8)
                return true
            } ?? false
        if !isWritten { bytes.append(contentsOf: JSONText.escaped(text).utf8) }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether a text needs no escapes: eight bytes at a time.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        /// The highest bit of each byte that is less than a number of at most 128.
        func less(_ word: UInt64, than number: UInt64) -> UInt64 { (word &- lowBits &* number) & ~word & highBits }
        var place = 0
        while place + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let (quotes, backslashes) = (word ^ (lowBits &* 0x22), word ^ (lowBits &* 0x5C))
            if less(word, than: 0x20) | less(quotes, than: 1) | less(backslashes, than: 1) != 0 { return false }
            place += 8
        }
        return text[place...].allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
