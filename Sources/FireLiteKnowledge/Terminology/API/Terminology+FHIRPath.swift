import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// What `memberOf`, `subsumes` and `%terminologies` of FHIRPath ask (FHIRPath, Terminology Service API).
///
/// ```swift
/// context.terminology = terminology
/// ```
extension Terminology: FHIRPathTerminology {
    /// Whether a code, Coding, CodeableConcept or unit of a Quantity is in a value set; nil if that is not known, or if a source of
    /// definitions fails. A Coding or Quantity without a system is in none.
    ///
    /// - Parameters:
    ///   - coded: the code.
    ///   - valueSet: the canonical URL of the value set.
    /// - Throws: what a source of definitions throws.
    public func isMember(_ coded: FHIRPathValue, of valueSet: String) throws -> Bool? {
        switch try membership(of: Self.codes(of: coded), in: valueSet) {
        case .member: true
        case .notMember: false
        case .unknown: nil
        }
    }

    /// Whether the first code equals the second one or is more general; nil if the codes are unknown or of different systems.
    ///
    /// - Parameters:
    ///   - general: the more general Coding or CodeableConcept.
    ///   - special: the more specific one.
    /// - Throws: what a source of definitions throws.
    public func subsumes(_ general: FHIRPathValue, _ special: FHIRPathValue) throws -> Bool? {
        let (first, second) = (Self.codes(of: general), Self.codes(of: special))
        var isKnown = false
        for one in first {
            for other in second {
                guard let system = one.system, other.system == system else { continue }
                do {
                    let relation = try relation(of: one.code, to: other.code, in: system)
                    if relation == .subsumes || relation == .equivalent { return true }
                    isKnown = true
                } catch let error as TerminologyError where error.code == .notFound {
                    continue
                }
            }
        }
        return isKnown ? false : nil
    }

    /// The result of an operation of `%terminologies`; nil if there is none.
    ///
    /// - Parameters:
    ///   - operation: `expand`, `lookup`, `validateVS`, `validateCS`, `subsumes` or `translate`.
    ///   - arguments: the arguments, as FHIR lists them for the operation. The last one may contain further parameters, as a query string.
    /// - Throws: what a source of definitions throws.
    public func perform(_ operation: String, _ arguments: [[FHIRPathValue]]) throws -> FHIRResource? {
        func value(_ place: Int) -> FHIRPathValue? { place < arguments.count ? arguments[place].first : nil }
        var items: [JSONItem] = []
        func add(_ name: String, _ member: String, _ text: String?) {
            guard let text else { return }
            items.append(.object([.init(name: "name", value: .string(name)), .init(name: member, value: .string(text))]))
        }
        func addDefinition(_ place: Int, _ url: String, _ resource: String) throws {
            guard let value = value(place) else { return }
            guard let object = value.object else { return add(url, "valueUri", value.string) }
            let json = try Self.json(FHIRJSON.data(object))
            items.append(.object([.init(name: "name", value: .string(resource)), .init(name: "resource", value: json)]))
        }
        func addCoded(_ place: Int, _ names: (code: String, coding: String, concept: String)) throws {
            guard let value = value(place) else { return }
            guard let object = value.object else { return add(names.code, "valueCode", value.string) }
            let isConcept = value.type == "CodeableConcept"
            let json = try Self.json(FHIRJSON.data(object))
            items.append(
                .object([
                    .init(name: "name", value: .string(isConcept ? names.concept : names.coding)),
                    .init(name: isConcept ? "valueCodeableConcept" : "valueCoding", value: json),
                ]))
        }
        let validated = (code: "code", coding: "coding", concept: "codeableConcept")
        let kind: TerminologyOperation
        let rest: Int
        switch operation {
        case "expand":
            try addDefinition(0, "url", "valueSet")
            (kind, rest) = (.expand, 1)
        case "lookup":
            try addCoded(0, validated)
            (kind, rest) = (.lookup, 1)
        case "validateVS":
            try addDefinition(0, "url", "valueSet")
            try addCoded(1, validated)
            // As for an element of type code, the value set says what the code's system is.
            if value(1)?.object == nil { add("inferSystem", "valueBoolean", "true") }
            (kind, rest) = (.validateCode, 2)
        case "validateCS":
            try addDefinition(0, "url", "codeSystem")
            try addCoded(1, validated)
            (kind, rest) = (.validateCodeInSystem, 2)
        case "subsumes":
            add("system", "valueUri", value(0)?.string)
            try addCoded(1, (code: "codeA", coding: "codingA", concept: "codingA"))
            try addCoded(2, (code: "codeB", coding: "codingB", concept: "codingB"))
            (kind, rest) = (.subsumes, 3)
        case "translate":
            try addDefinition(0, "url", "conceptMap")
            try addCoded(1, (code: "sourceCode", coding: "sourceCoding", concept: "sourceCodeableConcept"))
            (kind, rest) = (.translate, 2)
        default: return nil
        }
        for item in URLComponents(string: "?" + (value(rest)?.string ?? ""))?.queryItems ?? [] {
            add(item.name, "valueString", item.value)
        }
        do {
            let answer = try perform(kind, RequestParameters(items))
            return try FHIRJSON.resource(from: Data(answer.json.utf8), release: release)
        } catch is TerminologyError {
            return nil
        }
    }

    private static func codes(of value: FHIRPathValue) -> [TerminologyCode] {
        guard let object = value.object else { return value.string.map { [TerminologyCode($0)] } ?? [] }
        switch value.type {
        case "CodeableConcept": return object.children("coding").compactMap(code)
        case "CodeableReference": return object.children("concept").flatMap { $0.children("coding") }.compactMap(code)
        default: return [code(object)].compactMap(\.self)
        }
    }

    /// Nil for one without a system, which means nothing (FHIR, Datatypes, Coding).
    private static func code(_ object: FHIRObject) -> TerminologyCode? {
        guard let code = object.text("code"), let system = object.text("system") else { return nil }
        return TerminologyCode(code, system: system, version: object.text("version"))
    }
}
