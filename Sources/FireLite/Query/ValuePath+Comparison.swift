import FireLiteCore

extension ValueTest {
    init(_ comparison: Comparison, _ operand: QueryOperandValue, overlapping: Bool = false) {
        switch operand.form {
        case .plain(let value): self = .compare(comparison, value)
        case .date(let bounds): self = .date(comparison, bounds, overlapping: overlapping)
        }
    }

    init(oneOf operands: [QueryOperandValue]) {
        var values: [SQLValue] = []
        var dates: [DateBounds] = []
        for operand in operands {
            switch operand.form {
            case .plain(let value): values.append(value)
            case .date(let bounds): dates.append(bounds)
            }
        }
        self = dates.isEmpty ? .oneOf(values) : .dateOneOf(dates)
    }
}

extension QueryValuePath where Value: QueryValue {
    private func compare(_ comparison: Comparison, _ operand: some QueryOperand) -> QueryCondition {
        QueryCondition(.value(path, ValueTest(comparison, operand._operand)))
    }

    /// Whether some value at the path equals the operand. Texts are equal if their UTF-8 bytes are; a stored date equals one that contains it.
    public static func == (path: Self, value: Value.Operand) -> QueryCondition { path.compare(.equal, value) }
    /// Whether some value at the path equals a value of another type, such as `Date`.
    public static func == <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.compare(.equal, value._queryOperand) }

    /// Whether no value at the path equals the operand: the opposite of `==`, so true if there is no value.
    public static func != (path: Self, value: Value.Operand) -> QueryCondition { !path.compare(.equal, value) }
    /// Whether no value at the path equals a value of another type, such as `Date`.
    public static func != <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { !path.compare(.equal, value._queryOperand) }

    /// Whether some value at the path is less; a stored date is if it ends before the operand begins.
    public static func < (path: Self, value: Value.Operand) -> QueryCondition { path.compare(.less, value) }
    /// Whether some value at the path is less than a value of another type, such as `Date`.
    public static func < <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.compare(.less, value._queryOperand) }

    /// Whether some value at the path is less or equal; a stored date is if it ends no later than the operand.
    public static func <= (path: Self, value: Value.Operand) -> QueryCondition { path.compare(.lessOrEqual, value) }
    /// Whether some value at the path is less than or equal to a value of another type, such as `Date`.
    public static func <= <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.compare(.lessOrEqual, value._queryOperand) }

    /// Whether some value at the path is greater; a stored date is if it begins after the operand has ended.
    public static func > (path: Self, value: Value.Operand) -> QueryCondition { path.compare(.greater, value) }
    /// Whether some value at the path is greater than a value of another type, such as `Date`.
    public static func > <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.compare(.greater, value._queryOperand) }

    /// Whether some value at the path is greater or equal; a stored date is if it begins no earlier than the operand.
    public static func >= (path: Self, value: Value.Operand) -> QueryCondition { path.compare(.greaterOrEqual, value) }
    /// Whether some value at the path is greater than or equal to a value of another type, such as `Date`.
    public static func >= <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.compare(.greaterOrEqual, value._queryOperand) }

    /// Whether some value at the path equals one of any number of values.
    public func `in`(_ values: some Sequence<Value.Operand>) -> QueryCondition {
        QueryCondition(.value(path, ValueTest(oneOf: values.map(\._operand))))
    }
    /// Whether some value at the path equals one of any number of values of another type, such as `Date`.
    public func `in`<Operand: QueryOperandConvertible>(_ values: some Sequence<Operand>) -> QueryCondition
    where Operand.Operand == Value.Operand {
        QueryCondition(.value(path, ValueTest(oneOf: values.map(\._queryOperand._operand))))
    }

    /// Whether some value at the path is in the range. Texts compare by their UTF-8 bytes, dates like `>=` and `<=`.
    public func between(_ lower: Value.Operand, _ upper: Value.Operand) -> QueryCondition {
        any { $0 >= lower && $0 <= upper }
    }
}

extension QueryValuePath where Value: QueryValue & QueryOperandConvertible & Comparable {
    /// Whether some value at the path is in the range, including both ends.
    public func `in`(_ range: ClosedRange<Value>) -> QueryCondition {
        any { path in
            QueryCondition(.value(path.path, ValueTest(.greaterOrEqual, range.lowerBound._queryOperand._operand)))
                && QueryCondition(.value(path.path, ValueTest(.lessOrEqual, range.upperBound._queryOperand._operand)))
        }
    }

    /// Whether some value at the path is in the range, excluding its upper end.
    public func `in`(_ range: Range<Value>) -> QueryCondition {
        any { path in
            QueryCondition(.value(path.path, ValueTest(.greaterOrEqual, range.lowerBound._queryOperand._operand)))
                && QueryCondition(.value(path.path, ValueTest(.less, range.upperBound._queryOperand._operand)))
        }
    }
}

extension QueryValuePath where Value: FHIRCode {
    /// Whether some code at the path is this one.
    public static func == (path: Self, value: Value) -> QueryCondition {
        QueryCondition(.value(path.path, .compare(.equal, .text(value.rawValue))))
    }

    /// Whether no code at the path is this one: the opposite of `==`, so true if there is none.
    public static func != (path: Self, value: Value) -> QueryCondition { !(path == value) }

    /// Whether some code at the path is one of these.
    public func `in`(_ values: some Sequence<Value>) -> QueryCondition {
        QueryCondition(.value(path, .oneOf(values.map { .text($0.rawValue) })))
    }
}
