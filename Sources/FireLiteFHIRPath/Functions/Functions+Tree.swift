extension Function {
    /// What is below items (FHIRPath 2.0, Tree navigation).
    static let tree: [String: Function] = [
        "children": Function(0, .unordered) { _, focus, _ in
            var result: [Item] = []
            for item in focus { item.children?.appendChildren(to: &result) }
            return result
        },
        "descendants": Function(0, .unordered) { call, focus, evaluator in
            var result: [Item] = []
            var level = focus
            while !level.isEmpty {
                var next: [Item] = []
                for item in level { item.children?.appendChildren(to: &next) }
                try evaluator.count(next.count, at: call.position)
                result += next
                level = next
            }
            return result
        },
    ]
}
