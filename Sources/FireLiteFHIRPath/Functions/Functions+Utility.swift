extension Function {
    /// Conditions, traces and variables (FHIRPath 2.0, Utility functions; defineVariable is for trial use).
    static let utility: [String: Function] = [
        "iif": Function(2...3, .alternatives, arguments: .branches) { call, focus, evaluator in
            guard focus.count <= 1 else { throw call.error("'iif' needs at most one value, found \(focus.count)") }
            let this = evaluator.this
            defer { evaluator.this = this }
            evaluator.this = focus
            let isTrue = try call.arguments[0].scopedTruth(focus, evaluator) == true
            if isTrue { return try call.arguments[1].scoped(focus, evaluator) }
            return call.arguments.count == 3 ? try call.arguments[2].scoped(focus, evaluator) : []
        },
        "trace": Function(1...2, .input, arguments: .ofItems(1...1)) { call, focus, evaluator in
            guard let trace = evaluator.context.trace else { return focus }
            let name = try call.text(0, evaluator) ?? ""
            var shown = focus
            if call.arguments.count == 2 {
                shown = []
                try call.forEach(focus, evaluator) { _, own in
                    shown += try call.arguments[1].scoped(own, evaluator)
                    return true
                }
            }
            trace(name, shown.map { FHIRPathValue($0) })
            return focus
        },
        "defineVariable": Function(1...2, .input, arguments: .variable) { call, focus, evaluator in
            guard let name = try call.text(0, evaluator) else { throw call.error("'defineVariable' needs a name") }
            guard !Evaluator.isBuiltIn(name), evaluator.context.variables[name] == nil,
                !evaluator.variables.contains(where: { $0.name == name })
            else { throw call.error("the variable %\(name) is defined already") }
            var items = focus
            if call.arguments.count == 2 {
                let this = evaluator.this
                defer { evaluator.this = this }
                evaluator.this = focus
                items = try call.arguments[1].scoped(focus, evaluator)
            }
            evaluator.variables.append((name, items))
            return focus
        },
    ]
}
