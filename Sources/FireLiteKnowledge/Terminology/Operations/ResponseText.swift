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
        bytes.append(contentsOf: JSONText.escaped(text).utf8)
        bytes.append(UInt8(ascii: "\""))
    }
}
