import FireLiteCore
import Foundation

/// A JSON value whose texts and numbers keep their bytes, and which knows where it was read: what a migration leaves alone comes out as it came in, which
/// `JSONItem` does not promise.
struct JSONNode {
    indirect enum Content {
        case object([Member])
        case list([JSONNode])
        /// A text with its quotation marks and escapes.
        case text(ArraySlice<UInt8>)
        /// A number, `true`, `false` or `null`.
        case word(ArraySlice<UInt8>)
    }

    struct Member {
        /// The name without escapes.
        var name: String
        var value: JSONNode
        /// The offset of the name, or of the value if the member is new.
        let offset: Int

        init(name: String, value: JSONNode, offset: Int? = nil) {
            self.name = name
            self.value = value
            self.offset = offset ?? value.range.lowerBound
        }
    }

    var content: Content
    /// The bytes of the text that it was read from.
    let range: Range<Int>

    // MARK: - Making values

    static func text(_ text: String, at range: Range<Int>) -> JSONNode {
        JSONNode(content: .text(Array(JSONText.string(text).utf8)[...]), range: range)
    }

    static func word(_ literal: String, at range: Range<Int>) -> JSONNode {
        JSONNode(content: .word(Array(literal.utf8)[...]), range: range)
    }

    /// The same value with one place for all of its parts, as what it was read from is elsewhere.
    func placed(at range: Range<Int>) -> JSONNode {
        let content: Content =
            switch content {
            case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.placed(at: range)) })
            case .list(let items): .list(items.map { $0.placed(at: range) })
            case .text, .word: content
            }
        return JSONNode(content: content, range: range)
    }

    // MARK: - Contents

    var isNull: Bool { word == "null" }

    var isEmpty: Bool {
        switch content {
        case .object(let members): members.isEmpty
        case .list(let items): items.isEmpty
        default: false
        }
    }

    var members: [Member]? { if case .object(let members) = content { members } else { nil } }

    var items: [JSONNode]? { if case .list(let items) = content { items } else { nil } }

    /// A number, `true`, `false` or `null`.
    var word: String? { if case .word(let bytes) = content { String(decoding: bytes, as: UTF8.self) } else { nil } }

    /// The number, as it is written.
    var number: String? {
        guard case .word(let bytes) = content, let first = bytes.first, first == UInt8(ascii: "-") || first &- 48 < 10 else { return nil }
        return word
    }

    /// The text without escapes; nil for another value, or if it is not valid.
    var text: String? { if case .text(let bytes) = content { Self.unescaped(bytes) } else { nil } }

    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(validating: bytes.dropFirst().dropLast(), as: UTF8.self) }
        // What cannot be decoded is for the strict reader to report.
        return try? JSONDecoder().decode(String.self, from: Data(bytes))
    }

    /// The value of an object's first member with that name.
    subscript(name: String) -> JSONNode? { members?.first { $0.name == name }?.value }
}
