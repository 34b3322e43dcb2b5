extension ECLParser {
    // MARK: - Filters

    mutating func filtered(_ expression: ECLExpression) throws -> ECLExpression {
        var result = expression
        while take("{{") {
            if take("+") {
                result = .withHistory(result, try history())
            } else if takeWord("C") {
                result = .filtered(result, .concept(try list { try $0.fact() }))
            } else {
                _ = takeWord("D")
                result = .filtered(result, .names(try list { try $0.name() }))
            }
            try need("}}")
        }
        return result
    }

    mutating func memberFilters() throws -> [ECLMemberFilter] {
        var all: [ECLMemberFilter] = []
        while true {
            var ahead = self
            guard ahead.take("{{"), ahead.takeWord("M") else { return all }
            self = ahead
            all += try list { try $0.memberFilter() }
            try need("}}")
        }
    }

    private mutating func list<Item>(_ read: (inout ECLParser) throws -> Item) throws -> [Item] {
        var items = [try read(&self)]
        while takeAnd() { items.append(try read(&self)) }
        return items
    }

    private mutating func history() throws -> ECLExpression.HistoryProfile {
        switch word()?.uppercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init) {
        case ["HISTORY"]?:
            guard take("(") else { return .maximal }
            let refsets = try expression()
            try need(")")
            return .chosen(refsets)
        case ["HISTORY", "MIN"]?: return .minimal
        case ["HISTORY", "MOD"]?: return .moderate
        case ["HISTORY", "MAX"]?: return .maximal
        default: throw error("HISTORY, HISTORY-MIN, HISTORY-MOD or HISTORY-MAX")
        }
    }

    private mutating func equality() throws -> Bool {
        switch comparison() {
        case .equal?: return true
        case .unequal?: return false
        default: throw error("'=' or '!='")
        }
    }

    private mutating func truth() throws -> Bool {
        if takeWord("TRUE") || takeWord("1") { return true }
        if takeWord("FALSE") || takeWord("0") { return false }
        throw error("1, 0, true or false")
    }

    /// One item, or several in parentheses.
    private mutating func items<Item>(_ expected: String, _ read: (inout ECLParser) throws -> Item?) throws -> [Item] {
        guard take("(") else {
            guard let one = try read(&self) else { throw error(expected) }
            return [one]
        }
        var all: [Item] = []
        while let next = try read(&self) { all.append(next) }
        guard !all.isEmpty else { throw error(expected) }
        try need(")")
        return all
    }

    /// An expression, or a list of concepts without operators between them: `(1 2 3)`.
    private mutating func concepts() throws -> ECLExpression {
        var ahead = self
        if ahead.take("(") {
            var all: [ECLExpression] = []
            while let id = ahead.identifier() {
                try ahead.skipTerm()
                all.append(.concept(id))
            }
            if let first = all.first, ahead.take(")") {
                self = ahead
                return all.dropFirst().reduce(first) { .either($0, $1) }
            }
        }
        return try operand()
    }

    // MARK: - Names

    private mutating func name() throws -> ECLFilter.Name {
        if takeWord("TERM") {
            let isEqual = try equality()
            guard let terms = try terms() else { throw error("a text in quotation marks") }
            return .term(terms, isEqual: isEqual)
        }
        if takeWord("LANGUAGE") {
            let isEqual = try equality()
            return .language(try items("a language") { $0.word()?.lowercased() }, isEqual: isEqual)
        }
        if takeWord("TYPEID") {
            let isEqual = try equality()
            return .type(try concepts(), isEqual: isEqual)
        }
        if takeWord("TYPE") {
            let isEqual = try equality()
            let known = ["fsn": "F", "fullyspecifiedname": "F", "syn": "S", "synonym": "S", "def": "D", "definition": "D"]
            let kinds = try items("fsn, syn or def") { parser in
                try parser.word().map { word in
                    guard let kind = known[word.lowercased()] else { throw parser.error("fsn, syn or def") }
                    return kind
                }
            }
            return .kind(kinds, isEqual: isEqual)
        }
        if takeWord("DIALECTID") { return try dialectID() }
        if takeWord("DIALECT") {
            return try dialect("a dialect such as en-us") { parser in
                parser.word().flatMap { SnomedDialects.refset($0.lowercased()) }.map { .concept("\($0)") }
            }
        }
        if takeWord("ID") {
            let isEqual = try equality()
            return .identifier(try items("an identifier") { $0.identifier() }, isEqual: isEqual)
        }
        if takeWord("MODULEID") { return try module { .module($0, isEqual: $1) } }
        if takeWord("EFFECTIVETIME") { return try dates { .date($0, $1) } }
        if takeWord("ACTIVE") { return .active(try activity()) }
        throw error("term, language, type, typeId, dialect, dialectId, id, moduleId, effectiveTime or active")
    }

    /// Reference sets of dialects: a list of concepts, each perhaps with an acceptability, or an expression.
    private mutating func dialectID() throws -> ECLFilter.Name {
        let start = self
        if let list = try? dialect("a reference set", { $0.identifier().map { .concept($0) } }) { return list }
        self = start
        let isEqual = try equality()
        return .dialect([ECLFilter.Dialect(refsets: try operand(), isPreferred: try acceptability())], isEqual: isEqual)
    }

    private mutating func dialect(_ expected: String, _ read: (inout ECLParser) -> ECLExpression?) throws -> ECLFilter.Name {
        let isEqual = try equality()
        var all = try items(expected) { parser -> ECLFilter.Dialect? in
            guard let refset = read(&parser) else { return nil }
            try parser.skipTerm()
            return ECLFilter.Dialect(refsets: refset, isPreferred: try parser.acceptability())
        }
        // An acceptability after the list is for all of it.
        if let last = try acceptability() { all = all.map { ECLFilter.Dialect(refsets: $0.refsets, isPreferred: $0.isPreferred ?? last) } }
        return .dialect(all, isEqual: isEqual)
    }

    /// - Returns: nil for none, and for both, which allow the same.
    private mutating func acceptability() throws -> Bool? {
        guard take("(") else { return nil }
        var found: Set<Bool> = []
        repeat {
            if takeWord("PREFER") || takeWord("PREFERRED") || takeWord("\(SnomedCode.preferred)") {
                found.insert(true)
            } else if takeWord("ACCEPT") || takeWord("ACCEPTABLE") || takeWord("900000000000549004") {
                found.insert(false)
            } else {
                throw error("prefer or accept")
            }
            try skipTerm()
        } while !take(")")
        return found.count == 1 ? found.first : nil
    }

    // MARK: - Facts and members

    private mutating func fact() throws -> ECLFilter.Fact {
        if takeWord("DEFINITIONSTATUSID") {
            let isEqual = try equality()
            return .definition(try concepts(), isEqual: isEqual)
        }
        if takeWord("DEFINITIONSTATUS") {
            let isEqual = try equality()
            let wanted = try items("primitive or defined") { parser in
                parser.takeWord("DEFINED") ? true : parser.takeWord("PRIMITIVE") ? false : nil
            }
            return .defined(Set(wanted), isEqual: isEqual)
        }
        if takeWord("MODULEID") { return try module { .module($0, isEqual: $1) } }
        if takeWord("EFFECTIVETIME") { return try dates { .date($0, $1) } }
        if takeWord("ACTIVE") { return .active(try activity()) }
        throw error("definitionStatus, definitionStatusId, moduleId, effectiveTime or active")
    }

    private mutating func module<Filter>(_ make: (ECLExpression, Bool) -> Filter) throws -> Filter {
        let isEqual = try equality()
        return make(try concepts(), isEqual)
    }

    private mutating func activity() throws -> Bool {
        let isEqual = try equality()
        return try truth() == isEqual
    }

    /// Dates of eight digits, or none (`""`).
    private mutating func dates<Filter>(_ make: (ECLComparison, [String]) -> Filter) throws -> Filter {
        guard let comparison = comparison() else { throw error(Self.comparisons) }
        let start = self
        guard let terms = try terms() else { throw error("a date in quotation marks") }
        let isDate = terms.allSatisfy { $0.text.isEmpty || $0.text.utf8.count == 8 && $0.text.utf8.allSatisfy { (48...57).contains($0) } }
        guard isDate else { throw start.error("a date such as \"20250131\"") }
        return make(comparison, terms.map(\.text))
    }

    private static let comparisons = "'=', '!=', '<', '<=', '>' or '>='"

    private mutating func memberFilter() throws -> ECLMemberFilter {
        if takeWord("MODULEID") { return try module { .module($0, isEqual: $1) } }
        if takeWord("EFFECTIVETIME") { return try dates { .date($0, $1) } }
        if takeWord("ACTIVE") { return .active(try activity()) }
        guard let field = word() else { throw error("moduleId, effectiveTime, active or a field of the reference set") }
        guard let comparison = comparison() else { throw error(Self.comparisons) }
        if take("#") { return .field(field, .number(comparison, try number())) }
        let isEqual = comparison == .equal
        let isOrdered = !isEqual && comparison != .unequal
        if let terms = try terms() {
            return isOrdered ? .ordered(field, comparison, terms.map(\.text)) : .field(field, .texts(terms, isEqual: isEqual))
        }
        guard !isOrdered else { throw error("a number such as #5, or a text in quotation marks") }
        if takeWord("TRUE") { return .field(field, .truth(true, isEqual: isEqual)) }
        if takeWord("FALSE") { return .field(field, .truth(false, isEqual: isEqual)) }
        return .field(field, .concepts(try concepts(), isEqual: isEqual))
    }

    /// The field whose values are wanted; nil for the members themselves.
    mutating func chosenField() throws -> String? {
        guard take("[") else { return nil }
        guard let field = word() else { throw error("the name of a field of reference sets") }
        skip()
        guard !starts(",") else { throw error("']', as the values of one field alone are concepts") }
        try need("]")
        return field
    }
}

/// The language reference sets that the names of dialects mean (Expression Constraint Language, Dialect aliases).
enum SnomedDialects {
    private static let refsets: [String: Int64] = [
        "en-us": 900_000_000_000_509_007, "en-gb": 900_000_000_000_508_004, "en-au": 32_570_271_000_036_106, "en-ca": 19_491_000_087_109,
        "en-ie": 21_000_220_103, "en-nz": 271_000_210_107, "es": 448_879_004, "da-dk": 554_461_000_005_103, "sv-se": 46_011_000_052_107,
        "nl-nl": 31_000_146_106, "nl-be": 31_000_172_101, "fr-be": 21_000_172_104, "fr-ca": 20_581_000_087_109, "fr-ch": 2_021_000_195_106,
        "de-ch": 2_041_000_195_100, "it-ch": 2_031_000_195_108, "nb-no": 61_000_202_103, "nn-no": 91_000_202_106, "et-ee": 71_000_181_105,
        "es-ar": 450_828_004, "es-uy": 5_641_000_179_103,
    ]

    static func refset(_ name: String) -> Int64? { refsets[name] }

    /// The BCP 47 tag of a reference set.
    static func tag(_ refset: Int64) -> String? {
        refsets.first { $0.value == refset }.map { entry in
            let parts = entry.key.split(separator: "-")
            return parts.count == 2 ? "\(parts[0])-\(parts[1].uppercased())" : entry.key
        }
    }
}
