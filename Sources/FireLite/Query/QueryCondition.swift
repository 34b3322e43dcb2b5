/// A condition on a resource or element for `where { }`: created by the operators of paths, combined with `&&`, `||` and `!`.
///
/// Logic has two values. An absent element has no value, so every comparison with it is false, and `a != b`, which is `!(a == b)`, true.
public struct QueryCondition: Sendable {
    package let predicate: Predicate

    package init(_ predicate: Predicate) { self.predicate = predicate }

    /// A condition that is always true, or always false.
    public static func constant(_ value: Bool) -> QueryCondition { QueryCondition(.constant(value)) }

    /// Whether both are true.
    public static func && (left: QueryCondition, right: QueryCondition) -> QueryCondition {
        QueryCondition(left.predicate.conjoined(with: right.predicate))
    }

    /// Whether at least one is true.
    public static func || (left: QueryCondition, right: QueryCondition) -> QueryCondition {
        QueryCondition(left.predicate.disjoined(with: right.predicate))
    }

    /// Whether the condition is false.
    public static prefix func ! (condition: QueryCondition) -> QueryCondition { QueryCondition(.not(condition.predicate)) }
}
