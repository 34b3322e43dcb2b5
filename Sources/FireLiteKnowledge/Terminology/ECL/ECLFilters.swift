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
        case .wild: return isLike(Array(text.lowercased()), Array(term.text.lowercased()))
        }
    }

    /// Whether a text is like a pattern with `*` and `?`; in time proportional to the product of their lengths at most.
    private static func isLike(_ text: [Character], _ pattern: [Character]) -> Bool {
        var (place, next) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while place < text.count {
            if next < pattern.count, pattern[next] == "*" {
                star = (next, place)
                next += 1
            } else if next < pattern.count, pattern[next] == "?" || pattern[next] == text[place] {
                place += 1
                next += 1
            } else if let back = star {
                star = (back.pattern, back.text + 1)
                (next, place) = (back.pattern + 1, back.text + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
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
        let statement = try connection.cached("SELECT _k, kind, language, code, flags, term FROM code_name WHERE concept = ?")
        defer { statement.reset() }
        statement.bind(1, concept)
        var all: [NameRow] = []
        while try statement.step() {
            all.append(
                NameRow(
                    number: statement.int(0), kind: statement.text(1) ?? "", language: statement.text(2) ?? "",
                    code: statement.text(3) ?? "",
                    isActive: CodeFlags(rawValue: statement.int(4)).contains(.active), term: statement.text(5) ?? ""))
        }
        return all
    }

    private func holds(_ name: NameRow, _ condition: ECLFilter.Name) throws -> Bool {
        switch condition {
        case .term(let terms, let isEqual): return terms.contains { ECLText.matches(name.term, $0) } == isEqual
        case .language(let languages, let isEqual): return languages.contains(name.language.lowercased()) == isEqual
        case .kind(let kinds, let isEqual): return kinds.contains(name.kind) == isEqual
        case .identifier(let codes, let isEqual): return codes.contains(name.code) == isEqual
        case .active(let isActive): return name.isActive == isActive
        case .dialect(let dialects, let isEqual):
            let rows = try connection.cached("SELECT refset, is_preferred FROM code_dialect WHERE name = ?")
            defer { rows.reset() }
            rows.bind(1, name.number)
            var isThere = false
            while try rows.step() {
                let (refset, isPreferred) = (rows.int(0), rows.int(1) == 1)
                isThere = isThere || dialects.contains { $0.refset == refset && $0.isPreferred ?? isPreferred == isPreferred }
            }
            return isThere == isEqual
        }
    }

    private func holds(_ concept: Int64, _ fact: ECLFilter.Fact) throws -> Bool {
        switch fact {
        case .active(let isActive): return try flags(concept).contains(.active) == isActive
        case .defined(let isDefined): return try flags(concept).contains(.defined) == isDefined
        case .module(let expression, let isEqual):
            guard let module = try text("SELECT module FROM code_concept WHERE _k = ?", concept) else { return !isEqual }
            guard let number = try number(module) else { return (expression == .concept(module)) == isEqual }
            return try contains(number, expression) == isEqual
        case .date(let comparison, let dates):
            let date = try text("SELECT date FROM code_concept WHERE _k = ?", concept) ?? ""
            if comparison == .unequal { return dates.allSatisfy { $0 != date } }
            return dates.contains { comparison.holds(date, $0) }
        }
    }
}
