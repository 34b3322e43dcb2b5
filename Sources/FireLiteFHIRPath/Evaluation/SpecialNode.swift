/// `$this`, `$index` and `$total`.
final class SpecialNode: Node, @unchecked Sendable {
    enum Kind {
        case this, index, total
    }

    let kind: Kind

    init(_ kind: Kind, _ position: Int) {
        self.kind = kind
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        switch kind {
        case .this: return evaluator.this
        case .index:
            guard let index = evaluator.index else { throw error("$index is known within the arguments of functions like select only") }
            return [.integer(index)]
        case .total:
            guard let total = evaluator.total else { throw error("$total is known within the arguments of aggregate only") }
            return total
        }
    }
}
