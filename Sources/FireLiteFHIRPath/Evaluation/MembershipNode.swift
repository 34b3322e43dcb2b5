/// `in` and `contains`
final class MembershipNode: Node, @unchecked Sendable {
    let value: Node
    let collection: Node

    init(_ value: Node, in collection: Node, _ position: Int) {
        self.value = value
        self.collection = collection
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { .truth(try truth(focus, evaluator)) }

    override func truth(_ focus: [Item], _ evaluator: Evaluator) throws -> Bool? {
        let wanted = try value.scoped(focus, evaluator)
        guard wanted.count <= 1 else { throw error("expected one value, found \(wanted.count)") }
        let items = try collection.scoped(focus, evaluator)
        guard let item = wanted.first else { return nil }
        return items.contains { Item.areEqual(item, $0) == true }
    }
}
