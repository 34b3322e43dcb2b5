import FireLiteCore

/// The common part of paths to primitives.
public protocol QueryValuePath<Value>: Sendable {
    /// The Swift type of a value at the path.
    associatedtype Value
    /// The path in its internal form, for this library only.
    var _path: QueryPathReference { get }
}

/// The path to a to-one primitive, or the value of a condition.
public struct ValuePath<Value>: QueryValuePath {
    /// The path in its internal form, for this library only.
    public let _path: QueryPathReference
    package init(_ path: QueryPath) { _path = QueryPathReference(path) }

    /// The `Element` of the primitive, its id and extensions: `$0.birthDate.element(Element.self).extension.any { … }`.
    ///
    /// - Parameter type: the class `Element` of the release.
    public func element<Element: FHIRObject>(_ type: Element.Type) -> ElementPath<Element> { ElementPath(annotationPath) }
}

/// The path to the values of a list of primitives.
public struct ValueListPath<Value>: QueryValuePath {
    /// The path in its internal form, for this library only.
    public let _path: QueryPathReference
    package init(_ path: QueryPath) { _path = QueryPathReference(path) }

    /// The value at a position of the list, from 0; nulls count as positions.
    public subscript(position: Int) -> ValuePath<Value> { ValuePath(path.at(position)) }

    /// The value at the first position.
    public var first: ValuePath<Value> { self[0] }

    /// The number of values, without nulls; for nested lists, of all of them together.
    public var count: CountPath { CountPath(path: path) }

    /// The `Element`s of the positions.
    ///
    /// - Parameter type: the class `Element` of the release.
    public func element<Element: FHIRObject>(_ type: Element.Type) -> ElementPath<Element> { ElementPath(annotationPath) }
}

extension QueryValuePath {
    package var path: QueryPath { _path.path }

    var annotationPath: QueryPath { path.appending(PathStep(slot: 0, kind: .annotation)) }

    // MARK: - Several conditions on one value

    /// Whether some value at the path meets the condition, which may combine several on the same value.
    public func any(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition {
        QueryCondition(.any(path, condition(ValuePath(QueryPath())).predicate))
    }

    /// Whether no value at the path meets the condition; true if there is none.
    public func none(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition { !any(condition) }

    /// Whether every value at the path meets the condition; true if there is none.
    public func all(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition { !any { !condition($0) } }

    /// Whether there is no value at the path. A primitive with only extensions has none.
    public var isNil: QueryCondition { QueryCondition(.not(.exists(path))) }

    /// Whether there is no value at the path: `$0.birthDate == nil`.
    public static func == (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { path.isNil }

    /// Whether there is a value at the path.
    public static func != (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { !path.isNil }

    // MARK: - Sorting

    /// The least values first; for a path through lists, by the least value of each resource. Absent values come last.
    public var ascending: SortKey { ascending(nulls: .last) }

    /// The greatest values first; for a path through lists, by the greatest value of each resource. Absent values come last.
    public var descending: SortKey { descending(nulls: .last) }

    /// The least values first, with absent ones at the position `nulls`.
    public func ascending(nulls: SortKey.Nulls) -> SortKey { SortKey(path: path, isDescending: false, nulls: nulls) }

    /// The greatest values first, with absent ones at the position `nulls`.
    public func descending(nulls: SortKey.Nulls) -> SortKey { SortKey(path: path, isDescending: true, nulls: nulls) }
}
