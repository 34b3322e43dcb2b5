import FireLite
import FireLiteFHIRPath
import Foundation
import TestSupport
import Testing

@testable import FireLiteSearch

/// Makes searches whose values come from the resources, so that they find something.
struct RandomSearch {
    let oracle: SearchOracle
    let types: [String]
    private let parameters: [String: [SearchDefinition]]

    struct Search {
        let type: String
        var parameters: [(SearchDefinition, modifier: String?, value: String)]

        var request: SearchRequest {
            parameters.reduce(SearchRequest(type: type)) { request, parameter in
                let (definition, modifier, value) = parameter
                // Commas in values would separate alternatives, so values have none.
                return request.where(definition.code + (modifier.map { ":" + $0 } ?? ""), value)
            }
        }
    }

    init(_ oracle: SearchOracle, types: [String]) throws {
        self.oracle = oracle
        self.types = types
        let definitions = try #require(SearchDefinitions.of(oracle.release))
        var parameters: [String: [SearchDefinition]] = [:]
        for type in types {
            let layout = try #require(oracle.release.resourceLayout(named: type))
            parameters[type] = definitions.parameters(of: layout).filter { definition in
                guard definition.expression != nil, definition.kind != .composite, definition.kind != .special else { return false }
                let expression = SearchOracle.expression(definition, type)
                guard !expression.isEmpty, let empty = oracle.release.resourceType(named: type)?.init() else { return false }
                // Some were XPath and name a type of a choice element as one, which FHIRPath does not allow.
                do { return try FHIRPath(expression).evaluate(on: empty).count >= 0 } catch { return false }
            }
        }
        self.parameters = parameters
    }

    /// A search; nil if the resource that it would look for has no values.
    func make(seed: UInt64) throws -> Search? {
        var random = SeededGenerator(seed: seed)
        let type = random.pick(types)
        let resources = oracle.resources.filter { $0.resourceType == type }
        guard !resources.isEmpty, let known = parameters[type], !known.isEmpty else { return nil }
        let resource = random.pick(resources)
        var search = Search(type: type, parameters: [])
        for _ in 0..<random.pick([1, 1, 1, 2, 2, 3]) {
            // Most parameters have no values in a resource.
            for _ in 0..<8 {
                let definition = random.pick(known)
                if let parameter = try parameter(definition, resource, resources, &random) {
                    search.parameters.append(parameter)
                    break
                }
            }
        }
        return search.parameters.isEmpty ? nil : search
    }

    private func parameter(
        _ definition: SearchDefinition, _ resource: FHIRResource, _ resources: [FHIRResource], _ random: inout SeededGenerator
    ) throws -> (SearchDefinition, modifier: String?, value: String)? {
        if random.percent(7) { return (definition, "missing", random.percent(50) ? "true" : "false") }
        var texts: [String] = []
        for other in [resource] + (random.percent(25) ? [random.pick(resources)] : []) {
            let values = try oracle.values(definition, of: other)
            guard !values.isEmpty else { continue }
            let value = random.pick(values)
            if let text = text(value, definition.kind, &random) { texts.append(text) }
        }
        guard !texts.isEmpty else { return nil }
        var modifier: String?
        if definition.kind == .string { modifier = random.pick([String?.none, nil, "exact", "contains"]) }
        if definition.kind == .token, random.percent(10) { modifier = "not" }
        return (definition, modifier, texts.joined(separator: ","))
    }

    /// A value of a search that is like a value of a resource; nil if there is none.
    private func text(_ value: SearchOracle.Value, _ kind: SearchDefinition.Kind, _ random: inout SeededGenerator) -> String? {
        var result: String?
        switch (value, kind) {
        case (.primitive(_, let text), .date):
            if Int(text.prefix(4)) == nil { return nil }
            result = date(text, &random)
        case (.object("Period", let json), .date): result = (json["start"] as? String ?? json["end"] as? String).map { date($0, &random) }
        case (.primitive(_, let text), .number):
            if Double(text) == nil { return nil }
            result = random.pick(["", "gt", "le", "ne", "ge", "lt"]) + text
        case (.object(_, let json), .quantity):
            let ends = SearchOracle.range(json).map { [$0["low"], $0["high"]].compactMap { $0 as? [String: Any] } } ?? [json]
            let quantity = random.pick(ends)
            guard let number = quantity["value"] as? NSNumber else { return nil }
            let unit = random.percent(50) ? (quantity["code"] as? String).map { "||" + $0 } ?? "" : ""
            result = random.pick(["", "gt", "le", "ne", "ge", "lt"]) + "\(number)" + unit
        case (.primitive(_, let text), .string): result = random.percent(50) ? String(text.prefix(random.int(1...6))) : text
        case (.object(_, let json), .string):
            let texts = json.values.flatMap { $0 as? [String] ?? [$0 as? String].compactMap { $0 } }.sorted()
            guard !texts.isEmpty else { return nil }
            let text = random.pick(texts)
            result = random.percent(50) ? String(text.prefix(random.int(1...5))).uppercased() : text
        case (.primitive(_, let text), _): result = text
        case (.object(_, let json), .reference): result = json["reference"] as? String
        case (.object(let type, let json), .token):
            let coding = type == "CodeableConcept" ? (json["coding"] as? [[String: Any]])?.first ?? [:] : json
            guard let code = (coding["code"] ?? coding["value"]) as? String else { return nil }
            let system = coding["system"] as? String
            result = random.pick([code, "\(system ?? "")|\(code)", system.map { "\($0)|" } ?? code])
        default: return nil
        }
        guard let result, !result.isEmpty, !result.contains(where: { ",$\\|#".contains($0) && !(kind == .token || kind == .quantity) }),
            !result.contains(","), !result.contains("\\"), !result.contains("$")
        else { return nil }
        if kind == .token, result.filter({ $0 == "|" }).count > 1 { return nil }
        if kind == .reference, result.hasPrefix("#") || result.contains("_history") || result.contains("?") { return nil }
        return result
    }

    private func date(_ text: String, _ random: inout SeededGenerator) -> String {
        let prefix = random.pick(["", "", "ge", "le", "gt", "lt", "sa", "eb", "ne"])
        return prefix + (random.percent(60) ? String(text.prefix(random.pick([4, 7, 10]))) : text)
    }
}
