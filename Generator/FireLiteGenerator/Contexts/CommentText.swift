/// Text of others for a comment in Swift source.
enum CommentText {
    /// The maximum length, in characters; a description in FHIR has 250 at most.
    static let maximumLength = 300

    /// The text as one line that ends no comment and begins none, whatever is in it.
    ///
    /// White space of any kind becomes single spaces. Characters that control a terminal, the order of writing or nothing that can be seen
    /// go, and so do those of no meaning; a mark of a block comment is taken apart.
    static func line(_ text: String) -> String {
        var line = ""
        var length = 0
        var isSpaceDue = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpaceDue = !line.isEmpty
                continue
            }
            guard isVisible(scalar) else { continue }
            if length == maximumLength { return line + "…" }
            let isMark = (line.last == "*" && scalar == "/") || (line.last == "/" && scalar == "*")
            if isSpaceDue || isMark {
                line += " "
                length += 1
            }
            line.unicodeScalars.append(scalar)
            length += 1
            isSpaceDue = false
        }
        return line
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
