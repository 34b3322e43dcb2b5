/// Makes the syntax of an expression from its text, by precedence climbing.
struct Parser {
    /// The maximum depth of an expression. Evaluation is recursive, and threads of an app have small stacks.
    static let maximumDepth = 250
    /// The maximum depth of brackets and signs, each of which takes several calls to read.
    static let maximumNesting = 100
    /// The maximum length of an expression in bytes.
    static let maximumLength = 65_536

    private let tokens: [Token]
    private var place = 0
    private var depth = 0

    private init(tokens: [Token]) { self.tokens = tokens }

    /// The syntax of a whole text.
    static func parse(_ text: String) throws -> Syntax {
        guard text.utf8.count <= maximumLength else {
            throw FHIRPathError(.limit, "an expression has at most \(maximumLength) bytes", at: maximumLength)
        }
        do {
            var parser = Parser(tokens: try Lexer.tokens(of: text))
            let syntax = try parser.expression()
            guard parser.token.kind == .end else { throw parser.unexpected("an operator or the end") }
            return syntax
        } catch let error as FHIRPathError {
            throw error.located(in: text)
        }
    }

    // MARK: - Tokens

    private var token: Token { tokens[place] }

    private mutating func advance() { place = min(place + 1, tokens.count - 1) }

    private mutating func skip(_ symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    private mutating func expect(_ symbol: String) throws {
        if !skip(symbol) { throw unexpected("'\(symbol)'") }
    }

    private func unexpected(_ expected: String) -> FHIRPathError {
        FHIRPathError(.syntax, "expected \(expected), found \(Self.name(of: token))", at: token.position)
    }

    private static func name(of token: Token) -> String {
        switch token.kind {
        case .identifier(let name), .delimited(let name): "'\(name)'"
        case .string: "a string"
        case .integer, .long, .decimal: "a number"
        case .temporal: "a date or time"
        case .variable(let name): "'%\(name)'"
        case .special(let name): "'$\(name)'"
        case .symbol(let symbol): "'\(symbol)'"
        case .end: "the end"
        }
    }

    private func tooDeep(at position: Int) -> FHIRPathError { FHIRPathError(.limit, "the expression is nested too deeply", at: position) }

    private func make(_ form: Syntax.Form, _ position: Int) throws -> Syntax {
        let syntax = Syntax(form, position)
        guard syntax.depth <= Self.maximumDepth else { throw tooDeep(at: position) }
        return syntax
    }

    // MARK: - Operators

    private mutating func expression(_ minimum: Int = 1) throws -> Syntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumNesting else { throw tooDeep(at: token.position) }
        var left = try signed()
        while true {
            let position = token.position
            if let isAs = typeOperator {
                guard PathOperator.typePrecedence >= minimum else { return left }
                advance()
                let type = try typeName()
                left = try make(isAs ? .asType(left, type) : .isType(left, type), position)
            } else if let found = binaryOperator, found.precedence >= minimum {
                advance()
                let right = try expression(found.precedence + 1)
                left = try make(.binary(found, left, right), position)
            } else {
                return left
            }
        }
    }

    private var typeOperator: Bool? {
        switch token.kind {
        case .identifier("is"): false
        case .identifier("as"): true
        default: nil
        }
    }

    private var binaryOperator: PathOperator? {
        switch token.kind {
        case .symbol(let text), .identifier(let text): PathOperator(rawValue: text)
        default: nil
        }
    }

    private mutating func typeName() throws -> TypeName {
        let first = try identifier("a type")
        guard skip(".") else { return TypeName(namespace: nil, name: first) }
        return TypeName(namespace: first, name: try identifier("a type"))
    }

    private mutating func identifier(_ expected: String) throws -> String {
        switch token.kind {
        case .identifier(let name), .delimited(let name):
            advance()
            return name
        default: throw unexpected(expected)
        }
    }

    /// A sign binds tighter than the operators, but less than `.` and `[]`: `-1.abs()` is `-(1.abs())`.
    private mutating func signed() throws -> Syntax {
        let position = token.position
        guard token.kind == .symbol("-") || token.kind == .symbol("+") else { return try chain() }
        let isNegative = token.kind == .symbol("-")
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumNesting else { throw tooDeep(at: position) }
        advance()
        return try make(.sign(isNegative: isNegative, try signed()), position)
    }

    // MARK: - Terms

    /// A term with its `.x` and `[x]`.
    private mutating func chain() throws -> Syntax {
        var left = try term()
        while true {
            let position = token.position
            if skip(".") {
                let right = try invocation()
                left = try make(.invocation(left, right), right.position)
            } else if skip("[") {
                let index = try expression()
                try expect("]")
                left = try make(.indexer(left, index), position)
            } else {
                return left
            }
        }
    }

    /// What follows a point: a name, a function or a special variable.
    private mutating func invocation() throws -> Syntax {
        let position = token.position
        switch token.kind {
        case .special(let name):
            advance()
            return Syntax(Self.special(name), position)
        case .identifier(let name), .delimited(let name):
            advance()
            return try member(name, position)
        default: throw unexpected("a name")
        }
    }

    private static func special(_ name: String) -> Syntax.Form {
        switch name {
        case "this": .this
        case "index": .index
        default: .total
        }
    }

    private mutating func member(_ name: String, _ position: Int) throws -> Syntax {
        guard skip("(") else { return Syntax(.member(name), position) }
        var arguments: [Syntax] = []
        if skip(")") { return Syntax(.function(name, arguments), position) }
        repeat { arguments.append(try argument(of: name)) } while skip(",")
        try expect(")")
        return try make(.function(name, arguments), position)
    }

    private mutating func argument(of function: String) throws -> Syntax {
        let argument = try expression()
        guard function == "sort", case .identifier(let order) = token.kind, order == "asc" || order == "desc" else { return argument }
        let position = token.position
        advance()
        return Syntax(.sortKey(argument, isDescending: order == "desc"), position)
    }

    private mutating func term() throws -> Syntax {
        let token = token
        let position = token.position
        switch token.kind {
        case .symbol("("):
            advance()
            let inner = try expression()
            try expect(")")
            return inner
        case .symbol("{"):
            advance()
            try expect("}")
            return Syntax(.empty, position)
        case .identifier("true") where !isCall, .identifier("false") where !isCall:
            advance()
            return Syntax(.boolean(token.kind == .identifier("true")), position)
        case .identifier(let name) where Self.reserved.contains(name) && !isCall: throw unexpected("an expression")
        case .identifier, .delimited, .special: return try invocation()
        case .string(let text):
            advance()
            return Syntax(.string(text), position)
        case .integer(let value):
            advance()
            if let unit = unit() { return Syntax(.quantity(unit.quantity(PathDecimal(value))), position) }
            return Syntax(.integer(value), position)
        case .long(let value):
            advance()
            if let unit = unit() { return Syntax(.quantity(unit.quantity(PathDecimal(value))), position) }
            return Syntax(.long(value), position)
        case .decimal(let value):
            advance()
            if let unit = unit() { return Syntax(.quantity(unit.quantity(value)), position) }
            return Syntax(.decimal(value), position)
        case .temporal(let value):
            advance()
            return Syntax(.temporal(value), position)
        case .variable(let name):
            advance()
            return Syntax(.variable(name), position)
        case .symbol, .end: throw unexpected("an expression")
        }
    }

    /// Words that are operators and cannot begin an expression; `as`, `is`, `in` and `contains` can, as names of elements.
    private static let reserved: Set<String> = ["and", "or", "xor", "implies", "div", "mod"]

    private var isCall: Bool { place + 1 < tokens.count && tokens[place + 1].kind == .symbol("(") }

    /// The unit after a number, if there is one: `'mg'` or `days`.
    private mutating func unit() -> PathUnit? {
        switch token.kind {
        case .string(let code):
            advance()
            return .code(code)
        case .identifier(let word):
            guard let unit = CalendarUnit(word: word) else { return nil }
            advance()
            return .calendar(unit)
        default: return nil
        }
    }
}
