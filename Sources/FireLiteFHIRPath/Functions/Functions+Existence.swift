extension Function {
    /// Whether collections have something (FHIRPath 2.0, Existence).
    static let existence: [String: Function] = [
        "empty": Function(0, .boolean, sql: .empty) { _, focus, _ in focus.isEmpty ? .yes : .no },
        "not": Function(0, .boolean, sql: .not) { call, focus, _ in
            guard let item = try call.single(focus) else { return [] }
            if case .boolean(let value)? = item.system { return value ? .no : .yes }
            // One value that is not Boolean counts as true.
            return .no
        },
        "exists": Function(0...1, .boolean, arguments: .ofItems(0...0), sql: .exists) { call, focus, evaluator in
            guard let criteria = call.arguments.first else { return focus.isEmpty ? .no : .yes }
            var isFound = false
            try call.forEach(focus, evaluator) { _, own in
                isFound = try criteria.scopedTruth(own, evaluator) == true
                return !isFound
            }
            return isFound ? .yes : .no
        },
        "all": Function(1, .boolean, arguments: .ofItems(0...0)) { call, focus, evaluator in
            var isTrue = true
            try call.forEach(focus, evaluator) { _, own in
                isTrue = try call.arguments[0].scopedTruth(own, evaluator) == true
                return isTrue
            }
            return isTrue ? .yes : .no
        },
        "allTrue": Function(0, .boolean) { call, focus, _ in .truth(try call.booleans(focus).allSatisfy { $0 }) },
        "anyTrue": Function(0, .boolean) { call, focus, _ in .truth(try call.booleans(focus).contains(true)) },
        "allFalse": Function(0, .boolean) { call, focus, _ in .truth(try call.booleans(focus).allSatisfy { !$0 }) },
        "anyFalse": Function(0, .boolean) { call, focus, _ in .truth(try call.booleans(focus).contains(false)) },
        "subsetOf": Function(1, .boolean) { call, focus, evaluator in
            let other = try DistinctItems(call.argument(0, evaluator))
            return .truth(focus.allSatisfy { other.contains($0) })
        },
        "supersetOf": Function(1, .boolean) { call, focus, evaluator in
            let own = DistinctItems(focus)
            return .truth(try call.argument(0, evaluator).allSatisfy { own.contains($0) })
        },
        "count": Function(0, .integer, sql: .count) { _, focus, _ in [.integer(Int64(focus.count))] },
        "distinct": Function(0, .input) { _, focus, _ in focus.count < 2 ? focus : DistinctItems(focus).items },
        "isDistinct": Function(0, .boolean) { _, focus, _ in
            var distinct = DistinctItems()
            return .truth(focus.allSatisfy { distinct.insert($0) })
        },
    ]
}

extension DistinctItems {
    init(_ items: [Item]) {
        for item in items { insert(item) }
    }
}

extension FunctionNode {
    /// The truth values of a collection.
    fileprivate func booleans(_ focus: [Item]) throws -> [Bool] {
        try focus.map {
            guard case .boolean(let value)? = $0.system else { throw error("'\(name)' needs Boolean values") }
            return value
        }
    }
}
