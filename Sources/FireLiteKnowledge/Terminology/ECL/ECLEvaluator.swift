import FireLiteSQLiteBridge

/// Evaluates expression constraints over the tables of one edition (Expression Constraint Language 2.2).
///
/// Sets are read by index: a part that is asked for twice is kept. Relationships of group 0 each are a group of their own. It belongs to one thread, which
/// holds the lock of the tables.
final class ECLEvaluator {
    let connection: Connection
    let system: CodeTables.System
    private var known: [ECLExpression: CodeSet] = [:]
    private var knownCount = 0
    /// The maximum number of concepts of the sets that are kept.
    private static let maximumKept = 4_000_000
    /// The numbers of codes that were asked for lately.
    private var knownNumbers: [String: Int64] = [:]
    private static let maximumNumbers = 10_000
    /// Whether names have modules and dates; nil if that was not asked yet.
    var namesHaveOriginsKnown: Bool?

    init(_ connection: Connection, _ system: CodeTables.System) { (self.connection, self.system) = (connection, system) }

    // MARK: - Time

    private let clock = ContinuousClock()
    private var started: ContinuousClock.Instant?
    /// The maximum time of one question.
    private static let maximumTime = Duration.seconds(20)

    /// Runs a question, whose time is bounded as a whole.
    func timed<Value>(_ body: (ECLEvaluator) throws -> Value) rethrows -> Value {
        let isOutermost = started == nil
        if isOutermost { started = clock.now }
        defer { if isOutermost { started = nil } }
        return try body(self)
    }

    /// - Throws: ``TerminologyError`` if the question takes too long.
    func checkTime() throws {
        if let started, started.duration(to: clock.now) > Self.maximumTime {
            throw TerminologyError(
                .limit, "too-costly", id: "VALUESET_TOO_COSTLY",
                "an expression or a filter takes more than \(Self.maximumTime): make it simpler")
        }
    }

    // MARK: - Rows

    /// The first column of the rows of a question, in its order.
    func numbers(_ sql: String, _ values: Int64...) throws -> [Int64] {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        for (place, value) in values.enumerated() { statement.bind(place + 1, value) }
        var all: [Int64] = []
        while try statement.step() { all.append(statement.int(0)) }
        return all
    }

    /// The text of the first row of a question about a number.
    func text(_ sql: String, _ value: Int64) throws -> String? {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        statement.bind(1, value)
        return try statement.step() ? statement.text(0) : nil
    }

    /// The number of a concept by its identifier; nil if the edition has none.
    func number(_ code: String) throws -> Int64? {
        if let known = knownNumbers[code] { return known }
        let statement = try connection.cached("SELECT _k FROM code_concept WHERE code = ? AND _k BETWEEN ? AND ?")
        defer { statement.reset() }
        statement.bind(1, code)
        statement.bind(2, system.concepts.lowerBound)
        statement.bind(3, system.concepts.upperBound)
        guard try statement.step() else { return nil }
        let number = statement.int(0)
        know(number, of: code)
        return number
    }

    /// The number of a concept that was asked for lately.
    func knownNumber(_ code: String) -> Int64? { knownNumbers[code] }

    /// Notes the number of a concept.
    func know(_ number: Int64, of code: String) {
        if knownNumbers.count >= Self.maximumNumbers { knownNumbers.removeAll(keepingCapacity: true) }
        knownNumbers[code] = number
    }

    /// The numbers of the concepts that follow one.
    func next(_ count: Int, after last: Int64) throws -> [Int64] {
        guard last < system.concepts.upperBound else { return [] }
        return try numbers(
            "SELECT _k FROM code_concept WHERE _k BETWEEN ?1 AND ?2 ORDER BY _k LIMIT ?3", max(last + 1, system.concepts.lowerBound),
            system.concepts.upperBound, Int64(count))
    }

    func all(activeOnly: Bool) throws -> CodeSet {
        CodeSet(
            sorted: try numbers(
                "SELECT _k FROM code_concept WHERE _k BETWEEN ?1 AND ?2 AND (flags & 1 OR ?3 = 0) ORDER BY _k", system.concepts.lowerBound,
                system.concepts.upperBound, activeOnly ? 1 : 0))
    }

    // MARK: - Sets

    /// The concepts of an expression.
    ///
    /// - Throws: ``TerminologyError`` for what the tables cannot answer.
    func evaluate(_ expression: ECLExpression) throws -> CodeSet {
        if let set = known[expression] { return set }
        try checkTime()
        let set = try fresh(expression)
        knownCount += set.numbers.count
        if knownCount > Self.maximumKept {
            known.removeAll()
            knownCount = set.numbers.count
        }
        known[expression] = set
        return set
    }

    private func fresh(_ expression: ECLExpression) throws -> CodeSet {
        switch expression {
        case .any: return try all(activeOnly: true)
        case .concept(let code): return try number(code).map { CodeSet(sorted: [$0]) } ?? .empty
        case .related(let relation, let inner): return try related(relation, inner)
        case .members(let refsets, let filters): return try filters.isEmpty ? members(refsets) : members(refsets, filters)
        case .fieldValues(let refsets, let field, let filters): return try values(of: field, refsets, filters)
        case .both(let left, let right): return try evaluate(left).intersection(evaluate(right))
        case .either(let left, let right): return try evaluate(left).union(evaluate(right))
        case .minus(let left, let right): return try evaluate(left).subtracting(evaluate(right))
        case .refined(let focus, let refinement): return try refined(focus, refinement)
        case .values(let focus, let attribute):
            let types = try evaluate(attribute)
            let sources = try evaluate(focus)
            var found: Set<Int64> = []
            for type in types.numbers {
                let statement = try connection.cached("SELECT target, source FROM code_relation WHERE type = ?")
                defer { statement.reset() }
                statement.bind(1, type)
                while try statement.step() { if sources.contains(statement.int(1)) { found.insert(statement.int(0)) } }
            }
            return CodeSet(found)
        case .filtered(let inner, let filter):
            var base: CodeSet
            if case .concept(let facts) = filter, inner == .any, facts.contains(.active(false)) {
                base = try all(activeOnly: false)
            } else if case .names(let conditions) = filter, let named = try named(conditions) {
                base = try self.base(inner, among: named)
            } else {
                base = try evaluate(inner)
            }
            return CodeSet(
                sorted: try base.numbers.filter { number in
                    try checkTime()
                    return try meets(number, filter)
                })
        case .withHistory(let inner, let profile): return try evaluate(inner).union(history(evaluate(inner), profile))
        }
    }

    private func related(_ relation: ECLExpression.Relation, _ inner: ECLExpression) throws -> CodeSet {
        // What is below everything has a parent; what is above everything has a child.
        if inner == .any {
            switch relation {
            case .descendantsAndSelf, .childrenAndSelf, .ancestorsAndSelf, .parentsAndSelf: return try evaluate(.any)
            case .descendants, .children:
                return CodeSet(
                    sorted: try numbers("SELECT DISTINCT child FROM code_parent WHERE child BETWEEN ?1 AND ?2 ORDER BY child", system))
            case .ancestors, .parents:
                return CodeSet(
                    sorted: try numbers("SELECT DISTINCT parent FROM code_child WHERE parent BETWEEN ?1 AND ?2 ORDER BY parent", system))
            case .top, .bottom: break
            }
        }
        let base = try evaluate(inner)
        switch relation {
        case .top: return CodeSet(sorted: try base.numbers.filter { try !isNear($0, base, "SELECT above FROM code_above WHERE code = ?") })
        case .bottom:
            return CodeSet(sorted: try base.numbers.filter { try !isNear($0, base, "SELECT below FROM code_below WHERE code = ?") })
        default: break
        }
        let sql =
            switch relation {
            case .descendants, .descendantsAndSelf: "SELECT below FROM code_below WHERE code = ? ORDER BY below"
            case .children, .childrenAndSelf: "SELECT child FROM code_child WHERE parent = ? ORDER BY child"
            case .ancestors, .ancestorsAndSelf: "SELECT above FROM code_above WHERE code = ? ORDER BY above"
            default: "SELECT parent FROM code_parent WHERE child = ? ORDER BY parent"
            }
        var result: CodeSet
        if base.numbers.count == 1 {
            result = CodeSet(sorted: try numbers(sql, base.numbers[0]))
        } else {
            var found: Set<Int64> = []
            for number in base.numbers {
                try checkTime()
                found.formUnion(try numbers(sql, number))
            }
            result = CodeSet(found)
        }
        switch relation {
        case .descendantsAndSelf, .childrenAndSelf, .ancestorsAndSelf, .parentsAndSelf: result = result.union(base)
        default: break
        }
        return result
    }

    func numbers(_ sql: String, _ system: CodeTables.System) throws -> [Int64] {
        try numbers(sql, system.concepts.lowerBound, system.concepts.upperBound)
    }

    /// Whether one of the concepts that a question finds is in a set.
    private func isNear(_ number: Int64, _ set: CodeSet, _ sql: String) throws -> Bool {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        statement.bind(1, number)
        while try statement.step() { if set.contains(statement.int(0)) { return true } }
        return false
    }

    // MARK: - Members of reference sets

    private func members(_ refsets: ECLExpression) throws -> CodeSet {
        var found: Set<Int64> = []
        let all =
            try refsets == .any
            ? numbers("SELECT DISTINCT refset FROM code_member WHERE refset BETWEEN ?1 AND ?2", system) : evaluate(refsets).numbers
        for refset in all {
            try checkTime()
            found.formUnion(try numbers("SELECT concept FROM code_member WHERE refset = ?", refset))
        }
        return CodeSet(found)
    }

    /// The inactive concepts that historical associations lead from to a set.
    private func history(_ set: CodeSet, _ profile: ECLExpression.HistoryProfile) throws -> CodeSet {
        var refsets: [Int64]
        if case .chosen(let expression) = profile {
            refsets = try evaluate(expression).numbers
        } else {
            var codes = ["900000000000527005"]
            if profile != .minimal { codes += ["900000000000526001", "900000000000528000", "1186924009"] }
            if profile == .maximal {
                codes += ["900000000000523009", "900000000000525002", "900000000000524003", "900000000000530003", "1186921001"]
            }
            refsets = try codes.compactMap { try number($0) }
        }
        var found: Set<Int64> = []
        for refset in refsets {
            try checkTime()
            let statement = try connection.prepare("SELECT concept, target FROM code_member WHERE refset = ?")
            statement.bind(1, refset)
            while try statement.step() {
                if let target = try statement.text(1).flatMap({ try number($0) }), set.contains(target) { found.insert(statement.int(0)) }
            }
        }
        return CodeSet(found)
    }

    // MARK: - One concept

    /// Whether a concept is in the set of an expression; by index, without the whole set where the expression allows it.
    func contains(_ number: Int64, _ expression: ECLExpression) throws -> Bool {
        try checkTime()
        if let set = known[expression] { return set.contains(number) }
        switch expression {
        case .any: return try flags(number).contains(.active)
        case .concept(let code): return try self.number(code) == number
        case .both(let left, let right): return try contains(number, left) && contains(number, right)
        case .either(let left, let right): return try contains(number, left) || contains(number, right)
        case .minus(let left, let right): return try contains(number, left) && !contains(number, right)
        case .refined(let focus, let refinement):
            return try contains(number, focus) && RefinementTest(self).holds(number, refinement)
        case .related(let relation, .concept(let code)):
            guard let other = try self.number(code) else { return false }
            return try isRelated(number, relation, other)
        case .members(.concept(let code), let filters) where filters.isEmpty:
            guard let refset = try self.number(code) else { return false }
            return try exists("SELECT 1 FROM code_member WHERE refset = ? AND concept = ?", refset, number)
        case .filtered(let inner, let filter) where inner != .any: return try contains(number, inner) && meets(number, filter)
        default: return try evaluate(expression).contains(number)
        }
    }

    private func isRelated(_ number: Int64, _ relation: ECLExpression.Relation, _ other: Int64) throws -> Bool {
        switch relation {
        case .descendants: try isBelow(number, other)
        case .descendantsAndSelf: try number == other || isBelow(number, other)
        case .children: try exists("SELECT 1 FROM code_parent WHERE child = ? AND parent = ?", number, other)
        case .childrenAndSelf: try number == other || exists("SELECT 1 FROM code_parent WHERE child = ? AND parent = ?", number, other)
        case .ancestors: try isBelow(other, number)
        case .ancestorsAndSelf: try number == other || isBelow(other, number)
        case .parents: try exists("SELECT 1 FROM code_parent WHERE child = ? AND parent = ?", other, number)
        case .parentsAndSelf: try number == other || exists("SELECT 1 FROM code_parent WHERE child = ? AND parent = ?", other, number)
        case .top, .bottom: number == other
        }
    }

    func isBelow(_ number: Int64, _ top: Int64) throws -> Bool {
        // Concepts have higher numbers than those above them.
        guard number > top else { return false }
        return try exists("SELECT 1 FROM code_above WHERE code = ? AND above = ?", number, top)
    }

    private func exists(_ sql: String, _ values: Int64...) throws -> Bool {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        for (place, value) in values.enumerated() { statement.bind(place + 1, value) }
        return try statement.step()
    }

    func flags(_ number: Int64) throws -> CodeFlags {
        CodeFlags(rawValue: try numbers("SELECT flags FROM code_concept WHERE _k = ?", number).first ?? 0)
    }
}
