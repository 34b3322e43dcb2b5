import FireLiteCore

/// The common part of paths to complex elements: their class and, by dynamic member, the elements in it.
///
/// A path through a list leads to every element of the list, and a condition on it is true if some value there meets it.
@dynamicMemberLookup
public protocol QueryElementPath<Object>: Sendable {
    /// The class of the elements at the path.
    associatedtype Object: FHIRObject
    /// The path in its internal form, for this library only.
    var _path: QueryPathReference { get }
}

/// A path in its internal form, for this library only.
public struct QueryPathReference: Sendable, Hashable {
    package let path: QueryPath
    package init(_ path: QueryPath) { self.path = path }
}

extension QueryElementPath {
    package var path: QueryPath { _path.path }

    private func step(_ member: PartialKeyPath<Object>) -> QueryPath { path.appending(PathStep(slot: PathSlots.slot(member))) }

    private func choice(_ member: PartialKeyPath<Object>) -> QueryPath {
        path.appending(PathStep(slot: PathSlots.slot(member), position: PathStep.wholeChoice))
    }

    /// A to-one complex element.
    public subscript<Value: FHIRObject>(dynamicMember member: KeyPath<Object, Value?>) -> ElementPath<Value> { ElementPath(step(member)) }

    /// A list of complex elements.
    public subscript<Value: FHIRObject>(dynamicMember member: KeyPath<Object, [Value]>) -> ElementListPath<Value> {
        ElementListPath(step(member))
    }

    /// A to-one primitive.
    public subscript<Value: QueryValue>(dynamicMember member: KeyPath<Object, Value?>) -> ValuePath<Value> { ValuePath(step(member)) }

    /// A list of primitives.
    public subscript<Value: QueryValue>(dynamicMember member: KeyPath<Object, [Value]>) -> ValueListPath<Value> {
        ValueListPath(step(member))
    }

    /// A to-one code with a required binding.
    public subscript<Value: FHIRCode>(dynamicMember member: KeyPath<Object, Value?>) -> ValuePath<Value> { ValuePath(step(member)) }

    /// A list of codes with a required binding.
    public subscript<Value: FHIRCode>(dynamicMember member: KeyPath<Object, [Value]>) -> ValueListPath<Value> {
        ValueListPath(step(member))
    }

    /// A choice element as a whole, `value[x]`, to test its presence. Its types are elements of their own, `valueQuantity`.
    public subscript<Value: FHIRChoice>(dynamicMember member: KeyPath<Object, Value?>) -> ChoicePath { ChoicePath(choice(member)) }

    // MARK: - Several conditions on one element

    /// Whether some element at the path meets the condition, which may combine several on the same element.
    public func any(_ condition: (ElementPath<Object>) -> QueryCondition) -> QueryCondition {
        QueryCondition(.any(path, condition(ElementPath(QueryPath())).predicate))
    }

    /// Whether no element at the path meets the condition; true if there is none.
    public func none(_ condition: (ElementPath<Object>) -> QueryCondition) -> QueryCondition { !any(condition) }

    /// Whether every element at the path meets the condition; true if there is none.
    public func all(_ condition: (ElementPath<Object>) -> QueryCondition) -> QueryCondition { !any { !condition($0) } }

    /// Whether there is no element at the path.
    public var isNil: QueryCondition { QueryCondition(.not(.exists(path))) }

    /// Whether there is no element at the path: `$0.period == nil`.
    public static func == (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { path.isNil }

    /// Whether there is an element at the path.
    public static func != (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { !path.isNil }

    // MARK: - Resources in resources

    /// The resources of one type in an element that contains resources of any type: `$0.contained.of(Medication.self)`.
    ///
    /// - Precondition: the path leads to such an element.
    public func of<Resource: FHIRResource>(_ type: Resource.Type) -> ElementListPath<Resource> {
        guard var last = path.steps.last else {
            misuse("of(_:) needs a path to an element that contains resources, such as contained")
        }
        last.kind = .resource(type._layout.name)
        return ElementListPath(QueryPath(path.steps.dropLast() + [last]))
    }
}
