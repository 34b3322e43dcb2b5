/// Reads expression constraints (Expression Constraint Language 2.2): the brief syntax, and the long one, whose words say the same as signs.
struct ECLParser {
    private let characters: [Character]
    private var place = 0
    private var depth = 0
    private let steps = Steps()

    /// What all attempts of one expression take: a parenthesis is read in two ways, which must not multiply.
    private final class Steps { var count = 0 }
    private static let maximumSteps = 60_000

    /// The maximum depth of parentheses, and the maximum length of an expression.
    private static let deepest = 100
    private static let longest = 100_000

    /// Reads an expression.
    ///
    /// - Throws: ``TerminologyError`` with the place of the first character that cannot be read.
    static func parse(_ text: String) throws -> ECLExpression {
        guard text.utf8.count <= longest else {
            throw TerminologyError(.tooCostly, "too-costly", "the expression constraint has more than \(longest) characters")
        }
        var parser = ECLParser(characters: Array(text))
        let expression = try parser.expression()
        parser.skip()
        guard parser.place == parser.characters.count else { throw parser.error("the end, or AND, OR, MINUS, ':' or '.'") }
        return expression
    }

    private init(characters: [Character]) { self.characters = characters }

    // MARK: - Characters

    func error(_ expected: String) -> TerminologyError {
        let found = place < characters.count ? "'\(String(characters[place...].prefix(10)))'" : "the end"
        return TerminologyError(
            .invalid, "invalid", kind: "vs-invalid", id: "INVALID_ECL",
            "the expression constraint has \(found) at character \(place + 1), where \(expected) is expected")
    }

    mutating func skip() {
        while place < characters.count {
            if characters[place].isWhitespace {
                place += 1
            } else if starts("/*") {
                place += 2
                while place < characters.count, !starts("*/") { place += 1 }
                place = min(place + 2, characters.count)
            } else {
                return
            }
        }
    }

    func starts(_ text: String) -> Bool {
        var next = place
        for character in text {
            guard next < characters.count, characters[next] == character else { return false }
            next += 1
        }
        return true
    }

    /// Takes a text, after white space.
    mutating func take(_ text: String) -> Bool {
        skip()
        guard starts(text) else { return false }
        place += text.count
        return true
    }

    mutating func need(_ text: String) throws { if !take(text) { throw error("'\(text)'") } }

    /// Takes a word, in any case, that ends where no letter follows.
    mutating func takeWord(_ word: String) -> Bool {
        skip()
        let end = place + word.count
        guard end <= characters.count, String(characters[place..<end]).uppercased() == word else { return false }
        if end < characters.count, characters[end].isLetter || characters[end].isNumber { return false }
        place = end
        return true
    }

    mutating func word() -> String? {
        skip()
        let start = place
        while place < characters.count, characters[place].isLetter || characters[place].isNumber || "-_".contains(characters[place]) {
            place += 1
        }
        return start == place ? nil : String(characters[start..<place])
    }

    mutating func identifier() -> String? {
        skip()
        let start = place
        while place < characters.count, characters[place].isASCII, characters[place].isNumber { place += 1 }
        guard place > start else { return nil }
        return String(characters[start..<place])
    }

    /// Skips a term between bars, which says nothing that the identifier does not.
    mutating func skipTerm() throws {
        guard take("|") else { return }
        while place < characters.count, characters[place] != "|" { place += 1 }
        try need("|")
    }

    private mutating func nested<Value>(_ body: (inout ECLParser) throws -> Value) throws -> Value {
        depth += 1
        defer { depth -= 1 }
        steps.count += 1
        guard depth <= Self.deepest, steps.count <= Self.maximumSteps else {
            throw TerminologyError(
                .tooCostly, "too-costly", "the expression constraint is too long, or nested more than \(Self.deepest) levels deep")
        }
        return try body(&self)
    }

    // MARK: - Expressions

    mutating func expression() throws -> ECLExpression {
        try nested { parser in
            var result = try parser.operand()
            if parser.take(":") { return .refined(result, try parser.refinement()) }
            if parser.takeDot() {
                repeat { result = .values(result, attribute: try parser.operand()) } while parser.takeDot()
                return result
            }
            if parser.takeAnd() {
                repeat { result = .both(result, try parser.operand()) } while parser.takeAnd()
            } else if parser.takeWord("OR") {
                repeat { result = .either(result, try parser.operand()) } while parser.takeWord("OR")
            } else if parser.takeWord("MINUS") {
                return .minus(result, try parser.operand())
            }
            return result
        }
    }

    private mutating func takeDot() -> Bool {
        skip()
        return !starts("..") && take(".")
    }

    mutating func takeAnd() -> Bool { takeWord("AND") || take(",") }

    /// The longest first, so that `<<!` is not read as `<`.
    private static let relations = ["!!>", "!!<", "<<!", ">>!", "<<", ">>", "<!", ">!", "<", ">"]

    /// The words of the long syntax for the same.
    private static let relationWords: [String: ECLExpression.Relation] = [
        "DESCENDANTOF": .descendants, "DESCENDANTORSELFOF": .descendantsAndSelf, "CHILDOF": .children, "CHILDORSELFOF": .childrenAndSelf,
        "ANCESTOROF": .ancestors, "ANCESTORORSELFOF": .ancestorsAndSelf, "PARENTOF": .parents, "PARENTORSELFOF": .parentsAndSelf,
        "TOP": .top, "BOTTOM": .bottom,
    ]

    private mutating func relation() -> ECLExpression.Relation? {
        if let sign = Self.relations.first(where: { take($0) }) { return ECLExpression.Relation(rawValue: sign) }
        var ahead = self
        guard let word = ahead.word(), let relation = Self.relationWords[word.uppercased()] else { return nil }
        self = ahead
        return relation
    }

    mutating func operand() throws -> ECLExpression {
        try nested { parser in
            let relation = parser.relation()
            var result: ECLExpression
            if parser.take("^") || parser.takeWord("MEMBEROF") {
                let field = try parser.chosenField()
                let refsets = try parser.focus()
                let filters = try parser.memberFilters()
                if let field {
                    result = .fieldValues(refsets, field: field, filters)
                } else {
                    result = .members(refsets, filters)
                }
            } else {
                result = try parser.focus()
            }
            if let relation { result = .related(relation, result) }
            return try parser.filtered(result)
        }
    }

    private mutating func focus() throws -> ECLExpression {
        if take("*") || takeWord("ANY") { return .any }
        if take("(") {
            let inner = try expression()
            try need(")")
            return inner
        }
        guard let id = identifier() else { throw error("a concept, '*' or '('") }
        try skipTerm()
        return .concept(id)
    }

    // MARK: - Refinements

    mutating func refinement() throws -> ECLRefinement {
        try nested { parser in
            var result = try parser.part()
            if parser.takeAnd() {
                repeat { result = .both(result, try parser.part()) } while parser.takeAnd()
            } else if parser.takeWord("OR") {
                repeat { result = .either(result, try parser.part()) } while parser.takeWord("OR")
            }
            return result
        }
    }

    private mutating func part() throws -> ECLRefinement {
        let cardinality = try cardinality()
        if take("{") {
            let inner = try refinement()
            try need("}")
            return .group(cardinality ?? .some, inner)
        }
        if cardinality == nil {
            // A parenthesis holds a refinement, or is the beginning of an attribute's name.
            var ahead = self
            if ahead.take("("), let inner = try? ahead.refinement(), ahead.take(")"), !ahead.startsComparison() {
                self = ahead
                return inner
            }
        }
        return .attribute(try attribute(cardinality ?? .some))
    }

    private mutating func startsComparison() -> Bool {
        skip()
        var ahead = self
        return ["=", "!=", "<", ">"].contains { starts($0) } || ahead.takeWord("NOT")
    }

    private mutating func cardinality() throws -> ECLCardinality? {
        guard take("[") else { return nil }
        guard let minimum = identifier().flatMap({ Int($0) }) else { throw error("a number") }
        guard take("..") || takeWord("TO") else { throw error("'..'") }
        if take("*") || takeWord("MANY") {
            try need("]")
            return ECLCardinality(minimum: minimum, maximum: nil)
        }
        guard let maximum = identifier().flatMap({ Int($0) }), maximum >= minimum else { throw error("'*', or a number that is not less") }
        try need("]")
        return ECLCardinality(minimum: minimum, maximum: maximum)
    }

    private mutating func attribute(_ cardinality: ECLCardinality) throws -> ECLAttribute {
        let isReversed = takeWord("R") || takeWord("REVERSEOF")
        let name = try operand()
        guard let comparison = comparison() else { throw error("'=', '!=', '<', '<=', '>' or '>='") }
        let value: ECLAttribute.Value
        let isEqual = comparison == .equal
        if take("#") {
            value = .number(comparison, try number())
        } else {
            guard isEqual || comparison == .unequal else { throw error("a number such as #5") }
            if takeWord("TRUE") {
                value = .truth(true, isEqual: isEqual)
            } else if takeWord("FALSE") {
                value = .truth(false, isEqual: isEqual)
            } else if let terms = try terms() {
                value = .texts(terms, isEqual: isEqual)
            } else {
                value = .concepts(try operand(), isEqual: isEqual)
            }
        }
        return ECLAttribute(cardinality: cardinality, isReversed: isReversed, name: name, value: value)
    }

    mutating func comparison() -> ECLComparison? {
        for text in ["<=", ">=", "!=", "<>", "=", "<", ">"] where take(text) { return ECLComparison(rawValue: text == "<>" ? "!=" : text) }
        var ahead = self
        guard ahead.takeWord("NOT"), ahead.take("=") else { return nil }
        self = ahead
        return .unequal
    }

    mutating func number() throws -> Double {
        let start = place
        while place < characters.count, characters[place].isNumber || "+-.".contains(characters[place]) { place += 1 }
        guard let number = Double(String(characters[start..<place])), number.isFinite else {
            place = start
            throw error("a number")
        }
        return number
    }

    /// One text, or several in parentheses; nil if there is none.
    mutating func terms() throws -> [ECLTerm]? {
        if let term = try term() { return [term] }
        let start = place
        guard take("(") else { return nil }
        guard let first = try term() else {
            place = start
            return nil
        }
        var all = [first]
        while let next = try term() { all.append(next) }
        try need(")")
        return all
    }

    private mutating func term() throws -> ECLTerm? {
        let start = place
        var kind = ECLTerm.Kind.match
        let kinds = [("MATCH", ECLTerm.Kind.match), ("WILD", .wild), ("EXACT", .exact)]
        if let (_, other) = kinds.first(where: { takeWord($0.0) }) {
            guard take(":") else { throw error("':'") }
            kind = other
        }
        skip()
        guard place < characters.count, characters[place] == "\"" else {
            place = start
            return nil
        }
        place += 1
        var text = ""
        while place < characters.count, characters[place] != "\"" {
            if characters[place] == "\\", place + 1 < characters.count {
                if kind == .wild { text.append("\\") }
                place += 1
            }
            text.append(characters[place])
            place += 1
        }
        guard place < characters.count else { throw error("'\"'") }
        place += 1
        return ECLTerm(kind: kind, text: text)
    }
}
