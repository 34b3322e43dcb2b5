import FireLiteCore

/// The stored resources that are in memory during a write: which object is which resource, what has changed, and what to restore
/// if the write fails.
final class ManagedObjects {
    private unowned let store: FHIRStore
    private let writer: StoreWriter
    private var inMemory: [Int64: KnownResource] = [:]
    /// What is still to be saved. The write cannot be committed before the list is empty.
    private var changed: [(tie: StoreTie, resource: FHIRResource)] = []
    private var isFlushing = false
    /// The objects of resources that were changed through one while the write knew another, by number.
    private var siblings: [Int64: [FHIRResource]] = [:]
    /// The resources in the list whose saving has failed, by their ties.
    private var failed: Set<ObjectIdentifier> = []
    private var undo: [UndoStep] = []
    /// Elements removed from their lists, which keep their rows if they are added again.
    private var removed: [ObjectIdentifier: (object: FHIRObject, root: Int64)] = [:]

    /// A stored resource that is in memory.
    private struct KnownResource {
        weak var resource: FHIRResource?
        /// The same for a resource that the transaction returned, which keeps it until the end, so that `tx.resource(…)!.name[0].family =
        /// "B"` has an owner that saves the change.
        var held: FHIRResource?
    }

    /// The revision of an object whose content no revision has: they count from 1.
    private static let outdated: Int64 = 0

    private struct WeakResource {
        weak var resource: FHIRResource?
    }

    private enum UndoStep {
        case slots(FHIRObject, [ElementSlot])
        /// An element removed from a resource may be changed, or stored again, before the write fails.
        case removed(FHIRObject, [ElementSlot], row: UInt32)
        case revision(StoreTie, Int64)
        /// Weak: an object that is not in use need not be restored.
        case added(WeakResource)
        case deleted(FHIRResource, StoreTie)
    }

    init(store: FHIRStore, writer: StoreWriter) {
        self.store = store
        self.writer = writer
    }

    // MARK: - Which object is which resource

    /// The object of the resource with this number; nil if it is not in memory.
    subscript(root: Int64) -> FHIRResource? { inMemory[root]?.resource }

    func remember(_ resource: FHIRResource, _ root: Int64) { inMemory[root] = KnownResource(resource: resource) }

    /// Keeps a returned resource in memory until the write ends.
    func hold(_ resource: FHIRResource) {
        guard let tie = resource.objectExtras as? StoreTie, tie.store === store else { return }
        inMemory[tie.root] = KnownResource(resource: resource, held: resource)
    }

    /// Records a resource that was added with this number.
    func adopt(_ resource: FHIRResource, root: Int64) {
        resource.objectExtras = StoreTie(store: store, root: root, revision: writer.firstRevision(of: root), pk: resource.objectExtras?.pk)
        resource.objectFlags.insert(.managed)
        undo.append(.added(WeakResource(resource: resource)))
    }

    /// Makes an object unmanaged whose resource is being deleted.
    func forget(_ resource: FHIRResource, _ tie: StoreTie) {
        undo.append(.deleted(resource, tie))
        save(resource)
        inMemory[tie.root] = nil
        let pk = resource.pk
        resource.forEachSlot { slot in slot.value.forEachChild { $0.pinAll(tie) } }
        resource.becomeUnmanaged()
        resource.objectExtras = nil
        resource.pk = pk
        resource.mark(.deleted, true)
    }

    // MARK: - Changes

    func willChange(_ object: FHIRObject, _ tie: StoreTie) {
        if !tie.isChanged, let resource = object.rootObject as? FHIRResource {
            tie.isChanged = true
            changed.append((tie, resource))
            if let known = self[tie.root] {
                if known !== resource { note(resource, besides: known, tie.root) }
            } else {
                remember(resource, tie.root)
            }
        }
        guard !object.objectFlags.contains(.changed) else { return }
        object.objectFlags.insert(.changed)
        undo.append(.slots(object, object.savedSlots))
    }

    /// Notes an object of a resource that has another one in this write.
    private func note(_ resource: FHIRResource, besides known: FHIRResource, _ root: Int64) {
        var all = siblings[root] ?? []
        for object in [known, resource] where !all.contains(where: { $0 === object }) { all.append(object) }
        siblings[root] = all
    }

    func didRemove(_ object: FHIRObject, _ root: Int64) {
        removed[ObjectIdentifier(object)] = (object, root)
        save(object)
    }

    func keepsRow(of object: FHIRObject, _ root: Int64) -> Bool { removed[ObjectIdentifier(object)]?.root == root }

    /// Saves the state of an object and everything in it, before it becomes unmanaged.
    private func save(_ object: FHIRObject) {
        undo.append(.removed(object, object.savedSlots, row: object.rowNode))
        object.forEachSlot { slot in slot.value.forEachChild { save($0) } }
    }

    /// Writes the rows of changed objects.
    ///
    /// A change that could not be saved, and those after it, stay in the list, so that the next call tries again: the write cannot commit without
    /// them, even if the error is caught.
    /// - Throws: `FHIRStoreError.conflict` if another write has replaced a version that an object was read from.
    func flush() throws {
        guard !changed.isEmpty, !isFlushing else { return }
        isFlushing = true
        var saved = 0
        defer {
            changed.removeFirst(saved)
            isFlushing = false
        }
        while saved < changed.count {
            try saveChanges(of: changed[saved].resource, changed[saved].tie)
            saved += 1
        }
        // Elements that are still removed have lost their rows.
        removed.removeAll()
    }

    private func saveChanges(of resource: FHIRResource, _ tie: StoreTie) throws {
        let hasFailed = failed.contains(ObjectIdentifier(tie))
        let isChanged = tie.isChanged
        guard isChanged || hasFailed else { return }
        // Saving may change the resource again.
        tie.isChanged = false
        guard resource.objectExtras === tie else { return }
        do {
            let old = tie.revision
            tie.revision = try writer.save(resource, tie)
            if tie.revision != old { undo.append(.revision(tie, old)) }
            if !siblings.isEmpty {
                for other in siblings[tie.root] ?? [] where other !== resource { try bringUpToDate(other, tie.revision) }
            }
        } catch {
            // Only who has seen a conflict takes a change back: at first, setting what the object has is a change of what it does not show.
            let isConflict = (error as? FHIRStoreError)?.code == .conflict
            guard isConflict, hasFailed, isChanged, isTakenBack(resource) else {
                failed.insert(ObjectIdentifier(tie))
                throw error
            }
            // Not even the revision of this write's own changes makes it current.
            undo.append(.revision(tie, tie.revision))
            tie.revision = Self.outdated
        }
        if hasFailed { failed.remove(ObjectIdentifier(tie)) }
    }

    /// Takes over what was saved from another object of the same resource: fetched in this write, it is what queries return.
    private func bringUpToDate(_ other: FHIRResource, _ revision: Int64) throws {
        // If it was changed too, saving it is a conflict. One that is not of the resource any more was deleted.
        guard let tie = other.objectExtras as? StoreTie, !tie.isChanged, !failed.contains(ObjectIdentifier(tie)),
            tie.revision != revision, let fresh = try writer.stored(tie.root)
        else { return }
        undo.append(.slots(other, other.savedSlots))
        other.forEachSlot { slot in slot.value.forEachChild { save($0) } }
        undo.append(.revision(tie, tie.revision))
        other.refresh(from: fresh)
        other.becomeManaged()
        tie.revision = revision
    }

    /// Whether everything that the write has changed in a resource is again as it was.
    private func isTakenBack(_ resource: FHIRResource) -> Bool {
        // The first step of an object has its state when the write began.
        var seen: Set<ObjectIdentifier> = []
        return undo.allSatisfy { step in
            switch step {
            case .slots(let object, let slots), .removed(let object, let slots, _):
                object.rootObject !== resource || !seen.insert(ObjectIdentifier(object)).inserted || object.hasSlots(slots)
            case .revision, .added, .deleted: true
            }
        }
    }

    /// Takes over revisions that were settled, by number.
    func settle(_ revisions: [Int64: Int64]) {
        for case .revision(let tie, _) in undo where tie.revision != Self.outdated {
            if let revision = revisions[tie.root] { tie.revision = revision }
        }
        // Those that were read between two changes.
        for (root, revision) in revisions {
            if let tie = self[root]?.objectExtras as? StoreTie, tie.revision != Self.outdated { tie.revision = revision }
        }
    }

    // MARK: - The end

    /// The write was committed: changes become final.
    func finish() {
        for case .slots(let object, _) in undo { object.objectFlags.remove(.changed) }
        for case .deleted(let resource, _) in undo { resource.mark(.deleted, false) }
        undo.removeAll()
    }

    /// The write failed: restores every object to its state when the write began.
    func restore() {
        for case (let tie, _) in changed { tie.isChanged = false }
        for step in undo.reversed() {
            switch step {
            case .slots(let object, let slots):
                object.replaceSlots(with: slots)
                object.becomeManaged()
                object.objectFlags.remove(.changed)
            case .removed(let object, let slots, let row):
                object.replaceSlots(with: slots)
                object.rowNode = row
            case .revision(let tie, let revision): tie.revision = revision
            case .added(let added):
                guard let resource = added.resource else { continue }
                let pk = resource.objectExtras?.pk
                resource.objectExtras = nil
                if let pk { resource.withExtras { $0.pk = pk } }
                resource.becomeUnmanaged()
            case .deleted(let resource, let tie):
                resource.objectExtras = tie
                resource.mark(.deleted, false)
                resource.becomeManaged()
            }
        }
        undo.removeAll()
    }

    /// Releases all objects.
    func end() {
        inMemory.removeAll()
        removed.removeAll()
        siblings.removeAll()
    }
}

extension FHIRObject {
    fileprivate var savedSlots: [ElementSlot] {
        var slots: [ElementSlot] = []
        slots.reserveCapacity(Int(slotCount))
        forEachSlot { slots.append($0) }
        return slots
    }

    /// Whether the object has the values that were saved: the same objects, and equal texts and numbers.
    fileprivate func hasSlots(_ saved: [ElementSlot]) -> Bool {
        let current = savedSlots
        return current.count == saved.count
            && zip(current, saved).allSatisfy { now, before in
                guard now.index == before.index else { return false }
                switch (now.value, before.value) {
                case (.object(let first), .object(let second)): return first === second
                case (.objects(let first), .objects(let second)): return first.elementsEqual(second) { $0 === $1 }
                default: return now.value.hasSameContent(as: before.value)
                }
            }
    }

    /// Restores slots that were saved before a change.
    fileprivate func replaceSlots(with saved: [ElementSlot]) {
        forEachSlot { slot in
            slot.value.forEachChild { child in
                guard child.ownerObject === self else { return }
                child.ownerObject = nil
                child.becomeUnmanaged()
            }
        }
        while slotCount > 0, let first = slots?[0] { store(nil, in: Int(first.index)) }
        for slot in saved {
            append(slot.value, slot: Int(slot.index))
            slot.value.own(by: self)
        }
    }
}
