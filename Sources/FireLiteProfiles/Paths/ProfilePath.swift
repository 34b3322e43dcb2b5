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
    public init(_path: some QueryElementPath<View.Object>) {
        scope = PathScope(path: _path.path, root: View.Object._layout, profile: View._rule.url)
    }

    // MARK: - For generated code

    // Elements by their names: key paths would cost the compiler of generated code much more.

    /// The path to the items of a slice that have a view of their own.
    public func _slice<Item: ProfileView>(_ key: String) -> ProfilePath<Item> { ProfilePath<Item>(sliceScope(key)) }

    /// The path to the items of a slice.
    public func _items<Item: FHIRObject>(_ key: String) -> ProfileElementPath<Item> { ProfileElementPath<Item>(sliceScope(key)) }

    /// The path to the primitives of the extensions of a slice.
    public func _extensionValue<Value>(_ key: String, _ name: String) -> ProfileValuePath<Value> {
        ProfileValuePath<Value>(extensionScope(key, name))
    }

    /// The path to the complex values of the extensions of a slice.
    public func _extensionObject<Item: FHIRObject>(_ key: String, _ name: String) -> ProfileElementPath<Item> {
        ProfileElementPath<Item>(extensionScope(key, name))
    }

    /// The path to an element, to-one or a list, that has a view of its own.
    public func _view<Item: ProfileView>(_ name: String) -> ProfilePath<Item> {
        ProfilePath<Item>(scope.step(name, of: View.Object._layout))
    }

    /// The path to a complex element, to-one or a list.
    public func _object<Item: FHIRObject>(_ name: String) -> ProfileElementPath<Item> {
        ProfileElementPath<Item>(scope.step(name, of: View.Object._layout))
    }

    /// The path to a primitive, to-one or a list.
    public func _value<Value>(_ name: String) -> ProfileValuePath<Value> {
        ProfileValuePath<Value>(scope.step(name, of: View.Object._layout))
    }

    /// The path to the resource in an element that contains one, which has a view of its own.
    public func _resource<Item: ResourceProfileView>(_ name: String) -> ProfilePath<Item> {
        ProfilePath<Item>(scope.resource(name, of: View.Object._layout, type: Item.Object._layout.name))
    }

    /// The path to the resource of a type in an element that contains one.
    public func _resourceObject<Item: FHIRResource>(_ name: String) -> ProfileElementPath<Item> {
        ProfileElementPath<Item>(scope.resource(name, of: View.Object._layout, type: Item._layout.name))
    }

    private func sliceScope(_ key: String) -> PathScope { scope.slice(View._rule.slice(key), of: View.Object._layout) }

    private func extensionScope(_ key: String, _ name: String) -> PathScope {
        let scope = sliceScope(key)
        guard let layout = View.Object._layout.element(named: "extension")?.layout else { return scope }
        return scope.step(name, of: layout)
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
    /// The path in FHIRPath, for columns of views of SQL on FHIR and for the evaluator: `extension.where(url = '…').value.ofType(Coding)`.
    ///
    /// It starts at the object of the view: at the resource, for a path that starts at ``ResourceProfileView/paths``.
    public var fhirPath: String { _scope.scope.fhirPath }

    /// Whether there is nothing at the path.
    public var isNil: QueryCondition { !_scope.scope.exists }

    /// Whether there is nothing at the path: `$0.usCore.race == nil`.
    public static func == (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { path.isNil }

    /// Whether there is something at the path.
    public static func != (path: Self, value: _OptionalNilComparisonType) -> QueryCondition { !path.isNil }
}
