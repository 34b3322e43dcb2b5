import FireLiteCore

/// Parses conditions and paths of `firelite find`. Sources/FireLite/FireLite.docc/Queries.md describes the language.
///
/// An argument is one condition, `name.given=Joseph`, whose value extends to the argument's end, or an expression, if it begins with
/// `(` or `not `. Arguments side by side mean "and"; `and`, `or`, `not`, `(` and `)` as arguments of their own combine them.
/// So a value never becomes another condition, whatever it contains.
package struct PredicateParser {
    let layout: Layout

    package init(_ layout: Layout) { self.layout = layout }

    /// The condition of one argument.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for an invalid condition, with the position of the mistake.
    package func condition(_ text: String) throws -> Predicate {
        var reader = ConditionReader(text)
        return try reader.argument(layout)
    }

    /// The condition of several arguments together; always true for none.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for an invalid condition, with the position of the mistake.
    package func conditions(_ arguments: [String]) throws -> Predicate {
        if arguments.isEmpty { return .constant(true) }
        var list = ArgumentList(arguments, self)
        return try list.all()
    }

    /// The path of a primitive, to sort by.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` if the type has no such primitive.
    package func valuePath(_ text: String) throws -> QueryPath {
        let end = try ConditionReader(text).wholePath(layout)
        guard end.targets.isEmpty, case .primitive = end.kind else { throw Self.noValue(text) }
        return end.path
    }

    /// A column of values: a primitive, all primitives of a list, or with `.count` the number of elements.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` if the type has no such element.
    package func column(_ text: String) throws -> ValueColumn {
        if text.hasSuffix(".count") {
            let counted = try ConditionReader(String(text.dropLast(6))).wholePath(layout)
            if counted.targets.isEmpty, !counted.hasElement("count") { return ValueColumn(path: counted.path, kind: .count) }
        }
        let end = try ConditionReader(text).wholePath(layout)
        guard end.targets.isEmpty, case .primitive(let type) = end.kind else { throw Self.noValue(text) }
        return ValueColumn(path: end.path, kind: end.isList ? .list(type) : .value(type))
    }

    private static func noValue(_ text: String) -> FHIRStoreError {
        FHIRStoreError(.invalidArgument, "\(text) is not a primitive: name one of its elements")
    }
}

/// Shell arguments, combined by arguments that are exactly `and`, `or`, `not`, `(` or `)`.
private struct ArgumentList {
    private enum Item: String {
        case and, or, not
        case open = "("
        case close = ")"
    }

    private let arguments: [String]
    private let parser: PredicateParser
    private var index = 0

    init(_ arguments: [String], _ parser: PredicateParser) {
        self.arguments = arguments
        self.parser = parser
    }

    private var word: Item? { index < arguments.count ? Item(rawValue: arguments[index].lowercased()) : nil }

    private mutating func accept(_ item: Item) -> Bool {
        guard word == item else { return false }
        index += 1
        return true
    }

    private func invalid(_ message: String) -> FHIRStoreError {
        FHIRStoreError(
            .invalidArgument, index < arguments.count ? "\(message), at '\(arguments[index])' (condition \(index + 1))" : message)
    }

    mutating func all() throws -> Predicate {
        let predicate = try expression(depth: 0)
        if index < arguments.count { throw invalid("a closing parenthesis has no opening one") }
        return predicate
    }

    private mutating func expression(depth: Int) throws -> Predicate {
        var alternatives = [try conjunction(depth: depth)]
        while accept(.or) { alternatives.append(try conjunction(depth: depth)) }
        return alternatives.count == 1 ? alternatives[0] : .or(alternatives)
    }

    private mutating func conjunction(depth: Int) throws -> Predicate {
        var parts = [try factor(depth: depth)]
        while index < arguments.count, word != .or, word != .close {
            _ = accept(.and)
            parts.append(try factor(depth: depth))
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func factor(depth: Int) throws -> Predicate {
        guard depth <= ConditionReader.deepest else {
            throw invalid("parentheses are nested more than \(ConditionReader.deepest) deep")
        }
        if accept(.not) { return .not(try factor(depth: depth + 1)) }
        if accept(.open) {
            let inner = try expression(depth: depth + 1)
            guard accept(.close) else { throw invalid("a parenthesis is not closed: write ')' after its last condition") }
            return inner
        }
        guard index < arguments.count, word == nil else { throw invalid("a condition is missing") }
        index += 1
        return try parser.condition(arguments[index - 1])
    }
}
