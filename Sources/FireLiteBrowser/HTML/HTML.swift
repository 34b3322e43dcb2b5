/// A piece of HTML: its literals are markup, and whatever is put into them is escaped. A value of a record can therefore never become markup.
///
/// ```swift
/// let cell: HTML = "<td>\(resource.id ?? "")</td>"
/// ```
struct HTML: Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init() { text = "" }
    /// Markup that ``Narrative`` has written from its lists; nothing else makes HTML of text.
    init(written text: String) { self.text = text }
    init(stringLiteral value: StaticString) { text = value.description }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity + interpolationCount * 16) }

        mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
        mutating func appendInterpolation(_ value: String) { HTMLEscaping.append(value, to: &text) }
        mutating func appendInterpolation(_ value: Int) { text += String(value) }
        mutating func appendInterpolation(_ value: Int64) { text += String(value) }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ html: [HTML]) { for piece in html { text += piece.text } }
    }

    static func + (left: HTML, right: HTML) -> HTML {
        var sum = left
        sum += right
        return sum
    }

    static func += (left: inout HTML, right: HTML) { left.text += right.text }

    var isEmpty: Bool { text.isEmpty }
    var bytes: Int { text.utf8.count }
}

extension [HTML] {
    /// The pieces with a piece between them.
    func joined(_ separator: HTML) -> HTML {
        var all = HTML()
        for (place, piece) in enumerated() {
            if place > 0 { all += separator }
            all += piece
        }
        return all
    }
}

/// Escapes text for HTML, in elements and in attributes with quotation marks (HTML Living Standard, 13.1.2.3 and 13.3).
enum HTMLEscaping {
    static func append(_ value: String, to text: inout String) {
        var value = value
        let isPlain = value.withUTF8 { bytes in bytes.allSatisfy { plain[Int($0)] } }
        if isPlain {
            text += value
            return
        }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n", "\t": text.unicodeScalars.append(scalar)
            // A control character is shown by its picture.
            case "\u{0}"..."\u{1F}": text.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case "\u{7F}": text += "\u{2421}"
            // What turns the direction of all that follows, and what HTML does not allow.
            case "\u{80}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The bytes that stand for themselves; those beyond ASCII are looked at one character at a time.
    private static let plain: [Bool] = (0..<256).map { byte in
        byte >= 0x20 && byte < 0x7F && !"&<>\"'".utf8.contains(UInt8(byte)) || byte == 0x0A || byte == 0x09
    }
}
