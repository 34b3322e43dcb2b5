import FireLiteCore

/// What the paths to primitives share.
public protocol QueryValuePath<Value>: Sendable {
    /// The Swift type of a value at the path.
    associatedtype Value
    var _path: QueryPathReference { get }
}

/// The path to a to-one primitive, or the value that a condition is about.
public struct ValuePath<Value>: QueryValuePath {
    public let _path: QueryPathReference
    package init(_ path: QueryPath) { _path = QueryPathReference(path) }

    /// The `Element` of the primitive, its id and extensions: `$0.birthDate.element(Element.self).extension.any { … }`.
    ///
    /// - Parameter type: the class `Element` of the release.
    public func element<Element: FHIRObject>(_ type: Element.Type) -> ElementPath<Element> { ElementPath(annotationPath) }
}

/// The path to the values of a list of primitives.
public struct ValueListPath<Value>: QueryValuePath {
    public let _path: QueryPathReference
    package init(_ path: QueryPath) { _path = QueryPathReference(path) }

    /// The value at a place of the list, from 0; nulls in a list take up places too.
    public subscript(position: Int) -> ValuePath<Value> { ValuePath(path.at(position)) }

    /// The value at the first place.
    public var first: ValuePath<Value> { self[0] }

    /// How many values there are, without nulls, of a list in lists in all of them together.
    public var count: CountPath { CountPath(path: path) }

    /// The `Element`s of the places.
    ///
    /// - Parameter type: the class `Element` of the release.
    public func element<Element: FHIRObject>(_ type: Element.Type) -> ElementPath<Element> { ElementPath(annotationPath) }
}

extension QueryValuePath {
    package var path: QueryPath { _path.path }

    var annotationPath: QueryPath { path.appending(PathStep(slot: 0, kind: .annotation)) }

    // MARK: - Several conditions on one value

    /// Whether some value at the path fulfils the condition, which may be made of several on the same value.
    public func any(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition {
        QueryCondition(.any(path, condition(ValuePath(QueryPath())).predicate))
    }

    /// Whether no value at the path fulfils the condition; so where there is none.
    public func none(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition { !any(condition) }

    /// Whether every value at the path fulfils the condition; so where there is none.
    public func all(_ condition: (ValuePath<Value>) -> QueryCondition) -> QueryCondition { !any { !condition($0) } }

    /// Whether there is no value at the path. A primitive with extensions alone has none.
    public var isNil: QueryCondition { QueryCondition(.not(.exists(path))) }

    /// Whether there is no value at the path: `$0.birthDate == nil`.
    public static func == (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { path.isNil }

    /// Whether there is a value at the path.
    public static func != (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { !path.isNil }

    // MARK: - Sorting

    /// The least values first; of a path through lists the least value of each resource counts. Absent values come last.
    public var ascending: SortKey { ascending(nulls: .last) }

    /// The greatest values first; of a path through lists the greatest value of each resource counts. Absent values come last.
    public var descending: SortKey { descending(nulls: .last) }

    /// The least values first, with absent ones where `nulls` says.
    public func ascending(nulls: SortKey.Nulls) -> SortKey { SortKey(path: path, isDescending: false, nulls: nulls) }

    /// The greatest values first, with absent ones where `nulls` says.
    public func descending(nulls: SortKey.Nulls) -> SortKey { SortKey(path: path, isDescending: true, nulls: nulls) }
}
