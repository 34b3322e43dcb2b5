extension PrimitiveType {
    /// The form of the type's values, for messages (<https://hl7.org/fhir/datatypes.html#primitive>).
    package var format: String {
        switch self {
        case .boolean: "true or false"
        case .decimal: "a number"
        case .integer, .positiveInt, .unsignedInt: "a whole number from \(integerRange.lowerBound) to \(integerRange.upperBound)"
        case .integer64: "a whole number of 64 bits in quotation marks"
        case .date: "a date of the form YYYY, YYYY-MM or YYYY-MM-DD"
        case .dateTime: "a dateTime of the form YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss with Z or an offset like +01:00"
        case .instant: "an instant of the form YYYY-MM-DDThh:mm:ss with Z or an offset like +01:00"
        case .time: "a time of the form hh:mm:ss"
        case .string, .markdown: "a \(name) of 1 to \(PrimitiveFormat.maximumStringLength) characters, without control characters"
        case .code: "a code without leading or trailing spaces and with single spaces inside"
        case .id: "an id of 1 to 64 letters, digits, hyphens and full stops"
        case .uri, .url, .canonical: "a \(name) without spaces"
        case .oid: "an oid as urn:oid: with numbers and full stops"
        case .uuid: "a uuid as urn:uuid: with hexadecimal digits in lower case, grouped 8-4-4-4-12"
        case .base64Binary: "base64"
        case .xhtml: "XHTML in a div element"
        }
    }

    /// Why a text is not a value of a date or time type, without the text itself.
    package static func temporalFault(_ text: String, _ type: PrimitiveType) -> String {
        if text.isEmpty { return "an empty string" }
        if text.unicodeScalars.first?.properties.isWhitespace ?? false || text.unicodeScalars.last?.properties.isWhitespace ?? false {
            return "a string with leading or trailing spaces"
        }
        let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false).map { shape($0) }
        let isDate = ["0000", "0000-00", "0000-00-00"].contains(halves[0])
        let clock = type == .time ? halves[0] : halves.count > 1 ? halves[1] : nil
        if type == .date, isDate, halves.count > 1 { return "a date with a time" }
        if type == .instant, isDate, halves.count == 1 { return "a date without a time" }
        if type == .time, isDate { return "a date" }
        if type != .time, !isDate { return "a string that does not begin with such a date" }
        if type != .time, clock != nil, halves[0] != "0000-00-00" { return "a time after a date without a day" }
        guard let clock else { return "a date that does not exist" }
        if clock.hasPrefix("00:00"), !clock.hasPrefix("00:00:00") { return "a time without seconds" }
        if !clock.hasPrefix("00:00:00") { return "a string without such a time" }
        var rest = clock.dropFirst(8)
        if rest.first == "." {
            rest = rest.dropFirst().drop { $0 == "0" }
            if clock.dropFirst(9).first != "0" { return "a second with a decimal point but no digits" }
        }
        if type == .time { return rest.isEmpty ? "a time that does not exist" : "a time with text after it" }
        if rest.isEmpty { return "a time without Z or an offset" }
        let isZone = rest == "Z" || rest == "+00:00" || rest == "-00:00"
        return isZone ? "a date, time or offset that does not exist" : "a time without such an offset"
    }

    /// The text with 0 for every digit.
    private static func shape(_ text: Substring) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value &- 48 < 10 ? "0" : $0 }))
    }
}
