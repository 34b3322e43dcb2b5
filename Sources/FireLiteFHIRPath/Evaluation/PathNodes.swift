/// A literal.
final class ConstantNode: Node, @unchecked Sendable {
    let items: [Item]

    init(_ items: [Item], _ position: Int) {
        self.items = items
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { items }
}

/// `%name`
final class VariableNode: Node, @unchecked Sendable {
    let name: String

    init(_ name: String, _ position: Int) {
        self.name = name
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { try evaluator.variable(name, at: position) }
}

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
