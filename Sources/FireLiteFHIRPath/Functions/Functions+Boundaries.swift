extension Function {
    /// Precision and the bounds of what is known to a precision (for trial use in FHIRPath 2.0).
    static let boundaries: [String: Function] = [
        "precision": Function(0, .integer) { call, focus, _ in
            switch try call.single(focus)?.operand {
            case .decimal(let value)?: return [.integer(Int64(value.scale))]
            case .integer?, .long?: return [.integer(0)]
            case .temporal(let value)?: return [.integer(Int64(value.digits))]
            case nil: return []
            default: throw call.error("'precision' needs a decimal, date, dateTime or time")
            }
        },
        "lowBoundary": Function(0...1, .unknown, sql: .lowBoundary) { call, focus, evaluator in
            try call.boundary(focus, evaluator, isHigh: false)
        },
        "highBoundary": Function(0...1, .unknown, sql: .highBoundary) { call, focus, evaluator in
            try call.boundary(focus, evaluator, isHigh: true)
        },
        "comparable": Function(1, .boolean) { call, focus, evaluator in
            guard let item = try call.single(focus)?.operand, let other = try call.value(0, evaluator) else { return [] }
            guard case .quantity(let first) = item, case .quantity(let second) = other else {
                throw call.error("'comparable' needs quantities")
            }
            return .truth(first.isComparable(to: second))
        },
    ]
}

extension FunctionNode {
    fileprivate func boundary(_ focus: [Item], _ evaluator: Evaluator, isHigh: Bool) throws -> [Item] {
        guard let value = try single(focus)?.operand else { return [] }
        let wanted = try integer(0, evaluator)
        if arguments.count == 1, wanted == nil { return [] }
        let digits = wanted.map { Int(clamping: $0) }
        switch value {
        case .temporal(let time): return .optional(time.boundary(isHigh: isHigh, digits: digits).map { .temporal($0) })
        case .quantity(let quantity):
            return .optional(quantity.value.boundary(isHigh, digits).map { .quantity(PathQuantity(value: $0, unit: quantity.unit)) })
        default:
            guard let number = value.number else { throw error("'\(name)' needs a number, quantity, date, dateTime or time") }
            return .optional(number.boundary(isHigh, digits).map { .decimal($0) })
        }
    }
}

extension PathDecimal {
    /// The digits after the point that a boundary has unless asked for others.
    private static let boundaryDigits = 8

    fileprivate func boundary(_ isHigh: Bool, _ digits: Int?) -> PathDecimal? {
        let digits = digits ?? Self.boundaryDigits
        return isHigh ? highBoundary(digits: digits) : lowBoundary(digits: digits)
    }
}
