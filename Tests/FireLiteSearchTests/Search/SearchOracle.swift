import FireLite
import FireLiteFHIRPath
import FireLiteR4
import Foundation

@testable import FireLiteSearch

/// Answers searches in memory, apart from the code under test: values by FHIRPath, and rules of its own on their JSON.
struct SearchOracle {
    let resources: [FHIRResource]
    let release: FHIRRelease

    /// A value that a parameter's expression selects.
    enum Value {
        case primitive(type: String, text: String)
        case object(type: String, json: [String: Any])
    }

    /// The parts of a parameter's expression that concern a type.
    static func expression(_ definition: SearchDefinition, _ type: String) -> String {
        let parts = (definition.expression ?? "").components(separatedBy: " | ").filter { part in
            let bare = part.drop { $0 == "(" || $0 == " " }
            return bare.hasPrefix(type + ".") || bare == type || bare.hasPrefix("Resource.") || bare.hasPrefix("DomainResource.")
        }
        // Without a text, a reference is one to the type that it names, and may be one to any if it has nothing but an identifier.
        func logical(_ type: Substring) -> String {
            let names = "type = '\(type)' or type = 'http://hl7.org/fhir/StructureDefinition/\(type)'"
            return "resolve() is \(type) or (reference.empty() and (\(names) or (type.empty() and identifier.exists())))"
        }
        // `as` is for one value; parameters use it on lists.
        return parts.joined(separator: " | ").replacing(#/resolve\(\) is (\w+)/#) { logical($0.1) }.replacing(".as(", with: ".ofType(")
            .replacing(#/ as (\w+)/#) { ".ofType(\($0.1))" }
    }

    func values(_ definition: SearchDefinition, of resource: FHIRResource) throws -> [Value] {
        var context = FHIRPathContext()
        // `resolve() is Patient` looks at the text of the reference.
        context.resolve = { text in
            let parts = text.split(separator: "/")
            guard let type = parts.dropLast().last.map(String.init) else { return nil }
            return release.resourceType(named: type)?.init()
        }
        let expression = Self.expression(definition, resource.resourceType)
        guard !expression.isEmpty else { return [] }
        return try FHIRPath(expression).evaluate(on: resource, context: context).compactMap { value in
            if let object = value.object {
                let json = try JSONSerialization.jsonObject(with: FHIRJSON.data(object)) as? [String: Any] ?? [:]
                // What `resolve()` finds in the resource itself has no type in its reference.
                if expression.contains("resolve()"), (json["reference"] as? String)?.hasPrefix("#") ?? false { return nil }
                return .object(type: object.layout.name, json: json)
            }
            guard let text = value.string else { return nil }
            return .primitive(type: value.type, text: text)
        }
    }

    // MARK: - Searches

    /// The ids of the resources of a type that meet all parameters.
    func ids(_ type: String, _ parameters: [(SearchDefinition, modifier: String?, value: String)]) throws -> Set<String> {
        var ids: Set<String> = []
        for resource in resources where resource.resourceType == type {
            let isMatch = try parameters.allSatisfy { definition, modifier, value in
                try matches(resource, definition, modifier, value)
            }
            if isMatch, let id = resource.id { ids.insert(id) }
        }
        return ids
    }

    func matches(_ resource: FHIRResource, _ definition: SearchDefinition, _ modifier: String?, _ value: String) throws -> Bool {
        let values = try values(definition, of: resource)
        if modifier == "missing" { return values.isEmpty == (value == "true") }
        let wanted = value.components(separatedBy: ",")
        let isFound = wanted.contains { one in values.contains { fits($0, definition.kind, modifier, one) } }
        return modifier == "not" ? !isFound : isFound
    }

    private func fits(_ value: Value, _ kind: SearchDefinition.Kind, _ modifier: String?, _ wanted: String) -> Bool {
        switch kind {
        case .string: Self.strings(value).contains { Self.isText($0, modifier, wanted) }
        case .token: Self.isToken(value, wanted)
        case .date: !Self.isPlainText(value) && OracleDates.isMatch(value, wanted)
        case .number: Self.isNumber(value, wanted)
        case .quantity: Self.isQuantity(value, wanted)
        case .reference: Self.isReference(value, wanted)
        case .uri: Self.text(value) == wanted
        default: false
        }
    }

    /// A text of a choice is no date, though it may look like one: `CarePlan.activity.detail.scheduledString`.
    private static func isPlainText(_ value: Value) -> Bool {
        if case .primitive("string", _) = value { true } else { false }
    }

    // MARK: - Strings and tokens

    private static func text(_ value: Value) -> String? {
        if case .primitive(_, let text) = value { text } else { nil }
    }

    private static func strings(_ value: Value) -> [String] {
        guard case .object(let type, let json) = value else { return [text(value)].compactMap { $0 } }
        let names: [String] =
            switch type {
            case "HumanName": ["family", "given", "text", "prefix", "suffix"]
            case "Address": ["line", "city", "state", "country", "postalCode", "district", "text"]
            case "CodeableConcept": ["text"]
            default: []
            }
        let codings = (json["coding"] as? [[String: Any]] ?? []).compactMap { $0["display"] as? String }
        return names.flatMap { json[$0] as? [String] ?? [json[$0] as? String].compactMap { $0 } } + codings
    }

    private static func folded(_ text: String) -> String { text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }

    private static func isText(_ text: String, _ modifier: String?, _ wanted: String) -> Bool {
        switch modifier {
        case "exact": Array(text.utf8) == Array(wanted.utf8)
        case "contains": Array(folded(text).utf8).firstRange(of: Array(folded(wanted).utf8)) != nil
        default: Array(folded(text).utf8).starts(with: Array(folded(wanted).utf8))
        }
    }

    private static func isToken(_ value: Value, _ wanted: String) -> Bool {
        let halves = wanted.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let code = halves.last ?? ""
        guard case .object(let type, let json) = value else { return text(value) == code }
        func pair(_ json: [String: Any], _ name: String) -> Bool {
            let system = json["system"] as? String
            if halves.count > 1 {
                if halves[0].isEmpty ? system != nil : system != halves[0] { return false }
                if code.isEmpty { return true }
            }
            return json[name] as? String == code
        }
        switch type {
        case "CodeableConcept": return (json["coding"] as? [[String: Any]] ?? []).contains { pair($0, "code") }
        case "Coding": return pair(json, "code")
        case "Identifier", "ContactPoint": return pair(json, "value")
        default: return false
        }
    }

    // MARK: - Numbers

    private static func isNumber(_ value: Value, _ wanted: String) -> Bool {
        guard let number = text(value).flatMap(Double.init) else { return false }
        return compare(number, wanted)
    }

    private static func compare(_ number: Double, _ wanted: String) -> Bool {
        let prefix = String(wanted.prefix(2))
        let known = ["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb"]
        let literal = known.contains(prefix) ? String(wanted.dropFirst(2)) : wanted
        guard let target = Double(literal) else { return false }
        let digits = literal.contains(".") ? literal.split(separator: ".")[1].count : 0
        let half = 0.5 * pow(10, -Double(digits))
        // Values are short decimals, so a small tolerance decides nothing but rounding.
        let isEqual = number >= target - half - 1e-9 && number < target + half - 1e-9
        switch prefix {
        case "ne": return !isEqual
        case "gt", "sa": return number > target
        case "lt", "eb": return number < target
        case "ge": return number >= target
        case "le": return number <= target
        default: return isEqual
        }
    }

    /// A number with a comparator is the end of an interval that has no other.
    private static func compare(_ number: Double, _ comparator: String?, _ wanted: String) -> Bool {
        guard let comparator, comparator != "ad" else { return compare(number, wanted) }
        let (prefix, target) = (String(wanted.prefix(2)), Double(trimmed(wanted)) ?? .nan)
        let (isAbove, hasEnd) = (comparator.hasPrefix(">"), comparator.hasSuffix("="))
        switch prefix {
        case "ne": return true
        case "gt": return isAbove || number > target
        case "lt": return !isAbove || number < target
        case "ge": return isAbove || number > target || (hasEnd && number == target)
        case "le": return !isAbove || number < target || (hasEnd && number == target)
        case "sa": return isAbove && (number > target || (!hasEnd && number == target))
        case "eb": return !isAbove && (number < target || (!hasEnd && number == target))
        default: return false
        }
    }

    private static func isQuantity(_ value: Value, _ wanted: String) -> Bool {
        if case .object("Range", let json) = value { return isRange(json, wanted) }
        if case .object("SampledData", let json) = value { return range(json).map { isRange($0, wanted) } ?? false }
        guard case .object(_, let json) = value, let number = (json["value"] as? NSNumber)?.doubleValue else { return false }
        let parts = wanted.components(separatedBy: "|")
        guard compare(number, json["comparator"] as? String, parts[0]) else { return false }
        if parts.count < 3 { return true }
        if json["currency"] != nil { return json["currency"] as? String == parts[2] }
        if parts[1].isEmpty { return json["code"] as? String == parts[2] || json["unit"] as? String == parts[2] }
        return json["system"] as? String == parts[1] && json["code"] as? String == parts[2]
    }

    /// A Range, whose ends may be absent.
    private static func isRange(_ json: [String: Any], _ wanted: String) -> Bool {
        let parts = wanted.components(separatedBy: "|")
        let ends = ["low", "high"].map { json[$0] as? [String: Any] }
        if parts.count == 3, !ends.contains(where: { $0?["code"] as? String == parts[2] || $0?["unit"] as? String == parts[2] }) {
            return false
        }
        let (low, high) = ((ends[0]?["value"] as? NSNumber)?.doubleValue, (ends[1]?["value"] as? NSNumber)?.doubleValue)
        if low == nil, high == nil { return false }
        let prefix = String(parts[0].prefix(2))
        let isWithin = low.map { compare($0, "ge" + trimmed(parts[0])) || compare($0, trimmed(parts[0])) } ?? false
        switch prefix {
        case "gt", "ge": return high.map { compare($0, parts[0]) } ?? true
        case "lt", "le": return low.map { compare($0, parts[0]) } ?? true
        case "sa": return low.map { compare($0, parts[0]) } ?? false
        case "eb": return high.map { compare($0, parts[0]) } ?? false
        default:
            let literal = trimmed(parts[0])
            let isEqual = isWithin && (high.map { compare($0, "le" + literal) || compare($0, literal) } ?? false)
            return prefix == "ne" ? !isEqual : isEqual
        }
    }

    /// The Range from the least to the greatest value of SampledData; nil if it has none.
    static func range(_ json: [String: Any]) -> [String: Any]? {
        let origin = json["origin"] as? [String: Any] ?? [:]
        func number(_ name: String) -> Double? { (json[name] as? NSNumber)?.doubleValue }
        let start = (origin["value"] as? NSNumber)?.doubleValue ?? 0
        let values = (json["data"] as? String ?? "").split(separator: " ").compactMap { word -> Double? in
            switch word {
            case "L": number("lowerLimit")
            case "U": number("upperLimit")
            default: Double(word).map { start + $0 * (number("factor") ?? 1) }
            }
        }
        guard let least = values.min(), let greatest = values.max() else { return nil }
        return ["low": origin.merging(["value": least]) { $1 }, "high": origin.merging(["value": greatest]) { $1 }]
    }

    private static func trimmed(_ text: String) -> String { String(text.drop { $0.isLetter }) }

    // MARK: - References

    private static func isReference(_ value: Value, _ wanted: String) -> Bool {
        switch value {
        case .primitive(_, let text): return text == wanted || text.hasPrefix(wanted + "|")
        case .object(_, let json):
            guard var reference = json["reference"] as? String else { return false }
            if let version = reference.range(of: "/_history/") { reference = String(reference[..<version.lowerBound]) }
            // The store knows no base address, so an absolute reference is found only as it is written.
            return reference == wanted || (!wanted.contains("/") && !reference.contains(":") && reference.hasSuffix("/" + wanted))
        }
    }
}
