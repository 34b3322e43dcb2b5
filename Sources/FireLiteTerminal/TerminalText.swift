/// Text for a terminal, which some characters control.
package enum TerminalText {
    /// The text with control characters, bidirectional marks and invisible characters as JSON escapes (`\\u001b`).
    ///
    /// - Parameter keepsLines: whether line feeds stay.
    package static func visible(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isSteering) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isSteering(scalar), !(keepsLines && scalar == "\n") {
                result.append(contentsOf: ("\\u" + scalar.value.padded(4, radix: 16)).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
        // Bidirectional marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // What is invisible, so that two texts that differ look the same: soft hyphens, spaces without a width, marks of annotations. Joiners shape letters.
        case 0x00AD, 0x180E, 0x200B, 0x2060...0x2064, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}
