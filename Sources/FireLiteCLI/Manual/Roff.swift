/// Text for a manual page in roff, with the macros of `man` (groff_man(7), mandoc's man(7)).
enum Roff {
    /// A text of any characters, as part of a line.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "\"": result += "\\(dq"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits + "]"
            }
        }
        return result
    }

    /// A text as a line, which a period at its beginning does not make a request.
    static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }

    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    // MARK: - Paragraphs

    /// The maximum length of a line of the source before escaping, if its words allow.
    private static let width = 70

    /// A text to be filled. Each sentence begins a line, as formatters choose the space after it.
    static func filled(_ text: String) -> [String] {
        var lines: [String] = []
        var current = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            let endsSentence = current.hasSuffix(".") && word.first?.isUppercase == true
            if !current.isEmpty, endsSentence || current.count + word.count >= width {
                lines.append(line(current))
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + word
        }
        return lines + [line(current)]
    }

    /// The paragraphs of a help text. Indented lines stay as they are; others are filled.
    static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n\n") {
            lines.append(".PP")
            var rest = paragraph.split(separator: "\n")[...]
            while let first = rest.first {
                let isIndented = first.hasPrefix(" ")
                let block = rest.prefix { $0.hasPrefix(" ") == isIndented }
                rest = rest.dropFirst(block.count)
                if isIndented {
                    lines += [".RS 4", ".nf"] + block.map { line(String($0.drop { $0 == " " })) } + [".fi", ".RE"]
                } else {
                    lines += filled(block.joined(separator: " "))
                }
            }
        }
        return lines
    }

    /// A list of terms with explanations.
    static func list(_ items: [(term: String, text: String)]) -> [String] {
        items.flatMap { [".TP", bold($0.term)] + filled(sentence($0.text)) }
    }

    /// The text as a sentence: `print this text` becomes `Print this text.`
    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }
}
