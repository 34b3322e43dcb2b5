import FireLiteCore
import FireLiteSQLiteBridge

/// Applies filters of value sets on properties of concepts in tables.
struct PropertyFilter {
    private let provider: TableCodeSystem
    private let evaluator: ECLEvaluator

    init(_ provider: TableCodeSystem, _ evaluator: ECLEvaluator) { (self.provider, self.evaluator) = (provider, evaluator) }

    // MARK: - One concept

    func matches(_ concept: Concept, numbered number: Int64, _ filter: ConceptFilter, _ effort: Effort) throws -> Bool {
        if filter.property == "expressions" { return true }
        if filter.property == "refset", filter.operation == .exists {
            return try !evaluator.numbers("SELECT 1 FROM code_member WHERE refset = ? LIMIT 1", number).isEmpty == (filter.value == "true")
        }
        let values = try values(number, concept, filter)
        return try holds(values, filter, effort)
    }

    private func holds(_ values: [String], _ filter: ConceptFilter, _ effort: Effort) throws -> Bool {
        switch filter.operation {
        case .equals: values.contains { $0.hasSameBytes(as: filter.value) }
        case .isIn: values.contains { filter.valueSet.contains($0) }
        case .isNotIn: !values.contains { filter.valueSet.contains($0) }
        case .exists: values.isEmpty != (filter.value == "true")
        case .regex: try values.contains { try effort.matches($0, filter.value) }
        default: throw filter.error(notUnderstoodBy: provider)
        }
    }

    private func values(_ number: Int64, _ concept: Concept, _ filter: ConceptFilter) throws -> [String] {
        switch filter.property {
        case "code", "concept": return [concept.code]
        case "display": return concept.display.map { [$0] } ?? []
        case "inactive": return [concept.isInactive ? "true" : "false"]
        case "parent": return try provider.parents(of: concept.code)
        case "child": return try provider.children(of: concept.code)
        case "moduleId": return try evaluator.text("SELECT module FROM code_concept WHERE _k = ?", number).map { [$0] } ?? []
        case "effectiveTime": return try evaluator.text("SELECT date FROM code_concept WHERE _k = ?", number).map { [$0] } ?? []
        case "sufficientlyDefined": return [try evaluator.flags(number).contains(.defined) ? "true" : "false"]
        default:
            let known = try provider.detailed(concept).properties.filter { $0.code == filter.property }.map(\.text)
            if known.isEmpty, try !isKnown(filter.property) { throw filter.error(notUnderstoodBy: provider) }
            return known
        }
    }

    /// Whether some concept has a property, or it is an attribute.
    private func isKnown(_ property: String) throws -> Bool {
        if provider.isSnomed { return try evaluator.number(property) != nil }
        let statement = try evaluator.connection.cached(
            "SELECT 1 FROM code_value WHERE property = ? AND concept BETWEEN ? AND ? LIMIT 1")
        defer { statement.reset() }
        statement.bind(1, property)
        statement.bind(2, provider.system.concepts.lowerBound)
        statement.bind(3, provider.system.concepts.upperBound)
        return try statement.step()
    }

    // MARK: - Sets

    /// The concepts that meet a filter: by index for values, or else one after the other.
    func set(_ filter: ConceptFilter, _ effort: Effort) throws -> CodeSet {
        let isNamed = ["code", "concept", "display", "inactive", "parent", "child", "moduleId", "effectiveTime", "sufficientlyDefined"]
            .contains(filter.property)
        if filter.property == "expressions" { return try evaluator.all(activeOnly: false) }
        if filter.property == "refset" {
            let (first, last) = (provider.system.concepts.lowerBound, provider.system.concepts.upperBound)
            return CodeSet(
                sorted: try evaluator.numbers(
                    "SELECT DISTINCT refset FROM code_member WHERE refset BETWEEN ? AND ? ORDER BY refset", first, last))
        }
        if let listed = filter.listedCodes { return CodeSet(try listed.compactMap { try evaluator.number($0) }) }
        if !isNamed, filter.operation == .equals || filter.operation == .isIn {
            guard try isKnown(filter.property) else { throw filter.error(notUnderstoodBy: provider) }
            return try indexed(filter.property, filter.operation == .equals ? [filter.value] : filter.values)
        }
        var found: [Int64] = []
        for number in try evaluator.all(activeOnly: false).numbers {
            try evaluator.checkTime()
            guard let concept = try provider.concept(numbered: number, evaluator.connection) else { continue }
            if try matches(concept, numbered: number, filter, effort) { found.append(number) }
        }
        return CodeSet(sorted: found)
    }

    private func indexed(_ property: String, _ values: [String]) throws -> CodeSet {
        var found: Set<Int64> = []
        let statement = try evaluator.connection.cached(
            "SELECT concept FROM code_value WHERE property = ? AND value = ? AND concept BETWEEN ? AND ?")
        defer { statement.reset() }
        for value in values {
            if provider.isSnomed, let type = try evaluator.number(property), let target = try evaluator.number(value) {
                found.formUnion(try evaluator.numbers("SELECT source FROM code_relation WHERE type = ? AND target = ?", type, target))
            }
            statement.reset()
            statement.bind(1, property)
            statement.bind(2, value)
            statement.bind(3, provider.system.concepts.lowerBound)
            statement.bind(4, provider.system.concepts.upperBound)
            while try statement.step() { found.insert(statement.int(0)) }
        }
        return CodeSet(found)
    }
}
