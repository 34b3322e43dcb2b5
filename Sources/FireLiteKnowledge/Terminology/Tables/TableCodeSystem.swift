import FireLiteCore
import FireLiteSQLiteBridge

/// A code system whose concepts are in the tables of a file: it answers by index, and memory holds what a question is about.
///
/// `@unchecked Sendable`: the lock of `tables` guards `system`, `evaluator`, `generation` and `parsed`.
final class TableCodeSystem: CodeProvider, @unchecked Sendable {
    let tables: CodeTables
    let url: String
    let version: String?
    /// The form that it came in: `snomed`, `loinc`, `rxnorm`, `icd10`.
    let kind: String
    let facts: SystemFacts
    private(set) var system: CodeTables.System
    private var evaluator: ECLEvaluator
    private var generation: Int64 = 0
    private var parsed: [String: ECLExpression] = [:]

    init(_ tables: CodeTables, _ system: CodeTables.System) throws {
        (self.tables, self.system) = (tables, system)
        (url, version, kind) = (system.url, system.version.isEmpty ? nil : system.version, system.kind)
        (evaluator, generation) = try tables.reading { (ECLEvaluator($0, system), tables.generation) }
        var facts = SystemFacts()
        facts.name = system.name
        facts.language = "en"
        self.facts = facts
    }

    var isSnomed: Bool { kind == "snomed" }

    /// Runs a question that uses the tables.
    func with<Value>(_ body: (ECLEvaluator) throws -> Value) throws -> Value {
        try tables.reading { connection in
            if tables.generation != generation { try refresh(connection) }
            return try evaluator.timed(body)
        }
    }

    /// Runs a later part of a question whose first part had a list of concepts by number, or names in order.
    ///
    /// - Throws: ``TerminologyError`` if an import has changed the numbers meanwhile.
    func with<Value>(since start: Int64, _ body: (ECLEvaluator) throws -> Value) throws -> Value {
        try with { evaluator in
            guard generation == start else {
                throw TerminologyError(
                    .changed, "conflict", "the code system \(canonical) was imported again while the operation ran: ask again")
            }
            return try body(evaluator)
        }
    }

    /// The state of the file, which an import changes.
    var state: Int64 { get throws { try with { _ in generation } } }

    /// Finds the rows again after another program has changed the file, which may have imported the same version again.
    private func refresh(_ connection: Connection) throws {
        guard let found = try tables.systems().first(where: { $0.url == url && $0.version == version ?? "" }) else {
            throw ReadingFailures.noted(
                KnowledgeError(.missing, "\(tables.path): the code system \(canonical) was removed while it was in use"))
        }
        generation = tables.generation
        // What the evaluator keeps may be of the former content, also if the numbers are the same.
        system = found
        evaluator = ECLEvaluator(connection, found)
    }

    // MARK: - Concepts

    private static let row = "SELECT code, display, flags FROM code_concept WHERE "

    private func concept(_ statement: Statement) -> Concept {
        var concept = Concept(code: statement.text(0) ?? "", display: statement.text(1))
        let flags = CodeFlags(rawValue: statement.int(2))
        concept.isInactive = !flags.contains(.active)
        concept.isAbstract = flags.contains(.abstract)
        return concept
    }

    func concept(_ code: String) throws -> Concept? {
        try with { evaluator in
            if let number = evaluator.knownNumber(code) { return try concept(numbered: number, evaluator.connection) }
            let statement = try evaluator.connection.cached(
                "SELECT code, display, flags, _k FROM code_concept WHERE code = ? AND _k BETWEEN ? AND ?")
            defer { statement.reset() }
            statement.bind(1, code)
            statement.bind(2, system.concepts.lowerBound)
            statement.bind(3, system.concepts.upperBound)
            guard try statement.step() else { return nil }
            evaluator.know(statement.int(3), of: code)
            return concept(statement)
        }
    }

    func concept(numbered number: Int64, _ connection: Connection) throws -> Concept? {
        let statement = try connection.cached(Self.row + "_k = ?")
        defer { statement.reset() }
        statement.bind(1, number)
        return try statement.step() ? concept(statement) : nil
    }

    /// The concepts with some numbers, by one statement.
    private func concepts(numbered numbers: [Int64], _ connection: Connection) throws -> [Concept] {
        let statement = try connection.cached(Self.row + "_k = ?")
        defer { statement.reset() }
        var all: [Concept] = []
        all.reserveCapacity(numbers.count)
        for number in numbers {
            statement.reset()
            statement.bind(1, number)
            if try statement.step() { all.append(concept(statement)) }
        }
        return all
    }

    private func codes(_ sql: String, _ code: String) throws -> [String] {
        try with { evaluator in
            guard let number = try evaluator.number(code) else { return [] }
            let statement = try evaluator.connection.cached(sql)
            defer { statement.reset() }
            statement.bind(1, number)
            var all: [String] = []
            while try statement.step() { all.append(statement.text(0) ?? "") }
            return all
        }
    }

    func parents(of code: String) throws -> [String] {
        try codes("SELECT c.code FROM code_parent p JOIN code_concept c ON c._k = p.parent WHERE p.child = ? ORDER BY p.parent", code)
    }

    func children(of code: String) throws -> [String] {
        try codes("SELECT c.code FROM code_child p JOIN code_concept c ON c._k = p.child WHERE p.parent = ? ORDER BY p.child", code)
    }

    func parentConcepts(of code: String) throws -> [Concept] {
        try concepts(
            "SELECT c.code, c.display, c.flags FROM code_parent p JOIN code_concept c ON c._k = p.parent WHERE p.child = ? ORDER BY p.parent",
            code)
    }

    func childConcepts(of code: String) throws -> [Concept] {
        try concepts(
            "SELECT c.code, c.display, c.flags FROM code_child p JOIN code_concept c ON c._k = p.child WHERE p.parent = ? ORDER BY p.child",
            code)
    }

    private func concepts(_ sql: String, _ code: String) throws -> [Concept] {
        try with { evaluator in
            guard let number = try evaluator.number(code) else { return [] }
            let statement = try evaluator.connection.cached(sql)
            defer { statement.reset() }
            statement.bind(1, number)
            var all: [Concept] = []
            while try statement.step() { all.append(concept(statement)) }
            return all
        }
    }

    func subsumes(_ general: String, _ special: String) throws -> Bool {
        try with { evaluator in
            guard let top = try evaluator.number(general), let number = try evaluator.number(special) else { return false }
            return try top == number || evaluator.isBelow(number, top)
        }
    }

    func relation(of first: Concept, to second: Concept) throws -> CodeRelation {
        try with { evaluator in
            guard let one = try evaluator.number(first.code), let other = try evaluator.number(second.code) else { return .notSubsumed }
            if one == other { return .equivalent }
            // One of the two is false at once, as concepts have higher numbers than those above them.
            if try evaluator.isBelow(other, one) { return .subsumes }
            return try evaluator.isBelow(one, other) ? .subsumedBy : .notSubsumed
        }
    }

    // MARK: - Filters

    /// The expression that a filter on the code or the hierarchy means; nil for a filter on a property.
    func expression(_ filter: ConceptFilter) throws -> ECLExpression? {
        if isSnomed, filter.property == "constraint" || filter.property == "expression" && filter.operation == .equals {
            if let known = parsed[filter.value] { return known }
            let fresh = try ECLParser.parse(filter.value)
            if parsed.count > 1_000 { parsed.removeAll() }
            parsed[filter.value] = fresh
            return fresh
        }
        let value = ECLExpression.concept(filter.value)
        switch (filter.property, filter.operation) {
        case (_, .isA): return .related(.descendantsAndSelf, value)
        case (_, .descendentOf): return .related(.descendants, value)
        case (_, .childOf): return .related(.children, value)
        case (_, .generalizes): return .related(.ancestorsAndSelf, value)
        case (_, .isNotA): return .minus(.any, .related(.descendantsAndSelf, value))
        case (_, .descendentLeaf): return .related(.bottom, .related(.descendants, value))
        case ("ancestor", .equals): return .related(.descendants, value)
        case ("parent", .equals): return .related(.children, value)
        case ("child", .equals): return .related(.parents, value)
        case ("concept", .isIn) where isSnomed, ("code", .isIn) where isSnomed: return .members(value, [])
        case ("concept", .equals), ("code", .equals): return value
        default: return nil
        }
    }

    func matches(_ concept: Concept, _ filter: ConceptFilter, _ effort: Effort) throws -> Bool {
        try with { evaluator in
            guard let number = try evaluator.number(concept.code) else { return false }
            if filter.operation == .isNotA { return try !evaluator.contains(number, .related(.descendantsAndSelf, .concept(filter.value))) }
            if let expression = try expression(filter) { return try evaluator.contains(number, expression) }
            return try PropertyFilter(self, evaluator).matches(concept, numbered: number, filter, effort)
        }
    }

    /// The concepts that meet all filters, by number; nil if there are no filters.
    func set(_ filters: [ConceptFilter], _ effort: Effort) throws -> CodeSet? {
        try with { evaluator in
            var result: CodeSet?
            for filter in filters {
                let set =
                    if filter.operation == .isNotA {
                        try evaluator.all(activeOnly: false).subtracting(
                            try evaluator.evaluate(.related(.descendantsAndSelf, .concept(filter.value))))
                    } else if let expression = try expression(filter) {
                        try evaluator.evaluate(expression)
                    } else {
                        try PropertyFilter(self, evaluator).set(filter, effort)
                    }
                result = result?.intersection(set) ?? set
            }
            return result
        }
    }

    /// The number of concepts that meet all filters.
    func count(_ filters: [ConceptFilter], _ effort: Effort) throws -> Int {
        try set(filters, effort)?.numbers.count ?? with { _ in system.concepts.count }
    }

    func forEach(_ filters: [ConceptFilter], _ effort: Effort, _ body: (Concept, Int) throws -> Bool) throws {
        let start = try state
        let chosen = try set(filters, effort)?.numbers
        // Concepts are read in batches, the first of which is as small as a page: the lock is not held while `body` runs, which may ask other systems.
        var (next, last, size) = (0, Int64(0), 32)
        while true {
            try effort.checkTime()
            let batch = try with(since: start) { evaluator in
                let numbers = try chosen.map { Array($0[next...].prefix(size)) } ?? evaluator.next(size, after: last)
                return try (concepts: concepts(numbered: numbers, evaluator.connection), last: numbers.last)
            }
            guard let end = batch.last else { return }
            for concept in batch.concepts { if try !body(concept, 0) { return } }
            (next, last, size) = (min(next + size, chosen?.count ?? .max), end, min(size * 2, 1_024))
        }
    }
}

// MARK: - Details

extension TableCodeSystem {
    private struct Name {
        let number: Int64
        let kind: String
        let language: String?
        let code: String?
        let term: String
        var dialects: [(refset: Int64, isPreferred: Bool)] = []
    }

    func definition(of concept: Concept) throws -> String? {
        try with { evaluator in
            guard let number = try evaluator.number(concept.code) else { return nil }
            return try evaluator.text(
                "SELECT term FROM code_name WHERE concept = ? AND kind = 'D' AND flags & 1 ORDER BY _k LIMIT 1", number)
        }
    }

    /// The concept with its names and properties.
    func detailed(_ concept: Concept) throws -> Concept {
        try with { evaluator in
            guard let number = try evaluator.number(concept.code) else { return concept }
            var full = concept
            let names = try names(number, evaluator)
            full.definition = names.first { $0.kind == "D" }?.term
            full.designations = names.filter { $0.kind != "D" }.map(designation)
            full.properties = try properties(number, evaluator)
            return full
        }
    }

    /// The active names: first preferred ones, then those that are acceptable, full names last.
    private func names(_ number: Int64, _ evaluator: ECLEvaluator) throws -> [Name] {
        let statement = try evaluator.connection.cached(
            """
            SELECT n._k, n.kind, n.language, n.code, n.term, d.refset, d.is_preferred
            FROM code_name n LEFT JOIN code_dialect d ON d.name = n._k WHERE n.concept = ? AND n.flags & 1 ORDER BY n._k
            """)
        defer { statement.reset() }
        statement.bind(1, number)
        var all: [Name] = []
        while try statement.step() {
            if all.last?.number != statement.int(0) {
                all.append(
                    Name(
                        number: statement.int(0), kind: statement.text(1) ?? "", language: statement.text(2), code: statement.text(3),
                        term: statement.text(4) ?? ""))
            }
            if statement.type(5) != .null { all[all.count - 1].dialects.append((statement.int(5), statement.int(6) == 1)) }
        }
        func rank(_ name: Name) -> Int { name.kind == "F" ? 2 : name.dialects.contains { $0.isPreferred } ? 0 : 1 }
        return all.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    }

    private func designation(_ name: Name) -> Concept.Designation {
        var language = name.language
        // A name that one dialect alone prefers is a name in it.
        if name.kind == "S", name.dialects.count == 1, let tag = SnomedDialects.tag(name.dialects[0].refset),
            language == String(tag.prefix(2))
        {
            language = tag
        }
        return Concept.Designation(language: language, use: use(name.kind), value: name.term)
    }

    private func use(_ kind: String) -> JSONItem? {
        guard isSnomed else { return kind.isEmpty ? nil : .object(["system": .string(url), "code": .string(kind)]) }
        let (code, display) =
            kind == "F" ? (SnomedCode.fullName, "Fully specified name") : (SnomedCode.synonym, "Synonym")
        return .object(["system": .string(SnomedCode.url), "code": .string("\(code)"), "display": .string(display)])
    }

    private func properties(_ number: Int64, _ evaluator: ECLEvaluator) throws -> [Concept.Property] {
        var all: [Concept.Property] = []
        let connection = evaluator.connection
        let own = try connection.cached("SELECT flags, module, date FROM code_concept WHERE _k = ?")
        defer { own.reset() }
        own.bind(1, number)
        if isSnomed, try own.step() {
            let isDefined = CodeFlags(rawValue: own.int(0)).contains(.defined)
            all.append(Concept.Property("sufficientlyDefined", "valueBoolean", .bool(isDefined)))
            if let module = own.text(1) { all.append(Concept.Property("moduleId", "valueCode", .string(module))) }
            if let date = own.text(2) { all.append(Concept.Property("effectiveTime", "valueString", .string(date))) }
        }
        let relations = try connection.cached(
            """
            SELECT t.code, c.code FROM code_relation r JOIN code_concept t ON t._k = r.type JOIN code_concept c ON c._k = r.target
            WHERE r.source = ? ORDER BY r.grp, r.type, r.target
            """)
        defer { relations.reset() }
        relations.bind(1, number)
        while try relations.step() {
            all.append(Concept.Property(relations.text(0) ?? "", "valueCode", .string(relations.text(1) ?? "")))
        }
        let values = try connection.cached("SELECT property, value FROM code_value WHERE concept = ? ORDER BY property, grp, value")
        defer { values.reset() }
        values.bind(1, number)
        while try values.step() {
            let property = values.text(0) ?? ""
            all.append(
                values.type(1) == .text
                    ? Concept.Property(property, "valueString", .string(values.text(1) ?? ""))
                    : Concept.Property(property, "valueDecimal", .number(Self.decimal(values.double(1)))))
        }
        return all
    }

    private static func decimal(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
