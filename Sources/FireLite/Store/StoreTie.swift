import FireLiteCore

/// What ties a resource in memory to its row in a store.
final class StoreTie: ObjectExtras {
    let store: FHIRStore
    let root: Int64
    /// The version of the resource that the object holds.
    var revision: Int64
    /// Whether the resource was changed in the current write and not written yet.
    var isChanged = false

    init(store: FHIRStore, root: Int64, revision: Int64, pk: String?) {
        self.store = store
        self.root = root
        self.revision = revision
        super.init()
        self.pk = pk
    }

    override var isTie: Bool { true }

    override func willChange(_ object: FHIRObject) {
        guard let transaction = store.currentWrite else {
            preconditionFailure(
                "the \(object.rootObject.layout.name) with pk \(object.rootObject.pk) is stored and can be changed only inside a write: "
                    + "put the change into store.write { … }, or change a copy()")
        }
        transaction.willChange(object, self)
    }

    override func didRemove(_ object: FHIRObject) { store.currentWrite?.didRemove(object, root) }

    override func keepsRow(of object: FHIRObject) -> Bool { store.currentWrite?.keepsRow(of: object, root) ?? false }

    override func derivedPK(of object: FHIRObject) -> String {
        let resourcePK = pk ?? store.identity.pk(ofRoot: root)
        var path = ""
        var current = object
        while let owner = current.ownerObject {
            if current.rowNode > 0 { return "\(resourcePK)/\(current.rowNode)\(path)" }
            path = "/\(Self.name(of: current, in: owner))" + path
            current = owner
        }
        return resourcePK + path
    }

    private static func name(of child: FHIRObject, in owner: FHIRObject) -> String {
        var name = "?"
        owner.forEachSlot { slot in
            slot.value.forEachChild { if $0 === child { name = owner.layout.elements[Int(slot.index)].name } }
        }
        return name
    }
}
