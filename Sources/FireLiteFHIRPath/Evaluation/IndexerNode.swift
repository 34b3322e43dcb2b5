/// `a[0]`
final class IndexerNode: Node, @unchecked Sendable {
    let left: Node
    let place: Node

    init(_ left: Node, _ place: Node, _ position: Int) {
        self.left = left
        self.place = place
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        let items = try left.evaluate(focus, evaluator)
        guard let place = try place.operand(evaluator.this, evaluator) else { return [] }
        guard case .integer(let number) = place else { throw error("an index is an integer") }
        return number >= 0 && number < items.count ? [items[Int(number)]] : []
    }
}
