/// A literal.
final class ConstantNode: Node, @unchecked Sendable {
    let items: [Item]

    init(_ items: [Item], _ position: Int) {
        self.items = items
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { items }
}
