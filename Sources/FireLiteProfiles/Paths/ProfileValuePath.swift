import FireLite
import FireLiteCore

/// The path of a query to primitives below a profile's view.
public struct ProfileValuePath<Value>: Sendable {
    let scope: PathScope

    init(_ scope: PathScope) { self.scope = scope }

    /// Whether some value at the path meets the condition, which may combine several on the same value.
    public func any(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition {
        scope.condition(condition(ValuePath(scope.path)).predicate)
    }

    /// Whether no value at the path meets the condition; true if there is none.
    public func none(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition { !any(condition) }
}

extension ProfileValuePath where Value: QueryValue {
    /// Whether some value at the path equals the operand, as in queries without a profile.
    public static func == (path: Self, value: Value.Operand) -> QueryCondition { path.any { $0 == value } }
    /// Whether some value at the path equals the operand.
    public static func == <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.any { $0 == value } }

    /// Whether no value at the path equals the operand: the opposite of `==`, so true if there is no value.
    public static func != (path: Self, value: Value.Operand) -> QueryCondition { !(path == value) }
    /// Whether no value at the path equals the operand: the opposite of `==`, so true if there is no value.
    public static func != <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { !(path == value) }

    /// Whether some value at the path is less.
    public static func < (path: Self, value: Value.Operand) -> QueryCondition { path.any { $0 < value } }
    /// Whether some value at the path is less.
    public static func < <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.any { $0 < value } }

    /// Whether some value at the path is less or equal.
    public static func <= (path: Self, value: Value.Operand) -> QueryCondition { path.any { $0 <= value } }
    /// Whether some value at the path is less or equal.
    public static func <= <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.any { $0 <= value } }

    /// Whether some value at the path is greater.
    public static func > (path: Self, value: Value.Operand) -> QueryCondition { path.any { $0 > value } }
    /// Whether some value at the path is greater.
    public static func > <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.any { $0 > value } }

    /// Whether some value at the path is greater or equal.
    public static func >= (path: Self, value: Value.Operand) -> QueryCondition { path.any { $0 >= value } }
    /// Whether some value at the path is greater or equal.
    public static func >= <Operand: QueryOperandConvertible>(path: Self, value: Operand) -> QueryCondition
    where Operand.Operand == Value.Operand { path.any { $0 >= value } }

    /// Whether some value at the path equals one of any number of values.
    public func `in`(_ values: some Sequence<Value.Operand>) -> QueryCondition { any { $0.in(values) } }
}

extension ProfileValuePath where Value: FHIRCode {
    /// Whether some code at the path is this one.
    public static func == (path: Self, value: Value) -> QueryCondition { path.any { $0 == value } }

    /// Whether no code at the path is this one: the opposite of `==`, so true if there is none.
    public static func != (path: Self, value: Value) -> QueryCondition { !(path == value) }

    /// Whether some code at the path is one of these.
    public func `in`(_ values: some Sequence<Value>) -> QueryCondition { any { $0.in(values) } }
}
