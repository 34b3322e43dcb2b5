extension Function {
    /// Collections together, in order, and reduced to a value (FHIRPath 2.0, Combining, Aggregates; sort and coalesce are for trial use).
    static let combining: [String: Function] = [
        "union": Function(1, .inputAndArgument) { call, focus, evaluator in
            var distinct = DistinctItems(focus)
            for item in try call.argument(0, evaluator) { distinct.insert(item) }
            return distinct.items
        },
        "combine": Function(1...2, .inputAndArgument) { call, focus, evaluator in focus + (try call.argument(0, evaluator)) },
        "coalesce": Function(1...Int(Int32.max), .unknown) { call, _, evaluator in
            for number in call.arguments.indices {
                let items = try call.argument(number, evaluator)
                if !items.isEmpty { return items }
            }
            return []
        },
        "aggregate": Function(1...2, .unknown, arguments: .ofItems(0...0)) { call, focus, evaluator in
            let total = evaluator.total
            defer { evaluator.total = total }
            evaluator.total = try call.argument(1, evaluator)
            try call.forEach(focus, evaluator) { _, own in
                evaluator.total = try call.arguments[0].scoped(own, evaluator)
                return true
            }
            return evaluator.total ?? []
        },
        "sort": Function(0...Int(Int32.max), .input, arguments: .sortKeys) { call, focus, evaluator in
            var rows: [(item: Item, keys: [Item?])] = []
            try call.forEach(focus, evaluator) { item, own in
                let keys = call.arguments.isEmpty ? [item.operand] : try call.arguments.map { try $0.operand(own, evaluator) }
                rows.append((item, keys))
                return true
            }
            let descending = call.arguments.isEmpty ? [false] : call.descending
            return try rows.enumerated().sorted { left, right in
                for (place, isDescending) in descending.enumerated() {
                    switch (left.element.keys[place], right.element.keys[place]) {
                    // Nothing comes before everything, in either direction.
                    case (nil, nil): continue
                    case (nil, _): return true
                    case (_, nil): return false
                    case (let first?, let second?):
                        let order = try Item.order(first, second, at: call.position) ?? .same
                        if order != .same { return (order == .before) != isDescending }
                    }
                }
                return left.offset < right.offset
            }.map(\.element.item)
        },
    ]
}
