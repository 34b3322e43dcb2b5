/// The protocol of every release's class `Reference`: an element that points to a resource.
public protocol FHIRReference: FHIRObject, FHIRObjectInitializers {
    /// `Reference.reference`: relative, absolute or contained (`#id`).
    var reference: String? { get set }
}

extension FHIRReference {
    /// Creates a reference to a resource: `Type/id`; `#id` for a contained one; the pk as `urn:uuid:` for one without an id.
    public init(to resource: FHIRResource) {
        self.init()
        guard let id = resource.id else {
            reference = "urn:uuid:\(resource.pk)"
            return
        }
        reference = resource.isContained ? "#\(id)" : "\(resource.resourceType)/\(id)"
    }

    /// The parts of `reference`, or nil if it is not set.
    public var parts: ReferenceParts? { reference.map { ReferenceParts($0) } }

    /// `Reference.type`, which releases before R4 lack.
    package var statedType: String? { layout.element(named: "type").flatMap { _string($0.slot) } }

    /// The resource that `#id`, or `#` alone, points to; nil for other references and if the container has no such resource.
    ///
    /// - Parameter container: the resource whose `contained` is searched. Default: the resource of the reference.
    public func containedTarget(in container: FHIRResource? = nil) -> FHIRResource? {
        guard let parts, parts.form == .contained, let container = container ?? containerResource else { return nil }
        guard let id = parts.id else { return container }
        return container.containedResources.first { $0.id == id }
    }
}

extension FHIRObject {
    /// The resource whose `contained` the object's `#id` references refer to: the innermost around it that is not contained itself.
    package final var containerResource: FHIRResource? {
        var current: FHIRObject? = self
        while let object = current {
            if let resource = object as? FHIRResource, !resource.isContained { return resource }
            current = object.ownerObject
        }
        return nil
    }
}

extension FHIRResource {
    /// Whether the resource is in the list `contained` of another one.
    package final var isContained: Bool {
        guard let owner = ownerObject as? FHIRResource else { return false }
        return owner.containedResources.contains { $0 === self }
    }

    package final var containedResources: [FHIRResource] {
        guard let element = layout.element(named: "contained"), element.kind == .resource else { return [] }
        return _objects(element.slot)
    }
}

/// A `Reference` of a release that was read as data, for which there is no generated class.
final class DataReference: FHIRObject, FHIRReference {
    /// `Reference.reference`.
    var reference: String? {
        get { layout.element(named: "reference").flatMap { _string($0.slot) } }
        set { if let element = layout.element(named: "reference") { _setString(element.slot, newValue) } }
    }
}
