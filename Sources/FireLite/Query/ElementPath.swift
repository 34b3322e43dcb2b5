import FireLiteCore

/// The path to a complex element, or the resource or element of a condition (`$0`).
@dynamicMemberLookup
public struct ElementPath<Object: FHIRObject>: QueryElementPath {
    /// The path in its internal form, for this library only.
    public let _path: QueryPathReference
    package init(_ path: QueryPath) { _path = QueryPathReference(path) }
}

/// The path to the elements of a list.
@dynamicMemberLookup
public struct ElementListPath<Object: FHIRObject>: QueryElementPath {
    /// The path in its internal form, for this library only.
    public let _path: QueryPathReference
    package init(_ path: QueryPath) { _path = QueryPathReference(path) }

    /// The element at a position of the list, from 0. For nested lists, the element at that position of each.
    public subscript(position: Int) -> ElementPath<Object> { ElementPath(path.at(position)) }

    /// The first element of the list.
    public var first: ElementPath<Object> { self[0] }

    /// The number of elements; for nested lists, of all of them together.
    public var count: CountPath { CountPath(path: path) }
}

/// The path to a choice element, `value[x]`.
public struct ChoicePath: Sendable {
    let path: QueryPath
    init(_ path: QueryPath) { self.path = path }

    /// Whether the element has no value.
    public var isNil: QueryCondition { QueryCondition(.not(.exists(path))) }

    /// Whether the element has no value: `$0.value == nil`.
    public static func == (path: ChoicePath, value: _OptionalNilComparisonType) -> QueryCondition { path.isNil }

    /// Whether the element has a value.
    public static func != (path: ChoicePath, value: _OptionalNilComparisonType) -> QueryCondition { !path.isNil }
}

/// The number of elements or values at a path.
public struct CountPath: Sendable {
    let path: QueryPath

    private func compare(_ comparison: Comparison, _ number: Int) -> QueryCondition { QueryCondition(.count(path, comparison, number)) }

    /// Whether there are exactly this many.
    public static func == (count: CountPath, number: Int) -> QueryCondition { count.compare(.equal, number) }
    /// Whether there are more or fewer.
    public static func != (count: CountPath, number: Int) -> QueryCondition { !count.compare(.equal, number) }
    /// Whether there are fewer.
    public static func < (count: CountPath, number: Int) -> QueryCondition { count.compare(.less, number) }
    /// Whether there are at most this many.
    public static func <= (count: CountPath, number: Int) -> QueryCondition { count.compare(.lessOrEqual, number) }
    /// Whether there are more.
    public static func > (count: CountPath, number: Int) -> QueryCondition { count.compare(.greater, number) }
    /// Whether there are at least this many.
    public static func >= (count: CountPath, number: Int) -> QueryCondition { count.compare(.greaterOrEqual, number) }
}

extension QueryPath {
    func at(_ position: Int) -> QueryPath {
        misuse(unless: position >= 0, "positions of a list are counted from 0: use 0 or more")
        var path = self
        path.steps[path.steps.count - 1].position = position
        return path
    }
}
