import FireLite
import FireLiteFHIRPath

/// Turns the expressions of search parameters into paths over the layouts of a type.
///
/// It knows the part of FHIRPath that search parameters use: elements, `|`, `as`, `ofType`, `is`, `where`, `extension`, `exists`, `first`, positions,
/// comparisons with literals, `and`, `or`, `not`, and `resolve() is Type`.
struct ExpressionCompiler {
    let root: Layout

    /// An expression that is not of this part.
    struct Unsupported: Error {
        let text: String
    }

    private var release: FHIRRelease { root.release }

    /// - Throws: `Unsupported`; `FHIRPathError` for text that is not FHIRPath.
    static func compile(_ expression: String, on layout: Layout) throws -> CompiledExpression {
        let compiler = ExpressionCompiler(root: layout)
        var result = CompiledExpression()
        // Expressions of several types: those of other types are no concern, whatever is in them.
        for part in compiler.alternatives(try FHIRPath(expression).syntax) where compiler.concerns(part) {
            if compiler.isCondition(part) {
                result.conditions.append(try compiler.condition(part, SearchPath(layout)))
            } else {
                result.paths += try compiler.paths(part, [SearchPath(layout)])
            }
        }
        return result
    }

    private func alternatives(_ syntax: Syntax) -> [Syntax] {
        if case .binary(.union, let left, let right) = syntax.form { return alternatives(left) + alternatives(right) }
        return [syntax]
    }

    /// Whether an expression begins with this type, or with none.
    private func concerns(_ syntax: Syntax) -> Bool {
        switch syntax.form {
        case .member(let name): return isSelf(name) || !isType(name)
        case .invocation(let left, _), .indexer(let left, _), .isType(let left, _), .asType(let left, _), .binary(_, let left, _):
            return concerns(left)
        default: return true
        }
    }

    private func isSelf(_ name: String) -> Bool { SearchDefinitions.lineage(root).contains(name) }

    /// Whether a name is that of a resource type, which no element is.
    private func isType(_ name: String) -> Bool { name.first?.isUppercase ?? false }

    /// Whether the value of an expression is a truth value that it computes.
    private func isCondition(_ syntax: Syntax) -> Bool {
        switch syntax.form {
        case .binary(let symbol, _, _): return symbol != .union
        case .invocation(_, let right):
            if case .function("exists", _) = right.form { return true }
            return false
        default: return false
        }
    }

    // MARK: - Paths

    private func paths(_ syntax: Syntax, _ input: [SearchPath]) throws -> [SearchPath] {
        switch syntax.form {
        case .member(let name): return member(name, input)
        case .this: return input
        case .invocation(let left, let right): return try paths(right, paths(left, input))
        case .indexer(let left, let index):
            guard case .integer(let position) = index.form else { throw unsupported(syntax) }
            return try paths(left, input).map { $0.at(Int(position)) }
        case .binary(.union, let left, let right): return try paths(left, input) + paths(right, input)
        case .asType(let left, let type): return narrowed(try paths(left, input), to: type.name)
        case .isType(let left, let type): return present(try paths(left, input), as: type.name)
        case .function(let name, let arguments): return try function(name, arguments, input, syntax)
        default: throw unsupported(syntax)
        }
    }

    private func member(_ name: String, _ input: [SearchPath]) -> [SearchPath] {
        input.flatMap { path -> [SearchPath] in
            if path.isStart, isType(name) { return isSelf(name) ? [path] : [] }
            return path.elements(named: name)
        }
    }

    private func function(_ name: String, _ arguments: [Syntax], _ input: [SearchPath], _ syntax: Syntax) throws -> [SearchPath] {
        switch (name, arguments.count) {
        case ("as", 1), ("ofType", 1):
            guard let type = Self.typeName(arguments[0]) else { throw unsupported(syntax) }
            return narrowed(input, to: type)
        case ("is", 1):
            guard let type = Self.typeName(arguments[0]) else { throw unsupported(syntax) }
            return present(input, as: type)
        case ("extension", 1):
            guard case .string(let url) = arguments[0].form else { throw unsupported(syntax) }
            return extensions(url, input)
        case ("where", 1):
            return try input.compactMap { path in
                if let type = Self.resolvedType(arguments[0]) {
                    var path = path
                    path.targetType = type
                    return path
                }
                guard case .object(let layout) = path.end else { return nil }
                return path.filtered(try condition(arguments[0], SearchPath(layout)))
            }
        // The first of alternatives, of which resources in practice have one.
        case ("first", 0): return input.map { $0.at(0) }
        default: throw unsupported(syntax)
        }
    }

    private func extensions(_ url: String, _ input: [SearchPath]) -> [SearchPath] {
        input.flatMap { $0.elements(named: "extension") }.compactMap { path in
            guard case .object(let layout) = path.end, let element = layout.element(named: "url") else { return nil }
            return path.filtered(.value(QueryPath([PathStep(slot: element.slot)]), .compare(.equal, .text(url))))
        }
    }

    /// The type in `resolve() is Patient`.
    private static func resolvedType(_ syntax: Syntax) -> String? {
        guard case .isType(let left, let type) = syntax.form, case .function("resolve", _) = left.form else { return nil }
        return type.name
    }

    private static func typeName(_ syntax: Syntax) -> String? {
        switch syntax.form {
        case .member(let name): name
        case .invocation(_, let right): typeName(right)
        default: nil
        }
    }

    /// The paths that end in a type. STU3 writes `DateTime` for `dateTime`.
    private func narrowed(_ paths: [SearchPath], to type: String) -> [SearchPath] {
        let name = type == "SimpleQuantity" ? "quantity" : type.lowercased()
        return paths.compactMap { path in
            switch path.end {
            case .resource: return release.resourceLayout(named: type).flatMap { path.containing($0) }
            case .primitive(let primitive): return primitive.name.lowercased() == name ? path : nil
            case .object(let layout):
                var current: Layout? = layout
                while let known = current {
                    if known.name.lowercased() == name { return path }
                    current = known.base
                }
                return nil
            }
        }
    }

    private func present(_ paths: [SearchPath], as type: String) -> [SearchPath] {
        narrowed(paths, to: type).map { path in
            var path = path
            path.isPresence = true
            return path
        }
    }

    // MARK: - Conditions

    /// A condition on an element.
    private func condition(_ syntax: Syntax, _ start: SearchPath) throws -> Predicate {
        switch syntax.form {
        case .binary(.and, let left, let right): return .and([try condition(left, start), try condition(right, start)])
        case .binary(.or, let left, let right): return .or([try condition(left, start), try condition(right, start)])
        case .binary(.equal, let left, let right): return try comparison(left, right, start, isEqual: true)
        case .binary(.notEqual, let left, let right): return try comparison(left, right, start, isEqual: false)
        case .invocation(let left, let right):
            switch right.form {
            case .function("exists", let arguments):
                let found = try paths(left, [start])
                guard let filter = arguments.first else { return .or(found.map(\.exists)) }
                return .or(
                    try found.map { path in
                        guard case .object(let layout) = path.end else { throw unsupported(syntax) }
                        return path.filtered(try condition(filter, SearchPath(layout))).exists
                    })
            case .function("not", _): return .not(try condition(left, start))
            case .function("empty", _): return .not(.or(try paths(left, [start]).map(\.exists)))
            default: break
            }
        case .function("hasExtension", let arguments):
            if case .string(let url)? = arguments.first?.form { return .or(extensions(url, [start]).map(\.exists)) }
        default: break
        }
        // An element that is true.
        let flags = try paths(syntax, [start]).filter { $0.typeName == "boolean" }
        if flags.isEmpty { throw unsupported(syntax) }
        return .or(flags.map { $0.value(.compare(.equal, .integer(1))) })
    }

    private func comparison(_ left: Syntax, _ right: Syntax, _ start: SearchPath, isEqual: Bool) throws -> Predicate {
        let value: SQLValue
        switch right.form {
        case .string(let text): value = .text(text)
        case .boolean(let flag): value = .integer(flag ? 1 : 0)
        case .integer(let number): value = .integer(number)
        default: throw unsupported(right)
        }
        return .or(
            try paths(left, [start]).compactMap { path in
                let isComparable =
                    switch path.end {
                    case .primitive(let type): value.text == nil ? type.storage != .text : type.storage == .text
                    default: false
                    }
                if isEqual { return isComparable ? path.value(.compare(.equal, value)) : nil }
                // A value of another type differs.
                return isComparable ? .and([path.exists, .not(path.value(.compare(.equal, value)))]) : path.exists
            })
    }

    private func unsupported(_ syntax: Syntax) -> Unsupported { Unsupported(text: syntax.description) }
}
