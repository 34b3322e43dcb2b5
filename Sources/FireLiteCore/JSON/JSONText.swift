/// Pieces of JSON (RFC 8259).
package enum JSONText {
    /// A string in quotes.
    package static func string(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
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
