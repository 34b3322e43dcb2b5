/// `+`, `-`, `*`, `/`, `div`, `mod` and `&`
final class ArithmeticNode: Node, @unchecked Sendable {
    let operation: PathOperator
    let left: Node
    let right: Node

    init(_ operation: PathOperator, left: Node, right: Node, position: Int) {
        self.operation = operation
        self.left = left
        self.right = right
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        let first = try left.operand(focus, evaluator)
        let second = try right.operand(focus, evaluator)
        if operation == .concatenate { return try concatenate(first, second, evaluator) }
        guard let first, let second else { return [] }
        switch (first, second) {
        case (.integer(let one), .integer(let two)): return .optional(try integers(one, two, range: Int64(Int32.min)...Int64(Int32.max)))
        case (.integer(let one), .long(let two)), (.long(let one), .integer(let two)), (.long(let one), .long(let two)):
            return .optional(try integers(one, two, range: nil))
        case (.string(let one), .string(let two)):
            guard operation == .add else { throw mismatch }
            return try joined(one, two, evaluator)
        case (.temporal(let time), .quantity(let quantity)): return try add(quantity, to: time)
        case (.quantity(let one), .quantity(let two)): return .optional(try quantities(one, two).map { .quantity($0) })
        case (.quantity(let one), _):
            guard let number = second.number else { throw mismatch }
            return .optional(try quantities(one, PathQuantity(value: number, unit: .code("1"))).map { .quantity($0) })
        case (_, .quantity(let two)):
            guard let number = first.number else { throw mismatch }
            return .optional(try quantities(PathQuantity(value: number, unit: .code("1")), two).map { .quantity($0) })
        default:
            guard let one = first.number, let two = second.number else { throw mismatch }
            return .optional(try decimals(one, two))
        }
    }

    private var mismatch: FHIRPathError { error("'\(operation.rawValue)' cannot be applied to values of these types") }

    private func joined(_ one: String, _ two: String, _ evaluator: Evaluator) throws -> [Item] {
        let length = one.utf8.count + two.utf8.count
        if length > Evaluator.maximumText { throw FHIRPathError(.limit, "the text is too long", at: position) }
        let result: [Item] = [.string(one + two)]
        try evaluator.count(Evaluator.steps(ofTexts: result), at: position)
        return result
    }

    private func concatenate(_ first: Item?, _ second: Item?, _ evaluator: Evaluator) throws -> [Item] {
        func text(_ item: Item?) throws -> String {
            guard let item else { return "" }
            guard case .string(let text) = item else { throw mismatch }
            return text
        }
        return try joined(try text(first), try text(second), evaluator)
    }

    /// An overflow, like a division by zero, gives nothing.
    private func integers(_ one: Int64, _ two: Int64, range: ClosedRange<Int64>?) throws -> Item? {
        let result: (partialValue: Int64, overflow: Bool)
        switch operation {
        case .add: result = one.addingReportingOverflow(two)
        case .subtract: result = one.subtractingReportingOverflow(two)
        case .multiply: result = one.multipliedReportingOverflow(by: two)
        case .div: result = one.dividedReportingOverflow(by: two)
        case .mod: result = one.remainderReportingOverflow(dividingBy: two)
        default: return try decimals(PathDecimal(one), PathDecimal(two))
        }
        if result.overflow { return nil }
        guard let range else { return .long(result.partialValue) }
        return range.contains(result.partialValue) ? .integer(result.partialValue) : nil
    }

    private func decimals(_ one: PathDecimal, _ two: PathDecimal) throws -> Item? {
        switch operation {
        case .add: return one.adding(two).map { .decimal($0) }
        case .subtract: return one.subtracting(two).map { .decimal($0) }
        case .multiply: return one.multiplied(by: two).map { .decimal($0) }
        case .divide: return one.divided(by: two).map { .decimal($0) }
        case .mod: return one.remainder(by: two).map { .decimal($0) }
        default:
            guard let whole = one.wholeQuotient(by: two)?.integer else { return nil }
            return Int32(exactly: whole) == nil ? .long(whole) : .integer(whole)
        }
    }

    private func quantities(_ one: PathQuantity, _ two: PathQuantity) throws -> PathQuantity? {
        switch operation {
        case .add: return one.adding(two, isNegative: false)
        case .subtract: return one.adding(two, isNegative: true)
        case .multiply: return one.multiplied(by: two)
        case .divide: return one.divided(by: two)
        default: throw mismatch
        }
    }

    private func add(_ quantity: PathQuantity, to time: PathTemporal) throws -> [Item] {
        guard operation == .add || operation == .subtract else { throw mismatch }
        switch time.adding(quantity, isNegative: operation == .subtract) {
        case .value(let value): return [.temporal(value)]
        case .outOfRange: return []
        case .notADuration: throw error("the quantity is no duration that can be added to a date or time")
        }
    }
}
