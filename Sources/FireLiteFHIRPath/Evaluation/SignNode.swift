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
        switch value {
        case .integer(let number): return [.integer(isNegative ? -number : number)]
        case .long(let number):
            let (negative, isOverflow) = number.multipliedReportingOverflow(by: -1)
            return isNegative ? (isOverflow ? [] : [.long(negative)]) : [value]
        case .decimal(let number): return [.decimal(isNegative ? number.negated : number)]
        case .quantity(let quantity):
            return [.quantity(isNegative ? PathQuantity(value: quantity.value.negated, unit: quantity.unit) : quantity)]
        default: throw error("a sign needs a number or a quantity")
        }
    }
}
