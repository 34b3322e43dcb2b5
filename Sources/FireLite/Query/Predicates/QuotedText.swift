import FireLiteCore

/// Takes lists of conditions and of values apart, and values out of quotation marks: in `"a \"b\", c"` a comma is part of the value.
///
/// By Unicode scalars: a quotation mark with an accent on it is one all the same.
enum QuotedText {
    /// The values between commas, those in quotation marks without them.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for quotation marks that do not end, or not at the end of a value.
    static func values(_ text: String) throws -> [String] { try parts(text[...], ofConditions: false).map(value) }

    /// The conditions between commas, as they are written. A comma before a quotation mark goes on with the values of one condition.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for quotation marks that do not end.
    static func conditions(_ text: Substring) throws -> [String] { try parts(text, ofConditions: true).filter { !$0.isEmpty } }

    /// A value without its quotation marks; one that does not begin with them as it is.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for quotation marks that do not end, or not at the end.
    static func value(_ text: String) throws -> String {
        var rest = text.unicodeScalars[...]
        guard rest.popFirst() == "\"" else { return text }
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"":
                guard rest.isEmpty else { throw invalid("after the quotation mark that ends a value comes more: put \\ before one in it") }
                return String(value)
            case "\\":
                guard let next = rest.popFirst(), next == "\"" || next == "\\" else {
                    throw invalid("in quotation marks \\ stands before a quotation mark or another \\: write it twice")
                }
                value.append(next)
            default: value.append(scalar)
            }
        }
        throw unended
    }

    /// Where in a condition a scalar is.
    private enum Place {
        case path
        /// Right behind the relation, where a quotation mark begins a value.
        case valueStart
        case value, quoted, escaped
    }

    private static func parts(_ text: Substring, ofConditions: Bool) throws -> [String] {
        let scalars = text.unicodeScalars
        let start = ofConditions ? Place.path : .valueStart
        var place = start
        var depth = 0
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        for index in scalars.indices {
            let scalar = scalars[index]
            switch (scalar, place) {
            case (_, .escaped): place = .quoted
            case ("\\", .quoted): place = .escaped
            case ("\"", .quoted): place = .value
            case (_, .quoted): break
            case ("\"", .valueStart): place = .quoted
            case ("{", .path): depth += 1
            case ("}", _) where depth > 0:
                depth -= 1
                place = .value
            case (",", _):
                let next = scalars.index(after: index)
                if ofConditions, place != .path, next < scalars.endIndex, scalars[next] == "\"" {
                    place = .valueStart
                } else {
                    place = start
                    if depth == 0 {
                        parts.append(String(part))
                        part = .init()
                        continue
                    }
                }
            case ("=", .path), ("<", .path), (">", .path), ("~", .path): place = .valueStart
            case ("=", .valueStart) where ofConditions: break
            case (_, .valueStart): place = .value
            default: break
            }
            part.append(scalar)
        }
        if place == .quoted || place == .escaped { throw unended }
        parts.append(String(part))
        return parts
    }

    private static func invalid(_ message: String) -> FHIRStoreError { FHIRStoreError(.invalidArgument, message) }

    private static var unended: FHIRStoreError {
        invalid("a value begins with a quotation mark and does not end with one: put \\ before those in it")
    }
}
