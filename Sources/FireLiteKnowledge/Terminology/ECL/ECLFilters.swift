import FireLiteSQLiteBridge

/// Compares texts as expression constraints do.
enum ECLText {
    static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    static func matches(_ text: String, _ term: ECLTerm) -> Bool {
        switch term.kind {
        case .match:
            let own = words(text)
            return words(term.text).allSatisfy { word in own.contains { $0.hasPrefix(word) } }
        case .exact: return text == term.text
        case .wild: return isLike(Array(text.lowercased()), pattern(term.text.lowercased()))
        }
    }

    /// A part of a pattern.
    private enum Part: Equatable {
        /// Any number of characters.
        case several
        case one
        case literal(Character)
    }

    private static func pattern(_ text: String) -> [Part] {
        var parts: [Part] = []
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped: parts.append(.several)
            case "?" where !isEscaped: parts.append(.one)
            default: parts.append(.literal(character))
            }
            isEscaped = false
        }
        return parts
    }

    /// Whether a text is like a pattern with `*` and `?`; in time proportional to the product of their lengths at most.
    private static func isLike(_ text: [Character], _ pattern: [Part]) -> Bool {
        var (place, next) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while place < text.count {
            if next < pattern.count, pattern[next] == .several {
                star = (next, place)
                next += 1
            } else if next < pattern.count, pattern[next] == .one || pattern[next] == .literal(text[place]) {
                place += 1
                next += 1
            } else if let back = star {
                star = (back.pattern, back.text + 1)
                (next, place) = (back.pattern + 1, back.text + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == .several }
    }
}

extension ECLEvaluator {
    private struct NameRow {
        let number: Int64
        let kind: String
        let language: String
        let code: String
        let isActive: Bool
        let term: String
        /// Nil if the release was imported before names had them.
        let module: Int64?
        let date: Int64?
    }

    /// What an earlier version did not import, so that a filter on it cannot be answered.
    func notImported(_ content: String) -> TerminologyError {
        TerminologyError(
            .notSupported, "not-supported", id: "ECL_NOT_IMPORTED",
            "\(content) of \(system.url)|\(system.version) were imported by an earlier version: import the release again")
    }

    /// Whether a concept meets a filter.
    func meets(_ concept: Int64, _ filter: ECLFilter) throws -> Bool {
        switch filter {
        case .concept(let facts): return try facts.allSatisfy { try holds(concept, $0) }
        case .names(let conditions):
            // Names are active unless the filter says otherwise.
            let saysActive = conditions.contains {
                if case .active = $0 { true } else { false }
            }
            return try names(concept).contains { name in
                try (saysActive || name.isActive) && conditions.allSatisfy { try holds(name, $0) }
            }
        }
    }

    private func names(_ concept: Int64) throws -> [NameRow] {
        let origin = try namesHaveOrigins() ? "module, date" : "NULL, NULL"
        let statement = try connection.cached("SELECT _k, kind, language, code, flags, term, \(origin) FROM code_name WHERE concept = ?")
        defer { statement.reset() }
        statement.bind(1, concept)
        var all: [NameRow] = []
        while try statement.step() {
            all.append(
                NameRow(
                    number: statement.int(0), kind: statement.text(1) ?? "", language: statement.text(2) ?? "",
                    code: statement.text(3) ?? "",
                    isActive: CodeFlags(rawValue: statement.int(4)).contains(.active), term: statement.text(5) ?? "",
                    module: statement.type(6) == .null ? nil : statement.int(6), date: statement.type(7) == .null ? nil : statement.int(7)))
        }
        return all
    }

    private func holds(_ name: NameRow, _ condition: ECLFilter.Name) throws -> Bool {
        switch condition {
        case .term(let terms, let isEqual): return terms.contains { ECLText.matches(name.term, $0) } == isEqual
        case .language(let languages, let isEqual): return languages.contains(name.language.lowercased()) == isEqual
        case .kind(let kinds, let isEqual): return kinds.contains(name.kind) == isEqual
        case .type(let expression, let isEqual):
            let code = name.kind == "F" ? SnomedCode.fullName : name.kind == "D" ? SnomedCode.textDefinition : SnomedCode.synonym
            return try isMetadata("\(code)", of: expression) == isEqual
        case .identifier(let codes, let isEqual): return codes.contains(name.code) == isEqual
        case .active(let isActive): return name.isActive == isActive
        case .module(let expression, let isEqual):
            guard let module = name.module else { throw notImported("modules of names") }
            return try isMetadata("\(module)", of: expression) == isEqual
        case .date(let comparison, let dates):
            guard let date = name.date else { throw notImported("dates of names") }
            return Self.holds("\(date)", comparison, dates)
        case .dialect(let dialects, let isEqual):
            return try self.dialects(of: name.number).contains { row in
                try dialects.contains { wanted in
                    try wanted.isPreferred ?? row.isPreferred == row.isPreferred && isMetadata("\(row.refset)", of: wanted.refsets)
                }
            } == isEqual
        }
    }

    private func dialects(of name: Int64) throws -> [(refset: Int64, isPreferred: Bool)] {
        let rows = try connection.cached("SELECT refset, is_preferred FROM code_dialect WHERE name = ?")
        defer { rows.reset() }
        rows.bind(1, name)
        var all: [(refset: Int64, isPreferred: Bool)] = []
        while try rows.step() { all.append((rows.int(0), rows.int(1) == 1)) }
        return all
    }

    /// The concepts that the index of names finds for conditions, among which are all that meet them; nil if the index cannot answer.
    func named(_ conditions: [ECLFilter.Name]) throws -> CodeSet? {
        var wanted: [ECLTerm]?
        for condition in conditions {
            switch condition {
            // The index has active names only.
            case .active(false): return nil
            case .term(let terms, true) where terms.allSatisfy { $0.kind == .match && !NameSearch.words($0.text).isEmpty }: wanted = terms
            default: break
            }
        }
        guard let wanted else { return nil }
        let question = wanted.map { "(" + NameSearch.question(NameSearch.words($0.text)) + ")" }.joined(separator: " OR ")
        return try NameSearch(system, connection).concepts(question)
    }

    /// Whether a date, or another text, compares so with one of others; with all of them if it must differ.
    static func holds(_ text: String, _ comparison: ECLComparison, _ others: [String]) -> Bool {
        comparison == .unequal ? others.allSatisfy { $0 != text } : others.contains { comparison.holds(text, $0) }
    }

    /// Whether a concept of the metadata is one of an expression, which may name it even if the release has no such concept.
    func isMetadata(_ code: String, of expression: ECLExpression) throws -> Bool {
        switch expression {
        case .concept(let other): return code == other
        case .either(let left, let right): return try isMetadata(code, of: left) || isMetadata(code, of: right)
        default: return try number(code).map { try contains($0, expression) } ?? false
        }
    }

    private func holds(_ concept: Int64, _ fact: ECLFilter.Fact) throws -> Bool {
        switch fact {
        case .active(let isActive): return try flags(concept).contains(.active) == isActive
        case .defined(let wanted, let isEqual): return try wanted.contains(flags(concept).contains(.defined)) == isEqual
        case .definition(let expression, let isEqual):
            let code = try flags(concept).contains(.defined) ? SnomedCode.defined : SnomedCode.primitive
            return try isMetadata("\(code)", of: expression) == isEqual
        case .module(let expression, let isEqual):
            guard let module = try text("SELECT module FROM code_concept WHERE _k = ?", concept) else { return !isEqual }
            return try isMetadata(module, of: expression) == isEqual
        case .date(let comparison, let dates):
            return Self.holds(try text("SELECT date FROM code_concept WHERE _k = ?", concept) ?? "", comparison, dates)
        }
    }
}
