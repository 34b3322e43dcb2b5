/// `=`, `!=`, `~` and `!~`
final class EqualityNode: Node, @unchecked Sendable {
    let operation: PathOperator
    let left: Node
    let right: Node
    /// The operands of `use = 'official'`, the comparison of an element with a literal.
    private let member: MemberNode?
    private let constant: Item?

    init(_ operation: PathOperator, _ left: Node, _ right: Node, _ position: Int) {
        self.operation = operation
        self.left = left
        self.right = right
        member = left as? MemberNode
        constant = (right as? ConstantNode).flatMap { $0.items.count == 1 ? $0.items[0] : nil }
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { .truth(try truth(focus, evaluator)) }

    override func truth(_ focus: [Item], _ evaluator: Evaluator) throws -> Bool? {
        if operation == .equal, let member, let constant, focus.count == 1, case .object(let object) = focus[0],
            let value = member.plainValue(of: object, evaluator)
        {
            return Item.areEqual(value, constant)
        }
        let first = try left.scoped(focus, evaluator)
        let second = try right.scoped(focus, evaluator)
        switch operation {
        case .equal: return first.count == 1 && second.count == 1 ? Item.areEqual(first[0], second[0]) : Item.areEqual(first, second)
        case .notEqual: return Item.areEqual(first, second).map { !$0 }
        case .equivalent: return Item.areEquivalent(first, second)
        default: return !Item.areEquivalent(first, second)
        }
    }
}
