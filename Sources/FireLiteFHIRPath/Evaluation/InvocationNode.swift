/// `a.b`
final class InvocationNode: Node, @unchecked Sendable {
    let left: Node
    let right: Node

    init(_ left: Node, _ right: Node, _ position: Int) {
        self.left = left
        self.right = right
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        try right.evaluate(left.evaluate(focus, evaluator), evaluator)
    }

    override func truth(_ focus: [Item], _ evaluator: Evaluator) throws -> Bool? {
        try right.truth(left.evaluate(focus, evaluator), evaluator)
    }
}
