import FireLiteSQLiteBridge

extension TableCodeSystem {
    /// Calls `body` with the concepts that have a name in which every word begins a word, the shortest names first, until it returns false.
    ///
    /// - Throws: ``TerminologyError`` for a filter that cannot be applied.
    func search(_ text: String, filters: [ConceptFilter], effort: Effort, _ body: (Concept) throws -> Bool) throws {
        let words = NameSearch.words(text)
        let start = try state
        var choice = Choice(self, filters, effort)
        var seen: Set<Int64> = []
        func chosen(_ number: Int64, _ evaluator: ECLEvaluator) throws -> Concept? {
            guard seen.insert(number).inserted, try choice.contains(number, evaluator) else { return nil }
            return try concept(numbered: number, evaluator.connection)
        }
        if words.count == 1 {
            let own = try with { evaluator in try evaluator.number(words[0]).flatMap { try chosen($0, evaluator) } }
            if let own, try !body(own) { return }
        }
        guard !words.isEmpty else { return }
        let rest = NameSearch.Rest(words)
        var statement: Statement? = try with { try NameSearch($0.system, $0.connection).statement(NameSearch.question(words)) }
        defer { tables.locked { statement = nil } }
        // The lock is not held while `body` runs: it may ask other code systems.
        while statement != nil {
            try effort.checkTime()
            let batch = try with(since: start) { evaluator in
                var batch: [Concept] = []
                var steps = 0
                while batch.count < Self.batch, steps < Self.maximumSteps, let rows = statement {
                    guard try rows.step() else {
                        statement = nil
                        break
                    }
                    steps += 1
                    guard rest.isMet(by: rows) else { continue }
                    if let concept = try chosen(rows.int(0), evaluator) { batch.append(concept) }
                }
                return batch
            }
            for concept in batch { if try !body(concept) { return } }
        }
    }

    /// As many concepts as a page has, and the names that are looked at for them while the lock is held.
    private static let batch = 32
    private static let maximumSteps = 10_000

    /// Whether concepts meet filters: one after the other while most of them do, and by the set of all that do after many that do not.
    private struct Choice {
        private let provider: TableCodeSystem
        private let filters: [ConceptFilter]
        private let effort: Effort
        private var set: CodeSet?
        private var refused = 0
        private static let maximumRefused = 200

        init(_ provider: TableCodeSystem, _ filters: [ConceptFilter], _ effort: Effort) {
            (self.provider, self.filters, self.effort) = (provider, filters, effort)
        }

        mutating func contains(_ number: Int64, _ evaluator: ECLEvaluator) throws -> Bool {
            if filters.isEmpty { return true }
            if let set { return set.contains(number) }
            if refused < Self.maximumRefused, filters.count == 1, let expression = try provider.expression(filters[0]) {
                let isIn = try evaluator.contains(number, expression)
                if !isIn { refused += 1 }
                return isIn
            }
            let all = try provider.set(filters, effort)
            set = all
            return all?.contains(number) ?? true
        }
    }
}
