import FireLiteCore

extension Checker {
    mutating func function(_ name: String, _ arguments: [Syntax], on focus: StaticType, _ syntax: Syntax) throws -> StaticType {
        guard let function = Function.named(name) else { throw error(Function.unknown(name), syntax) }
        if function.needsOrder { try checkOrder(of: focus, name, syntax) }
        if case .typed = function.result { return arguments.first?.typeName.map { named($0, focus) } ?? .unknown }
        var types: [StaticType] = []
        switch function.arguments {
        case .type, .optionalType: break
        case let form:
            for (number, argument) in arguments.enumerated() {
                let isProjection = form.projected?.contains(number) ?? false
                types.append(isProjection ? try projected(argument, on: focus) : try scoped(argument, on: this))
            }
        }
        switch function.arguments {
        case .variable: try define(arguments, types.count > 1 ? types[1] : focus, syntax)
        case .branches: try checkCriterion(types[0], arguments[0])
        case .step: return repeated(arguments[0], types[0])
        default: break
        }
        return try result(of: name, function.result, focus: focus, arguments: types, syntax: syntax)
    }

    private mutating func projected(_ argument: Syntax, on focus: StaticType) throws -> StaticType {
        let outer = this
        defer { this = outer }
        this = focus
        return try scoped(argument, on: focus)
    }

    /// The types that are found by repeating a step until nothing new comes; unknown as soon as the step does not fit one of them.
    private mutating func repeated(_ step: Syntax, _ first: StaticType) -> StaticType {
        var all = first
        for _ in 0..<8 {
            guard let elements = all.elements, let next = try? projected(step, on: all), let more = next.elements else { return .unknown }
            let merged = all.union(StaticType(elements: more, isOrdered: next.isOrdered))
            if merged.elements?.count == elements.count { return merged }
            all = merged
        }
        return .unknown
    }

    private mutating func define(_ arguments: [Syntax], _ type: StaticType, _ syntax: Syntax) throws {
        guard case .string(let name)? = arguments.first?.form else { return }
        if Evaluator.isBuiltIn(name) || variables.contains(where: { $0.name == name }) {
            throw error("the variable %\(name) is defined already", syntax)
        }
        variables.append((name, type))
    }

    private func checkCriterion(_ type: StaticType, _ syntax: Syntax) throws {
        let isWrong = type.isSurely { if case .system(let name) = $0 { name != "Boolean" && name != "Any" } else { false } }
        if isWrong { throw error("the criterion is Boolean", syntax) }
    }

    private func result(
        of name: String, _ rule: ResultRule, focus: StaticType, arguments: [StaticType], syntax: Syntax
    ) throws -> StaticType {
        switch rule {
        case .boolean: return .system("Boolean")
        case .integer: return .system("Integer")
        case .decimal: return .system("Decimal")
        case .string: return .system("String")
        case .date: return .system("Date")
        case .dateTime: return .system("DateTime")
        case .time: return .system("Time")
        case .quantity: return .system("Quantity")
        case .ofString(let inner):
            if focus.isSurely(\.isComplex) {
                throw error("'\(name)' is a function of strings, and not of \(focus.elements?.first?.name ?? "objects")", syntax)
            }
            return try result(of: name, inner, focus: focus, arguments: arguments, syntax: syntax)
        case .input: return focus
        case .argument(let number): return number < arguments.count ? arguments[number] : .unknown
        case .inputAndArgument: return arguments.first.map { focus.union($0) } ?? focus
        case .alternatives: return arguments.dropFirst().reduce(StaticType(elements: [])) { $0.union($1) }
        case .fhir(let type): return release?.layout(named: type).map { .layout($0) } ?? .unknown
        case .unordered: return StaticType(elements: nil, isOrdered: false)
        case .typed, .unknown: return .unknown
        }
    }
}

extension Evaluator {
    /// Checks the expression for the class of the input, unless that was the last one checked.
    func check(_ syntax: Syntax) throws {
        if case .object(let object)? = input.first, input.count == 1 {
            if checked == object.layoutTable, context.variables.isEmpty { return }
            try Checker.check(
                syntax, on: .layout(object.layout), release: release, options: options, variables: Set(context.variables.keys))
            checked = object.layoutTable
            return
        }
        var root = StaticType(elements: input.isEmpty ? nil : [])
        for item in input { root = root.union(StaticType(elements: item.staticElement.map { [$0] })) }
        try Checker.check(syntax, on: root, release: release, options: options, variables: Set(context.variables.keys))
    }
}
