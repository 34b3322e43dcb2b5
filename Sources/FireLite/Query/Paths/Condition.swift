/// A condition on a resource or element, as `where { }` takes it: made by the operators of paths, combined with `&&`, `||` and `!`.
///
/// Logic has two values. An absent element has no value, so every comparison with it is false, and `a != b`, which is `!(a == b)`, true.
public struct Condition: Sendable {
    package let predicate: Predicate

    package init(_ predicate: Predicate) { self.predicate = predicate }

    /// A condition that always holds, or never does.
    public static func constant(_ value: Bool) -> Condition { Condition(.constant(value)) }

    /// Whether both hold.
    public static func && (left: Condition, right: Condition) -> Condition { Condition(.and([left.predicate, right.predicate])) }

    /// Whether one of them holds, or both.
    public static func || (left: Condition, right: Condition) -> Condition { Condition(.or([left.predicate, right.predicate])) }

    /// Whether the condition does not hold.
    public static prefix func ! (condition: Condition) -> Condition { Condition(.not(condition.predicate)) }
}
