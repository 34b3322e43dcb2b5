import FireLiteSQLiteBridge

/// Tests the attributes of one concept after the other.
struct RefinementTest {
    /// An attribute of a concept.
    private struct Fact {
        enum Value {
            case concept(Int64)
            case number(Double)
            case text(String)
        }
        let group: Int64
        let type: Int64
        let value: Value
    }

    private let evaluator: ECLEvaluator

    init(_ evaluator: ECLEvaluator) { self.evaluator = evaluator }

    func holds(_ concept: Int64, _ refinement: ECLRefinement) throws -> Bool {
        try evaluator.checkTime()
        return try holds(refinement, concept, try facts(concept), isGrouped: false)
    }

    private func holds(_ refinement: ECLRefinement, _ concept: Int64, _ facts: [Fact], isGrouped: Bool) throws -> Bool {
        switch refinement {
        case .both(let left, let right):
            return try holds(left, concept, facts, isGrouped: isGrouped) && holds(right, concept, facts, isGrouped: isGrouped)
        case .either(let left, let right):
            return try holds(left, concept, facts, isGrouped: isGrouped) || holds(right, concept, facts, isGrouped: isGrouped)
        case .group(let cardinality, let inner):
            // Relationships of group 0 stand alone: each is a group.
            var groups = Array(Dictionary(grouping: facts.filter { $0.group != 0 }, by: \.group).values)
            groups += facts.filter { $0.group == 0 }.map { [$0] }
            let count = try groups.filter { try holds(inner, concept, $0, isGrouped: true) }.count
            return cardinality.allows(count)
        case .attribute(let attribute):
            if attribute.isReversed { return try attribute.cardinality.allows(sources(concept, attribute)) }
            let types = try evaluator.evaluate(attribute.name)
            let count = try facts.filter { try types.contains($0.type) && holds($0.value, attribute.value) }.count
            return attribute.cardinality.allows(count)
        }
    }

    /// How many concepts of the value have the attribute with this concept as its value.
    private func sources(_ concept: Int64, _ attribute: ECLAttribute) throws -> Int {
        guard case .concepts(let expression, let isEqual) = attribute.value else { return 0 }
        var found: Set<Int64> = []
        for type in try evaluator.evaluate(attribute.name).numbers {
            for source in try evaluator.numbers("SELECT source FROM code_relation WHERE type = ? AND target = ?", type, concept)
            where try evaluator.contains(source, expression) == isEqual { found.insert(source) }
        }
        return found.count
    }

    private func holds(_ value: Fact.Value, _ wanted: ECLAttribute.Value) throws -> Bool {
        switch (value, wanted) {
        case (.concept(let number), .concepts(let expression, let isEqual)): try evaluator.contains(number, expression) == isEqual
        case (.number(let number), .number(let comparison, let other)): comparison.holds(number, other)
        case (.text(let text), .texts(let terms, let isEqual)): terms.contains { ECLText.matches(text, $0) } == isEqual
        case (.text(let text), .truth(let truth, let isEqual)): (text.lowercased() == (truth ? "true" : "false")) == isEqual
        default: false
        }
    }

    private func facts(_ concept: Int64) throws -> [Fact] {
        var all: [Fact] = []
        let relations = try evaluator.connection.cached("SELECT grp, type, target FROM code_relation WHERE source = ?")
        defer { relations.reset() }
        relations.bind(1, concept)
        while try relations.step() {
            all.append(Fact(group: relations.int(0), type: relations.int(1), value: .concept(relations.int(2))))
        }
        let values = try evaluator.connection.cached("SELECT grp, property, value FROM code_value WHERE concept = ?")
        defer { values.reset() }
        values.bind(1, concept)
        while try values.step() {
            guard let type = try evaluator.number(values.text(1) ?? "") else { continue }
            let value: Fact.Value = values.type(2) == .text ? .text(values.text(2) ?? "") : .number(values.double(2))
            all.append(Fact(group: values.int(0), type: type, value: value))
        }
        return all
    }
}

// MARK: - Sets

extension ECLEvaluator {
    /// The concepts of a focus that meet a refinement. Those that an index finds by an attribute are tested; others have not got it.
    func refined(_ focus: ECLExpression, _ refinement: ECLRefinement) throws -> CodeSet {
        let test = RefinementTest(self)
        guard let candidates = try candidates(refinement) else {
            return CodeSet(sorted: try evaluate(focus).numbers.filter { try test.holds($0, refinement) })
        }
        let base = try base(focus, among: candidates)
        // The index alone answers a single attribute of any number.
        if case .attribute(let attribute) = refinement, attribute.cardinality == .some, !attribute.isReversed,
            case .concepts(_, true) = attribute.value
        {
            return base
        }
        return CodeSet(sorted: try base.numbers.filter { try test.holds($0, refinement) })
    }

    /// The concepts of an expression that are among those of an index.
    func base(_ focus: ECLExpression, among candidates: CodeSet) throws -> CodeSet {
        guard candidates.numbers.count < 1_000 else { return try evaluate(focus).intersection(candidates) }
        return CodeSet(sorted: try candidates.numbers.filter { try contains($0, focus) })
    }

    /// A set that has all concepts which meet a refinement, and others; nil if no index bounds it.
    private func candidates(_ refinement: ECLRefinement) throws -> CodeSet? {
        switch refinement {
        case .both(let left, let right):
            guard let one = try candidates(left) else { return try candidates(right) }
            return try candidates(right).map { one.intersection($0) } ?? one
        case .either(let left, let right):
            guard let one = try candidates(left), let other = try candidates(right) else { return nil }
            return one.union(other)
        case .group(let cardinality, let inner): return cardinality.minimum > 0 ? try candidates(inner) : nil
        case .attribute(let attribute):
            guard attribute.cardinality.minimum > 0 else { return nil }
            return try candidates(attribute)
        }
    }

    private func candidates(_ attribute: ECLAttribute) throws -> CodeSet? {
        var found: Set<Int64> = []
        let types = try evaluate(attribute.name).numbers
        switch attribute.value {
        case .concepts(let expression, let isEqual):
            let values = expression == .any ? nil : try evaluate(expression)
            for type in types {
                let statement = try connection.prepare("SELECT target, source FROM code_relation WHERE type = ? AND source BETWEEN ? AND ?")
                statement.bind(1, type)
                statement.bind(2, system.concepts.lowerBound)
                statement.bind(3, system.concepts.upperBound)
                while try statement.step() {
                    let (target, source) = (statement.int(0), statement.int(1))
                    let (wanted, other) = attribute.isReversed ? (target, source) : (source, target)
                    if try values.map({ $0.contains(other) }) ?? contains(other, .any) == isEqual { found.insert(wanted) }
                }
            }
        case .number, .texts, .truth:
            for type in types {
                let code = try text("SELECT code FROM code_concept WHERE _k = ?", type) ?? ""
                let statement = try connection.prepare(
                    "SELECT concept FROM code_value WHERE property = ? AND concept BETWEEN ? AND ?")
                statement.bind(1, code)
                statement.bind(2, system.concepts.lowerBound)
                statement.bind(3, system.concepts.upperBound)
                while try statement.step() { found.insert(statement.int(0)) }
            }
        }
        return CodeSet(found)
    }
}
