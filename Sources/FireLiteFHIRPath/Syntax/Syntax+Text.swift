extension Syntax: CustomStringConvertible {
    /// The expression in its shortest usual notation; reading it gives the same expression.
    package var description: String { text(0) }

    private func text(_ minimum: Int) -> String {
        let (text, precedence) = textAndPrecedence
        return precedence < minimum ? "(\(text))" : text
    }

    private static let term = 12

    private var textAndPrecedence: (String, Int) {
        switch form {
        case .empty: return ("{}", Self.term)
        case .boolean(let value): return ("\(value)", Self.term)
        case .string(let text): return ("'\(Self.escaped(text, "'"))'", Self.term)
        case .integer(let value): return ("\(value)", Self.term)
        case .long(let value): return ("\(value)L", Self.term)
        case .decimal(let value): return (value.text, Self.term)
        case .temporal(let value): return (value.literal, Self.term)
        case .quantity(let value): return (value.literal, Self.term)
        case .variable(let name): return ("%\(Self.name(name))", Self.term)
        case .this: return ("$this", Self.term)
        case .index: return ("$index", Self.term)
        case .total: return ("$total", Self.term)
        case .member(let name): return (Self.name(name), Self.term)
        case .function(let name, let arguments):
            return ("\(Self.name(name))(\(arguments.map { $0.text(0) }.joined(separator: ", ")))", Self.term)
        case .invocation(let left, let right): return ("\(left.text(Self.term)).\(right.text(Self.term))", Self.term)
        case .indexer(let left, let index): return ("\(left.text(Self.term))[\(index.text(0))]", Self.term)
        case .sign(let isNegative, let operand):
            return ((isNegative ? "-" : "+") + operand.text(PathOperator.signPrecedence), PathOperator.signPrecedence)
        case .binary(let operation, let left, let right):
            let precedence = operation.precedence
            return ("\(left.text(precedence)) \(operation.rawValue) \(right.text(precedence + 1))", precedence)
        case .isType(let operand, let type): return (Self.typed(operand, "is", type), PathOperator.typePrecedence)
        case .asType(let operand, let type): return (Self.typed(operand, "as", type), PathOperator.typePrecedence)
        case .sortKey(let key, let isDescending): return ("\(key.text(0)) \(isDescending ? "desc" : "asc")", 0)
        }
    }

    private static func typed(_ operand: Syntax, _ word: String, _ type: TypeName) -> String {
        let name = (type.namespace.map { "\(Self.name($0))." } ?? "") + Self.name(type.name)
        return "\(operand.text(PathOperator.typePrecedence)) \(word) \(name)"
    }

    private static let words: Set<String> = [
        "and", "or", "xor", "implies", "div", "mod", "true", "false", "is", "as", "in", "contains",
    ]

    /// A name, between backticks if it would be read as something else.
    private static func name(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain = Lexer.isNameStart(bytes.first) && bytes.allSatisfy { Lexer.isNameStart($0) || Lexer.isDigit($0) }
        let isWord = words.contains(name) || CalendarUnit(word: name) != nil || name == "asc" || name == "desc"
        return isPlain && !isWord ? name : "`\(escaped(name, "`"))`"
    }

    private static func escaped(_ text: String, _ quote: Character) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0C}": result += "\\f"
            case _ where Character(character) == quote: result += "\\\(quote)"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
