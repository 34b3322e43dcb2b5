import FireLiteCore
import Foundation

extension Function {
    /// Texts made from texts (FHIRPath 2.0, String Manipulation; encode, decode, escape and unescape are for trial use).
    static let moreStrings: [String: Function] = [
        "replace": Function(2, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let part = try call.text(0, evaluator), let other = try call.text(1, evaluator) else {
                return []
            }
            try call.countSearch(of: part, in: text, evaluator)
            return [.string(try call.replace(part, with: other, in: text))]
        },
        "replaceMatches": Function(2...3, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let pattern = try call.text(0, evaluator), let other = try call.text(1, evaluator) else {
                return []
            }
            if pattern.isEmpty { return [.string(text)] }
            return [.string(try RegularMatching(pattern, call, evaluator).replacing(in: text, with: other))]
        },
        "encode": Function(1, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let format = try call.text(0, evaluator) else { return [] }
            try call.checkLength(text.utf8.count * 2)
            switch format {
            case "hex": return [.string(text.utf8.hexText)]
            case "base64": return [.string(Data(text.utf8).base64EncodedString())]
            case "urlbase64":
                let plain = Data(text.utf8).base64EncodedString()
                return [.string(plain.replacingBytes("+", with: "-").replacingBytes("/", with: "_"))]
            default: throw call.error("'encode' knows hex, base64 and urlbase64")
            }
        },
        "decode": Function(1, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let format = try call.text(0, evaluator) else { return [] }
            let data: Data?
            switch format {
            case "hex": data = Hexadecimal.bytes(text)
            case "base64": data = Data(base64Encoded: text)
            case "urlbase64":
                data = Data(base64Encoded: text.replacingBytes("-", with: "+").replacingBytes("_", with: "/").padded(toMultipleOf: 4))
            default: throw call.error("'decode' knows hex, base64 and urlbase64")
            }
            return .optional(data.flatMap { String(data: $0, encoding: .utf8) }.map { .string($0) })
        },
        "escape": Function(1, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let target = try call.text(0, evaluator) else { return [] }
            try call.checkLength(text.utf8.count * 2)
            switch target {
            case "html": return [.string(text.escapedForHTML)]
            case "json": return [.string(JSONText.escaped(text, .short))]
            default: throw call.error("'escape' knows html and json")
            }
        },
        "unescape": Function(1, .ofString(.string)) { call, focus, evaluator in
            guard let text = try call.text(focus), let target = try call.text(0, evaluator) else { return [] }
            switch target {
            case "html": return [.string(text.unescapedFromHTML)]
            case "json": return .optional(text.unescapedFromJSON.map { .string($0) })
            default: throw call.error("'unescape' knows html and json")
            }
        },
    ]
}

extension FunctionNode {
    /// All occurrences replaced; an empty part is found before each character and at the end.
    fileprivate func replace(_ part: String, with other: String, in text: String) throws -> String {
        let count = part.isEmpty ? text.unicodeScalars.count + 1 : text.utf8.count / part.utf8.count
        let (length, isOverflow) = count.multipliedReportingOverflow(by: other.utf8.count)
        try checkLength(isOverflow ? .max : length)
        guard part.isEmpty else { return text.replacingBytes(part, with: other) }
        return other + text.unicodeScalars.map { String($0) + other }.joined()
    }
}

extension String {
    fileprivate func padded(toMultipleOf number: Int) -> String {
        self + String(repeating: "=", count: (number - utf8.count % number) % number)
    }

    fileprivate var escapedForHTML: String {
        replacingBytes("&", with: "&amp;").replacingBytes("<", with: "&lt;").replacingBytes(">", with: "&gt;").replacingBytes(
            "\"", with: "&quot;"
        )
        .replacingBytes("'", with: "&#39;")
    }

    fileprivate var unescapedFromHTML: String {
        var result = ""
        var rest = self[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(12).firstIndex(of: ";"), let character = Self.entity(rest[rest.index(after: start)..<end]) else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            result += character
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func entity(_ name: Substring) -> String? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "nbsp": return "\u{A0}"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let code = digits.hasPrefix("x") ? Hexadecimal.number(digits.dropFirst().utf8) : digits.first == "+" ? nil : UInt32(digits)
            return code.flatMap { UnicodeScalar($0) }.map { String($0) }
        }
    }

    /// Nil for text with an escape that JSON has not.
    fileprivate var unescapedFromJSON: String? {
        // A bare quotation mark ends a string of JSON, but not this text.
        var escaped = ""
        var isEscape = false
        for character in unicodeScalars {
            if character == "\"", !isEscape { escaped += "\\" }
            isEscape = character == "\\" && !isEscape
            if character.value < 0x20 {
                escaped += JSONText.escaped(String(character), .short)
            } else {
                escaped.unicodeScalars.append(character)
            }
        }
        return (try? JSONSerialization.jsonObject(with: Data("\"\(escaped)\"".utf8), options: .fragmentsAllowed)) as? String
    }
}
