import FireLite
import FireLiteCore

/// The path of a query to what a profile's view shows: `$0.usCore.race.ombCategory.code`.
///
/// ```swift
/// let patients = try store.query(Patient.self).where { $0.usCore.race.ombCategory.code == "2106-3" }.all()
/// ```
/// A path to a slice leads to its items alone. A condition on a path is true if some value there meets it.
@dynamicMemberLookup
public struct ProfilePath<View: ProfileView>: Sendable {
    let scope: PathScope

    init(_ scope: PathScope) { self.scope = scope }

    /// The path to the object of a view; for generated code.
    public init(_path: some QueryElementPath<View.Object>) { scope = PathScope(path: _path.path) }

    // MARK: - For generated code

    /// The path to the items of a slice that have a view of their own.
    public func _slice<Item: ProfileView>(_ key: String) -> ProfilePath<Item> {
        ProfilePath<Item>(scope.slice(View._rule.slice(key), of: View.Object._layout))
    }

    /// The path to the items of a slice.
    public func _slice<Item: FHIRObject>(_ key: String) -> ProfileElementPath<Item> {
        ProfileElementPath<Item>(scope.slice(View._rule.slice(key), of: View.Object._layout))
    }

    /// The path to an element that has a view of its own.
    public func _element<Item: ProfileView>(_ member: KeyPath<View.Object, Item.Object?>) -> ProfilePath<Item> {
        ProfilePath<Item>(elements.step(member))
    }

    /// The path to the elements of a list that have a view of their own.
    public func _elements<Item: ProfileView>(_ member: KeyPath<View.Object, [Item.Object]>) -> ProfilePath<Item> {
        ProfilePath<Item>(elements.step(member))
    }

    private var elements: ProfileElementPath<View.Object> { ProfileElementPath(scope) }

    // MARK: - Elements

    /// A to-one complex element.
    public subscript<Value: FHIRObject>(dynamicMember member: KeyPath<View.Object, Value?>) -> ProfileElementPath<Value> {
        elements[dynamicMember: member]
    }

    /// A list of complex elements.
    public subscript<Value: FHIRObject>(dynamicMember member: KeyPath<View.Object, [Value]>) -> ProfileElementPath<Value> {
        elements[dynamicMember: member]
    }

    /// A to-one primitive.
    public subscript<Value>(dynamicMember member: KeyPath<View.Object, Value?>) -> ProfileValuePath<Value> {
        elements[dynamicMember: member]
    }

    /// A list of primitives.
    public subscript<Value>(dynamicMember member: KeyPath<View.Object, [Value]>) -> ProfileValuePath<Value> {
        elements[dynamicMember: member]
    }
}

/// The path of a query to complex elements below a profile's view.
@dynamicMemberLookup
public struct ProfileElementPath<Object: FHIRObject>: Sendable {
    let scope: PathScope

    init(_ scope: PathScope) { self.scope = scope }

    func step(_ member: PartialKeyPath<Object>) -> PathScope {
        guard let element = ElementProbe.element(member, of: Object.self) else {
            misuse("\(member) is not an element of \(Object._layout.name): pass a generated property of the class")
        }
        return scope.step(QueryPath([PathStep(slot: element.slot)]), element)
    }

    /// A to-one complex element.
    public subscript<Value: FHIRObject>(dynamicMember member: KeyPath<Object, Value?>) -> ProfileElementPath<Value> {
        ProfileElementPath<Value>(step(member))
    }

    /// A list of complex elements.
    public subscript<Value: FHIRObject>(dynamicMember member: KeyPath<Object, [Value]>) -> ProfileElementPath<Value> {
        ProfileElementPath<Value>(step(member))
    }

    /// A to-one primitive.
    public subscript<Value>(dynamicMember member: KeyPath<Object, Value?>) -> ProfileValuePath<Value> {
        ProfileValuePath<Value>(step(member))
    }

    /// A list of primitives.
    public subscript<Value>(dynamicMember member: KeyPath<Object, [Value]>) -> ProfileValuePath<Value> {
        ProfileValuePath<Value>(step(member))
    }
}

/// What the paths through profiles to elements and values have in common.
public protocol ProfileQueryPath: Sendable {
    /// The path in its internal form, for this library only.
    var _scope: _ProfilePathScope { get }
}

/// A path through a profile in its internal form, for this library only.
public struct _ProfilePathScope: Sendable {
    let scope: PathScope
}

extension ProfilePath: ProfileQueryPath {
    /// The path in its internal form, for this library only.
    public var _scope: _ProfilePathScope { _ProfilePathScope(scope: scope) }

    /// Whether some element at the path meets the condition, which may combine several on the same element.
    public func any(_ condition: (ElementPath<View.Object>) -> QueryCondition) -> QueryCondition {
        ProfileElementPath<View.Object>(scope).any(condition)
    }
}

extension ProfileElementPath: ProfileQueryPath {
    /// The path in its internal form, for this library only.
    public var _scope: _ProfilePathScope { _ProfilePathScope(scope: scope) }

    /// Whether some element at the path meets the condition, which may combine several on the same element.
    public func any(_ condition: (ElementPath<Object>) -> QueryCondition) -> QueryCondition {
        let inner = condition(ElementPath(QueryPath())).predicate
        return scope.condition(scope.path.steps.isEmpty ? inner : .any(scope.path, inner))
    }

    /// Whether no element at the path meets the condition; true if there is none.
    public func none(_ condition: (ElementPath<Object>) -> QueryCondition) -> QueryCondition { !any(condition) }
}

extension ProfileValuePath: ProfileQueryPath {
    /// The path in its internal form, for this library only.
    public var _scope: _ProfilePathScope { _ProfilePathScope(scope: scope) }
}

extension ProfileQueryPath {
    /// The path in FHIRPath, for views of SQL on FHIR and for the evaluator: `extension.where(url = '…').value.ofType(Coding)`.
    ///
    /// It starts at the resource if the path does: at `$0` of a query.
    public var fhirPath: String { _scope.scope.fhirPath }

    /// Whether there is nothing at the path.
    public var isNil: QueryCondition { !_scope.scope.exists }

    /// Whether there is nothing at the path: `$0.usCore.race == nil`.
    public static func == (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { path.isNil }

    /// Whether there is something at the path.
    public static func != (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { !path.isNil }
}
