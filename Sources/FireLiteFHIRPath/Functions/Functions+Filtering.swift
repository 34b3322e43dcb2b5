extension Function {
    /// What keeping an item counts where a function can make any number of them: its memory is bounded with the steps.
    private static let stepsOfKeptItem = 16

    /// Parts of collections (FHIRPath 2.0, Filtering and projection, Subsetting).
    static let filtering: [String: Function] = [
        "where": Function(1, .input, arguments: .ofItems(0...0), sql: .filter) { call, focus, evaluator in
            var result: [Item] = []
            let criteria = call.arguments[0]
            try call.forEach(focus, evaluator) { item, own in
                if try criteria.scopedTruth(own, evaluator) == true { result.append(item) }
                return true
            }
            return result
        },
        "select": Function(1, .argument(0), arguments: .ofItems(0...0)) { call, focus, evaluator in
            var result: [Item] = []
            try call.forEach(focus, evaluator) { _, own in
                result += try call.arguments[0].scoped(own, evaluator)
                return true
            }
            return result
        },
        "repeat": Function(1, .unknown, arguments: .step) { call, focus, evaluator in
            var found = DistinctItems()
            var waiting = focus
            while !waiting.isEmpty {
                var next: [Item] = []
                try call.forEach(waiting, evaluator) { _, own in
                    for item in try call.arguments[0].scoped(own, evaluator) {
                        let compared = found.comparisons
                        if found.insert(item) {
                            next.append(item)
                            try evaluator.count(Self.stepsOfKeptItem, at: call.position)
                        }
                        try evaluator.count(found.comparisons - compared, at: call.position)
                    }
                    return true
                }
                waiting = next
            }
            return found.items
        },
        "repeatAll": Function(1, .unknown, arguments: .step) { call, focus, evaluator in
            var found: [Item] = []
            var waiting = focus
            while !waiting.isEmpty {
                var next: [Item] = []
                try call.forEach(waiting, evaluator) { _, own in
                    next += try call.arguments[0].scoped(own, evaluator)
                    return true
                }
                try evaluator.count(next.count * Self.stepsOfKeptItem, at: call.position)
                found += next
                waiting = next
            }
            return found
        },
        "single": Function(0, .input) { call, focus, _ in .optional(try call.single(focus)) },
        "first": Function(0, .input, needsOrder: true, sql: .first) { _, focus, _ in focus.count == 1 ? focus : .optional(focus.first) },
        "last": Function(0, .input, needsOrder: true) { _, focus, _ in focus.count == 1 ? focus : .optional(focus.last) },
        "tail": Function(0, .input, needsOrder: true) { _, focus, _ in Array(focus.dropFirst()) },
        "skip": Function(1, .input, needsOrder: true) { call, focus, evaluator in
            guard let number = try call.integer(0, evaluator) else { return [] }
            return number <= 0 ? focus : Array(focus.dropFirst(Int(clamping: number)))
        },
        "take": Function(1, .input, needsOrder: true) { call, focus, evaluator in
            guard let number = try call.integer(0, evaluator) else { return [] }
            return number <= 0 ? [] : Array(focus.prefix(Int(clamping: number)))
        },
        "intersect": Function(1, .input) { call, focus, evaluator in
            let other = try DistinctItems(call.argument(0, evaluator))
            return DistinctItems(focus.filter { other.contains($0) }).items
        },
        "exclude": Function(1, .input) { call, focus, evaluator in
            let other = try DistinctItems(call.argument(0, evaluator))
            return focus.filter { !other.contains($0) }
        },
    ]
}
