import FireLiteCore

/// Checks an expression against the model, without values: that elements exist, functions get what they work on, and variables are defined.
///
/// What is not known, after `children()` or `resolve()` for one, is not checked.
struct Checker {
    let release: FHIRRelease?
    let options: FHIRPathOptions
    let root: StaticType
    var this: StaticType
    var variables: [(name: String, type: StaticType)]

    /// Checks a whole expression.
    static func check(
        _ syntax: Syntax, on root: StaticType, release: FHIRRelease?, options: FHIRPathOptions, variables: Set<String>
    ) throws {
        var checker = Checker(
            release: release, options: options, root: root, this: root, variables: variables.map { ($0, StaticType.unknown) })
        _ = try checker.type(of: syntax, on: root, isFirst: true)
    }

    func error(_ message: String, _ syntax: Syntax) -> FHIRPathError { FHIRPathError(.semantic, message, at: syntax.position) }

    // MARK: - Expressions

    /// The type of an expression; variables that it defines are not for others.
    mutating func scoped(_ syntax: Syntax, on focus: StaticType) throws -> StaticType {
        let count = variables.count
        defer { variables.removeSubrange(count...) }
        return try type(of: syntax, on: focus, isFirst: true)
    }

    mutating func type(of syntax: Syntax, on focus: StaticType, isFirst: Bool) throws -> StaticType {
        switch syntax.form {
        case .empty: return StaticType(elements: [])
        case .boolean: return .system("Boolean")
        case .string: return .system("String")
        case .integer: return .system("Integer")
        case .long: return .system("Long")
        case .decimal: return .system("Decimal")
        case .temporal(let value): return .system(value.kind == .date ? "Date" : value.kind == .time ? "Time" : "DateTime")
        case .quantity: return .system("Quantity")
        case .variable(let name): return try variable(name, syntax)
        case .this: return this
        case .index: return .system("Integer")
        case .total: return .unknown
        case .member(let name): return try member(name, of: focus, isFirst: isFirst, syntax)
        case .function(let name, let arguments): return try function(name, arguments, on: focus, syntax)
        case .invocation(let left, let right):
            let first = try type(of: left, on: focus, isFirst: isFirst)
            return try type(of: right, on: first, isFirst: false)
        case .indexer(let left, let index):
            let first = try type(of: left, on: focus, isFirst: isFirst)
            try checkOrder(of: first, "[ ]", syntax)
            _ = try scoped(index, on: this)
            return first
        case .sign(_, let operand): return try type(of: operand, on: focus, isFirst: isFirst)
        case .binary(let operation, let left, let right):
            return try binary(operation, left: try scoped(left, on: focus), right: try scoped(right, on: focus), syntax: syntax)
        case .isType(let operand, _):
            _ = try scoped(operand, on: focus)
            return .system("Boolean")
        case .asType(let operand, let name): return named(name, try scoped(operand, on: focus))
        case .sortKey(let key, _): return try type(of: key, on: focus, isFirst: true)
        }
    }

    func checkOrder(of type: StaticType, _ name: String, _ syntax: Syntax) throws {
        if options.isStrict, !type.isOrdered {
            throw error("'\(name)' goes by an order, which children() and descendants() have not", syntax)
        }
    }

    private func variable(_ name: String, _ syntax: Syntax) throws -> StaticType {
        if let own = variables.last(where: { $0.name == name }) { return own.type }
        switch name {
        case "context": return root
        case "resource": return root.isSurely { if case .layout(let layout) = $0 { layout.isResource } else { false } } ? root : .unknown
        case "rootResource", "terminologies": return .unknown
        default:
            guard Evaluator.isBuiltIn(name) else {
                throw error("there is no variable %\(name)\(Evaluator.hint(forVariable: name, variables.map(\.name)))", syntax)
            }
            return .system("String")
        }
    }

    private func binary(_ operation: PathOperator, left: StaticType, right: StaticType, syntax: Syntax) throws -> StaticType {
        switch operation {
        case .union: return left.union(right)
        case .add, .subtract:
            let isTemporal = left.isSurely { ["Date", "DateTime", "Time"].contains($0.systemName) }
            if isTemporal, right.isSurely({ ["Integer", "Long", "Decimal"].contains($0.systemName) }) {
                throw error("'\(operation.rawValue)' needs a quantity with a unit of time, such as 7 days", syntax)
            }
            return isTemporal ? left : .unknown
        case .multiply, .divide, .div, .mod: return .unknown
        case .concatenate: return .system("String")
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual, .equivalent, .notEquivalent, .isIn, .contains, .and, .or,
            .xor,
            .implies:
            return .system("Boolean")
        }
    }

    /// The type that a name means, after `as` and `ofType`.
    func named(_ name: TypeName, _ input: StaticType) -> StaticType {
        var types: [StaticType.Element] = []
        if name.namespace != "System" {
            if let primitive = PrimitiveType(name: name.name) {
                types.append(.primitive(primitive))
            } else if let layout = release?.layout(named: name.name) {
                return layout.kind == .abstract ? StaticType(elements: nil, isOrdered: input.isOrdered) : .layout(layout)
            }
        }
        if name.namespace != "FHIR", ItemType.systemTypes.contains(name.name) { types.append(.system(name.name)) }
        return StaticType(elements: types.isEmpty ? nil : types, isOrdered: input.isOrdered)
    }

    // MARK: - Elements

    private func member(_ name: String, of focus: StaticType, isFirst: Bool, _ syntax: Syntax) throws -> StaticType {
        guard let elements = focus.elements else { return .unknown }
        var result: StaticType? = elements.isEmpty ? StaticType(elements: []) : nil
        for element in elements {
            guard let found = self.member(name, of: element, isFirst: isFirst) else { continue }
            result = result.map { $0.union(found) } ?? found
        }
        if let result { return StaticType(elements: result.elements, isOrdered: focus.isOrdered) }
        if isFirst, !options.isStrict, let other = release?.layout(named: name) { return .layout(other) }
        throw error(Self.message(name, elements, release, isFirst: isFirst), syntax)
    }

    private func member(_ name: String, of element: StaticType.Element, isFirst: Bool) -> StaticType? {
        switch element {
        case .layout(let layout):
            if isFirst, layout.isKind(of: name) { return StaticType(elements: [element]) }
            if let slots = layout.slots(ofMember: name, allowsChoiceNames: options.allowsChoiceNames) {
                return slots.map { Self.type(of: layout.elements[$0], release) }.reduce(StaticType(elements: [])) { $0.union($1) }
            }
            // `resource` of an entry, `contained` and the like can be any type that has the element.
            return layout.kind == .abstract ? .unknown : nil
        case .primitive(let type):
            switch name {
            case "id": return .system("String")
            case "extension": return release?.layout(named: "Extension").map { .layout($0) } ?? .unknown
            case "value": return .system(type.systemName)
            default: return nil
            }
        case .system("Quantity"):
            if name == "value" { return .system("Decimal") }
            return name == "unit" || name == "code" ? .system("String") : nil
        case .system("TypeInfo"), .system("Any"): return .system("String")
        case .system: return nil
        }
    }

    private static func type(of element: LayoutElement, _ release: FHIRRelease?) -> StaticType {
        switch element.kind {
        case .primitive: StaticType(elements: element.primitive.map { [.primitive($0)] })
        case .object: StaticType(elements: element.layout.map { [.layout($0)] })
        case .resource: StaticType(elements: release?.layout(named: "Resource").map { [.layout($0)] })
        }
    }

    private static func message(_ name: String, _ elements: [StaticType.Element], _ release: FHIRRelease?, isFirst: Bool) -> String {
        for case .layout(let layout) in elements {
            guard let element = layout.element(named: name), let choice = element.choice else { continue }
            return "a choice element has one name for all its types: write \(choice.name.dropLast(3)).ofType(\(element.typeName))"
        }
        if release?.layout(named: name) != nil { return "the expression begins with the type \(name), and not with \(elements[0].name)" }
        let hint = NearWords.hint(for: name, among: names(in: elements) + (isFirst ? elements.map(\.name) : []))
        return "\(elements.map(\.name).joined(separator: " and ")) has no element '\(name)'\(hint)"
    }

    /// The names of the elements that an expression can use there; a choice element has one.
    private static func names(in types: [StaticType.Element]) -> [String] {
        types.flatMap { type -> [String] in
            guard case .layout(let layout) = type else { return [] }
            return layout.elements.map { $0.choice?.name.replacingBytes("[x]", with: "") ?? $0.name }
        }
    }
}
