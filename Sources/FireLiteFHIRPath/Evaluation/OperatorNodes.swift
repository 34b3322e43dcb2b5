/// Two operands and an operator whose result is a truth value.
class TruthNode: Node, @unchecked Sendable {
    let operation: PathOperator
    let left: Node
    let right: Node

    init(_ operation: PathOperator, left: Node, right: Node, position: Int) {
        self.operation = operation
        self.left = left
        self.right = right
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { .truth(try truth(focus, evaluator)) }
}

/// `=`, `!=`, `~` and `!~`
final class EqualityNode: TruthNode, @unchecked Sendable {
    /// The operands of `use = 'official'`, the comparison of an element with a literal.
    private let member: MemberNode?
    private let constant: Item?

    /// The operands of `member = 'text'`; nil for other comparisons.
    var memberAndText: (MemberNode, String)? {
        guard operation == .equal, let member, case .string(let text)? = constant else { return nil }
        return (member, text)
    }

    override init(_ operation: PathOperator, left: Node, right: Node, position: Int) {
        member = left as? MemberNode
        constant = (right as? ConstantNode).flatMap { $0.items.count == 1 ? $0.items[0] : nil }
        super.init(operation, left: left, right: right, position: position)
    }

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

/// `<`, `<=`, `>` and `>=`
final class OrderNode: TruthNode, @unchecked Sendable {
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

/// `and`, `or`, `xor` and `implies`, with three values (FHIRPath 2.0, Boolean logic).
final class LogicNode: TruthNode, @unchecked Sendable {
    override func truth(_ focus: [Item], _ evaluator: Evaluator) throws -> Bool? {
        let first = try left.scopedTruth(focus, evaluator)
        switch (operation, first) {
        case (.and, false?): return false
        case (.or, true?): return true
        case (.implies, false?): return true
        case (.xor, nil): return nil
        default: break
        }
        let second = try right.scopedTruth(focus, evaluator)
        switch operation {
        case .and: return second == false ? false : first == nil || second == nil ? nil : true
        case .or: return second == true ? true : first == nil || second == nil ? nil : false
        case .implies: return second == true ? true : first == nil ? nil : second
        default: return second.map { $0 != first }
        }
    }
}

/// `+a` and `-a`
final class SignNode: Node, @unchecked Sendable {
    let isNegative: Bool
    let value: Node

    init(isNegative: Bool, _ value: Node, _ position: Int) {
        self.isNegative = isNegative
        self.value = value
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        guard let value = try value.operand(focus, evaluator) else { return [] }
        guard value.isNegative != nil else { throw error("a sign needs a number or a quantity") }
        return isNegative ? .optional(value.negated) : [value]
    }
}
