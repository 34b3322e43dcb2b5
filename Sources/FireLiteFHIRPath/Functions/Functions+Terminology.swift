import FireLiteCore

extension Function {
    /// What needs a terminology, which the context gives (FHIR, FHIRPath, Terminology Service API).
    static let terminology: [String: Function] = [
        "memberOf": Function(1, .boolean) { call, focus, evaluator in
            guard let item = try call.single(focus), let valueSet = try call.text(0, evaluator) else { return [] }
            return .truth(try call.terminology(evaluator).isMember(FHIRPathValue(item), of: valueSet))
        },
        "subsumes": Function(1...4, .unknown) { call, focus, evaluator in
            if case .terminologies? = focus.first { return try call.operation(evaluator) }
            guard let item = try call.single(focus), let other = try call.argument(0, evaluator).first else { return [] }
            return .truth(try call.terminology(evaluator).subsumes(FHIRPathValue(item), FHIRPathValue(other)))
        },
        "subsumedBy": Function(1, .boolean) { call, focus, evaluator in
            guard let item = try call.single(focus), let other = try call.argument(0, evaluator).first else { return [] }
            return .truth(try call.terminology(evaluator).subsumes(FHIRPathValue(other), FHIRPathValue(item)))
        },
        "expand": operation, "lookup": operation, "validateVS": operation, "validateCS": operation, "translate": operation,
    ]

    private static let operation = Function(1...4, .unknown) { call, focus, evaluator in
        guard case .terminologies? = focus.first, focus.count == 1 else {
            throw call.error("'\(call.name)' is a function of %terminologies")
        }
        return try call.operation(evaluator)
    }
}

extension FunctionNode {
    fileprivate func terminology(_ evaluator: Evaluator) throws -> any FHIRPathTerminology {
        guard let terminology = evaluator.context.terminology else { throw error("'\(name)' needs a terminology, which nobody gave") }
        return terminology
    }

    fileprivate func operation(_ evaluator: Evaluator) throws -> [Item] {
        let terminology = try terminology(evaluator)
        let values = try arguments.indices.map { try argument($0, evaluator).map { FHIRPathValue($0) } }
        return .optional(try terminology.perform(name, values).map { .object($0) })
    }
}
