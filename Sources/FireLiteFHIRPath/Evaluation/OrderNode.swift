/// `<`, `<=`, `>` and `>=`
final class OrderNode: Node, @unchecked Sendable {
    let operation: PathOperator
    let left: Node
    let right: Node

    init(_ operation: PathOperator, _ left: Node, _ right: Node, _ position: Int) {
        self.operation = operation
        self.left = left
        self.right = right
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { .truth(try truth(focus, evaluator)) }

    override func truth(_ focus: [Item], _ evaluator: Evaluator) throws -> Bool? {
        let left = try left.operand(focus, evaluator)
        let right = try right.operand(focus, evaluator)
        guard let left, let right else { return nil }
        guard let order = try Item.order(left, right, at: position) else { return nil }
        switch operation {
        case .less: return order == .before
        case .lessOrEqual: return order != .after
        case .greater: return order == .after
        default: return order != .before
        }
    }
}
