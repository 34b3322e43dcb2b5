/// `|`
final class UnionNode: Node, @unchecked Sendable {
    let left: Node
    let right: Node

    init(_ left: Node, _ right: Node, _ position: Int) {
        self.left = left
        self.right = right
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        let first = try left.scoped(focus, evaluator)
        let second = try right.scoped(focus, evaluator)
        try evaluator.count(first.count + second.count, at: position)
        if first.isEmpty, second.count <= 1 { return second }
        if second.isEmpty, first.count <= 1 { return first }
        var distinct = DistinctItems()
        for item in first { distinct.insert(item) }
        for item in second { distinct.insert(item) }
        return distinct.items
    }
}
