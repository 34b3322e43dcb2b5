import FireLiteCore

/// Ties a resource in memory to its row in a store.
final class StoreTie: _ObjectExtras {
    let store: FHIRStore
    let root: Int64
    /// The revision of the resource in the object.
    var revision: Int64
    /// Whether the resource was changed in the current write but not written yet.
    var isChanged = false
    /// What hid other resources when this one was handed out, and decides whether it is read again; nil if nothing did.
    var restriction: (any QueryRestriction)?

    init(store: FHIRStore, root: Int64, revision: Int64, pk: String?) {
        self.store = store
        self.root = root
        self.revision = revision
        super.init()
        self.pk = pk
    }

    override var isTie: Bool { true }

    override func willChange(_ object: FHIRObject) {
        guard let objects = store.currentObjects else {
            misuse(
                "the \(object.rootObject.layout.name) with pk \(object.rootObject.pk) is stored and can be changed only inside a write: "
                    + "make the change in store.write { … }, or change a copy()")
        }
        objects.willChange(object, self)
    }

    override func didRemove(_ object: FHIRObject) { store.currentObjects?.didRemove(object, root) }

    override func keepsRow(of object: FHIRObject) -> Bool { store.currentObjects?.keepsRow(of: object, root) ?? false }

    override func derivedPK(of object: FHIRObject) -> String? {
        // Not the stored pk of the resource: it may be deleted and stored again with that pk, with new row numbers.
        let resourcePK = store.identity.pk(ofRoot: root)
        var path = ""
        var current = object
        while let owner = current.ownerObject {
            if let pk = current.objectExtras?.pk, current !== object { return pk + path }
            if current.rowNode > 0 { return "\(resourcePK)/\(current.rowNode)\(path)" }
            guard let name = Self.name(of: current, in: owner) else { return nil }
            path = "/\(name)" + path
            current = owner
        }
        return path.isEmpty ? pk ?? resourcePK : resourcePK + path
    }

    /// The name of the to-one element that contains a child; nil if the child is in a list.
    private static func name(of child: FHIRObject, in owner: FHIRObject) -> String? {
        var name: String?
        owner.forEachSlot { slot in
            switch slot.value {
            case .object(let value) where value === child: name = owner.layout.elements[Int(slot.index)].name
            case .annotated(let value) where value.element === child: name = owner.layout.elements[Int(slot.index)].name
            default: break
            }
        }
        return name
    }
}
