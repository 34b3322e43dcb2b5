import FireLiteCore
import FireLiteTerminal

/// Comma-separated values (RFC 4180).
struct CommaSeparated {
    /// Whether a person reads the lines.
    let isForTerminal: Bool
    /// Whether cells that a spreadsheet would take for formulas get a leading apostrophe.
    let isForSpreadsheet: Bool

    /// A line with its line ending.
    func line(_ cells: [String]) -> String {
        let line = cells.map(cell).joined(separator: ",")
        // A carriage return controls a terminal.
        return line + (isForTerminal ? "\n" : "\r\n")
    }

    private func cell(_ text: String) -> String {
        var text = isForSpreadsheet ? Self.neutralized(text) : text
        if isForTerminal { text = TerminalText.visible(text) }
        // By scalars: a reader of the line takes a quotation mark with an accent for a quotation mark.
        let scalars = text.unicodeScalars
        guard scalars.contains(where: { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }) else { return text }
        let quoted = scalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
        return "\"" + String(String.UnicodeScalarView(quoted)) + "\""
    }

    /// The text with a leading apostrophe if a spreadsheet would run it as a formula, also after blanks, which some leave out; numbers stay
    /// unchanged.
    ///
    /// Source: OWASP, CSV Injection.
    static func neutralized(_ text: String) -> String {
        switch text.unicodeScalars.first(where: { !isBlank($0) }) {
        case "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}":
            JSONText.isNumber(text) ? text : "'" + text
        default: text
        }
    }

    /// Whether a scalar is white space other than the tabs and line breaks that are guarded themselves, or is not seen at all.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        let isGuarded = scalar == "\t" || scalar == "\r" || scalar == "\n"
        return !isGuarded && (scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint)
    }
}
