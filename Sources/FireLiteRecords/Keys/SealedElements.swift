import FireLiteCore

/// The elements of a sealed resource that stay in the clear, for queries. The sealed part is the whole resource.
public struct SealedElements: Sendable, Hashable {
    private let names: Set<String>
    private let areKept: Bool

    /// Seals everything but these elements: `.keeping("code", "effective")`.
    ///
    /// - Parameter names: names of elements of the resource, a choice element without its type. The id always stays.
    public static func keeping(_ names: String...) -> SealedElements { SealedElements(names: Set(names), areKept: true) }

    /// Seals only these elements: `.only("name", "address")`.
    ///
    /// - Parameter names: names of elements of the resource, a choice element without its type.
    public static func only(_ names: String...) -> SealedElements { SealedElements(names: Set(names), areKept: false) }

    /// Leaves the elements in the clear that a resource has.
    init(keepingThoseOf stub: FHIRResource) {
        let kept = stub.layout.elements.filter { $0.slot > 0 && stub.value($0.slot) != nil }
        // `effective` of `effective[x]`.
        names = Set(kept.map { element in element.choice.map { String($0.name.dropLast(3)) } ?? element.name })
        areKept = true
    }

    private init(names: Set<String>, areKept: Bool) {
        self.names = names
        self.areKept = areKept
    }

    /// A copy with only the elements in the clear.
    ///
    /// - Throws: `RecordError.invalidArgument` for a name that the type does not have.
    func stub<Resource: FHIRResource>(of resource: Resource) throws -> Resource {
        var unknown = names
        let stub = resource.copy()
        for element in resource.layout.elements {
            // `effective` of `effective[x]`.
            let stem = element.choice.map { String($0.name.dropLast(3)) }
            let isNamed = names.contains(element.name) || stem.map(names.contains) == true
            unknown.remove(element.name)
            if let stem { unknown.remove(stem) }
            if element.slot > 0, isNamed != areKept { stub.remove(element.slot) }
        }
        if let name = unknown.min() {
            throw RecordError(.invalidArgument, "\(resource.resourceType) has no element '\(name)': correct records.encryption")
        }
        return stub
    }
}

extension FHIRObject {
    /// Removes the value of a slot of an object that belongs to no store.
    fileprivate func remove(_ slot: Int) {
        value(slot)?.forEachChild { $0.ownerObject = nil }
        store(nil, in: slot)
    }
}
