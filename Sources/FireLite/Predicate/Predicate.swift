import FireLiteCore

/// A condition on a resource or element, independent of Swift types and of SQL. The typed operators and `firelite find` create it, and the
/// compiler translates it.
///
/// Logic has two values: an absent element equals nothing, so `a == b` is false and `a != b`, which is `!(a == b)`, is true.
package indirect enum Predicate: Sendable {
    case constant(Bool)
    /// Some value at the path passes the test.
    case value(QueryPath, ValueTest)
    /// The least or greatest value of the `SampledData` at the path compares so with a number.
    case sampled(QueryPath, SampledBound, Comparison, Double)
    /// There is a value or element at the path.
    case exists(QueryPath)
    /// Some element or value at the path, on its own, meets the predicate.
    case any(QueryPath, Predicate)
    /// The number of elements or values at the path.
    case count(QueryPath, Comparison, Int)
    /// The Reference at the path leads where one of the texts does: without a version in the text, with any or none.
    case refers(QueryPath, [String])
    /// The Reference at the path points to a stored resource of the type that meets the predicate.
    case target(QueryPath, Layout, Predicate)
    /// A stored resource of the type meets the predicate and points to this one with the Reference at the path.
    case referredBy(Layout, QueryPath, Predicate)
    /// The resource is one of those with these keys.
    case keys([Int64])
    /// The resource's number is among those that a module keeps.
    case selected(ModuleSelection)
    /// The resource contains one of the type, at any depth, that meets the predicate.
    case contains(Layout, Predicate)
    /// The resource is of the type and meets the predicate, which the statement names once, by this name. Such a set is made before it is used, or
    /// looked into.
    case named(String, Layout, Predicate, isMade: Bool)
    /// The full-text index contains each of the terms for the resource.
    case matching([FullTextTerm])
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)

    /// The parts of a conjunction, at any depth.
    var conjuncts: [Predicate] {
        if case .and(let parts) = self { return parts.flatMap(\.conjuncts) }
        return [self]
    }

    /// The number of conditions from which on lists nest. Code goes through predicates by recursion, and threads have stacks of 512 KB on Apple's
    /// systems: with lists of this length, a hundred thousand conditions that were combined one by one nest a hundred levels deep, and adding
    /// one copies a list at most.
    private static let longestList = 1_000

    /// Both conditions, in this order, as one list if they fit in one.
    func conjoined(with other: Predicate) -> Predicate {
        var (first, second) = ([self], [other])
        if case .and(let parts) = self { first = parts }
        if case .and(let parts) = other { second = parts }
        return .and(first.count + second.count <= Self.longestList ? first + second : [self, other])
    }

    /// One of both conditions, in this order, as one list if they fit in one.
    func disjoined(with other: Predicate) -> Predicate {
        var (first, second) = ([self], [other])
        if case .or(let parts) = self { first = parts }
        if case .or(let parts) = other { second = parts }
        return .or(first.count + second.count <= Self.longestList ? first + second : [self, other])
    }
}

/// An end of the interval of the values that `SampledData` has.
package enum SampledBound: Int, Sendable {
    case least = 0
    case greatest = 1
}

/// The comparison of two values.
package enum Comparison: String, Sendable, CaseIterable {
    case equal = "="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}

extension Predicate {
    /// The texts of references to the resource with a type and id: `Type/id`, and its id as a UUID URN.
    static func references(to type: String, id: String) -> [String] { ["\(type)/\(id)", ReferenceParts.uuidPrefix + id] }
}
