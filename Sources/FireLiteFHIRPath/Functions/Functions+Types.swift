extension Function {
    /// Types of values (FHIRPath 2.0, Types and Reflection).
    static let types: [String: Function] = [
        "is": Function(1, .boolean, arguments: .type, sql: .typeTest) { call, focus, evaluator in
            guard let type = call.type else { return [] }
            return .truth(try evaluator.isType(focus, type, at: call.position))
        },
        "as": Function(1, .typed, arguments: .type, sql: .cast) { call, focus, evaluator in
            guard let type = call.type else { return [] }
            return try evaluator.cast(focus, to: type, at: call.position)
        },
        "ofType": Function(1, .typed, arguments: .type, sql: .ofType) { call, focus, evaluator in
            guard let type = call.type else { return [] }
            return try evaluator.filter(focus, ofType: type, at: call.position)
        },
        "type": Function(0, .unknown) { _, focus, _ in focus.compactMap { $0.typeName.map { .type($0) } } },
    ]
}
