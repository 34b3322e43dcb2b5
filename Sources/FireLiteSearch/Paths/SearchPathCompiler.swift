import FireLite
import FireLiteFHIRPath

/// Turns the expressions of search parameters into paths over the layouts of a type.
///
/// It knows the part of FHIRPath that search parameters use: elements, `|`, `as`, `ofType`, `is`, `where`, `extension`, `exists`, `first`, positions,
/// comparisons with literals, `and`, `or`, `not`, and `resolve() is Type`.
struct SearchPathCompiler {
    let root: Layout

    /// An expression that is not of this part.
    struct Unsupported: Error {
        let text: String
    }

    private var release: FHIRRelease { root.release }

    /// - Throws: `Unsupported`; `FHIRPathError` for text that is not FHIRPath.
    static func compile(_ expression: String, on layout: Layout) throws -> CompiledExpression {
        let compiler = SearchPathCompiler(root: layout)
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

    private func paths(_ syntax: Syntax, _ input: [SearchPath]) throws -> [SearchPath] { try resolve(syntax, input, on: input) }

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
            if let url = arguments.first { return .or(try extensions(url, of: [start], [start]).map(\.exists)) }
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

// MARK: - Paths

extension SearchPathCompiler: PathResolver {
    func this(_ focus: [SearchPath]) -> [SearchPath] { focus }

    func member(_ name: String, of input: [SearchPath], isFirst: Bool) -> [SearchPath] {
        input.flatMap { path -> [SearchPath] in
            if path.isStart, isType(name) { return isSelf(name) ? [path] : [] }
            return path.elements(named: name)
        }
    }

    func item(_ position: Syntax, of input: [SearchPath]) throws -> [SearchPath] {
        guard case .integer(let number) = position.form else { throw unsupported(position) }
        return input.map { $0.at(Int(number)) }
    }

    /// The first of alternatives, of which resources in practice have one.
    func first(of input: [SearchPath]) -> [SearchPath] { input.map { $0.at(0) } }

    func narrowed(_ paths: [SearchPath], to type: TypeName, isCast: Bool) -> [SearchPath] {
        paths.compactMap { path in
            switch path.end {
            case .resource: release.resourceLayout(named: type.name).flatMap { path.containing($0) }
            case .primitive(let primitive): type.names(primitive, ignoringCase: true) ? path : nil
            case .object(let layout): type.names(layout, ignoringCase: true) ? path : nil
            }
        }
    }

    /// What counts is only that there is such an element.
    func isType(_ type: TypeName, _ paths: [SearchPath]) -> [SearchPath] {
        narrowed(paths, to: type, isCast: false).map { path in
            var path = path
            path.isPresence = true
            return path
        }
    }

    func filtered(_ input: [SearchPath], by condition: Syntax) throws -> [SearchPath] {
        try input.compactMap { path in
            if let type = Self.resolvedType(condition) {
                var path = path
                path.targetType = type
                return path
            }
            guard case .object(let layout) = path.end else { return nil }
            return path.filtered(try self.condition(condition, SearchPath(layout)))
        }
    }

    func extensions(_ url: Syntax, of input: [SearchPath], _ focus: [SearchPath]) throws -> [SearchPath] {
        guard case .string(let text) = url.form else { throw unsupported(url) }
        return input.flatMap { $0.elements(named: "extension") }.compactMap { path in
            guard case .object(let layout) = path.end, let element = layout.element(named: "url") else { return nil }
            return path.filtered(.value(QueryPath([PathStep(slot: element.slot)]), .compare(.equal, .text(text))))
        }
    }

    func union(_ left: [SearchPath], _ right: [SearchPath]) -> [SearchPath] { left + right }

    func value(_ syntax: Syntax, on input: [SearchPath], _ focus: [SearchPath]) throws -> [SearchPath] { throw unsupported(syntax) }

    /// The type in `resolve() is Patient`.
    private static func resolvedType(_ syntax: Syntax) -> String? {
        guard case .isType(let left, let type) = syntax.form, case .function("resolve", _) = left.form else { return nil }
        return type.name
    }
}

/// What a parameter's expression selects.
struct CompiledExpression: Sendable {
    /// The ways to its elements.
    var paths: [SearchPath] = []
    /// Conditions whose truth is the value: `deceased.exists() and deceased != false`.
    var conditions: [Predicate] = []
}
