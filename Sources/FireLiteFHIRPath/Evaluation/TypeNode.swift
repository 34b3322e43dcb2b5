/// `a is T` and `a as T`
final class TypeNode: Node, @unchecked Sendable {
    let isAs: Bool
    let value: Node
    let type: TypeName

    init(isAs: Bool, _ value: Node, _ type: TypeName, _ position: Int) {
        self.isAs = isAs
        self.value = value
        self.type = type
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        let items = try value.scoped(focus, evaluator)
        return isAs ? try evaluator.cast(items, to: type, at: position) : .truth(try evaluator.isType(items, type, at: position))
    }
}
