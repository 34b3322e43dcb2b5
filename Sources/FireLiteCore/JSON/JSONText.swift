/// Pieces of JSON (RFC 8259).
package enum JSONText {
    /// The escapes for control characters, for which JSON allows several.
    package enum Escapes {
        /// `\n`, and `\u001f` for all others.
        case few
        /// `\b`, `\t`, `\n`, `\f`, `\r`, and `\u001f` for all others, as RFC 8785 wants them.
        case short
    }

    /// A string in quotes.
    package static func string(_ text: String, _ escapes: Escapes = .few) -> String { "\"" + escaped(text, escapes) + "\"" }

    /// The text between the quotes of a string.
    package static func escaped(_ text: String, _ escapes: Escapes = .few) -> String {
        // Most texts need no escapes.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) { return text }
        var json = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\u{8}" where escapes == .short: json += "\\b"
            case "\t" where escapes == .short: json += "\\t"
            case "\u{C}" where escapes == .short: json += "\\f"
            case "\r" where escapes == .short: json += "\\r"
            case "\u{0}"..<"\u{20}": json += "\\u" + scalar.value.padded(4, radix: 16)
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json
    }

    /// A FHIR primitive in FHIR's JSON: numbers and booleans unquoted, everything else quoted.
    ///
    /// A column of a file can contain any text, so a value counts as a number only if it is written like one.
    package static func primitive(_ literal: String, _ type: PrimitiveType?) -> String {
        switch type?.storage {
        case .boolean where literal == "true" || literal == "false": literal
        case .integer where type != .integer64 && isNumber(literal): literal
        case .decimal where isNumber(literal): literal
        default: string(literal)
        }
    }

    /// Whether a text is a JSON number.
    package static func isNumber(_ text: String) -> Bool { FHIRDecimal(text) != nil }

    /// An object with these members, in this order; the values are already JSON.
    package static func object(_ members: [(name: String, json: String)]) -> String {
        "{" + members.map { "\(string($0.name)):\($0.json)" }.joined(separator: ",") + "}"
    }

    /// A list of values that are already JSON.
    package static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }
}
