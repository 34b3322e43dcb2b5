/// `and`, `or`, `xor` and `implies`, with three values (FHIRPath 2.0, Boolean logic).
final class LogicNode: Node, @unchecked Sendable {
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
