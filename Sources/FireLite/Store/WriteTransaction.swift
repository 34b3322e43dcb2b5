import FireLiteCore
import FireLiteSQLiteBridge

/// Changes to a store that all come about, or none. Valid inside `write` only.
///
/// Managed objects that are changed meanwhile are saved with it.
public final class WriteTransaction: ReadTransaction {
    private let writer: StoreWriter
    /// What to bring back where the write fails.
    private var undo: [UndoStep] = []
    private var changed: [(tie: StoreTie, resource: FHIRResource)] = []
    private var inMemory: [Int64: KnownResource] = [:]
    /// Elements taken out of their lists, which keep their rows if they are put back.
    private var removed: [ObjectIdentifier: (object: FHIRObject, root: Int64)] = [:]

    private struct WeakResource {
        weak var resource: FHIRResource?
    }

    /// A stored resource that is in memory.
    private struct KnownResource {
        weak var resource: FHIRResource?
        /// The same, where the transaction handed it out: so it lives to the end, and `tx.resource(…)!.name[0].family = "B"` has an owner to
        /// save the change.
        var held: FHIRResource?
    }

    private enum UndoStep {
        case slots(FHIRObject, [ElementSlot])
        /// What was taken out of a resource may be changed, or stored anew, before the write fails.
        case removed(FHIRObject, [ElementSlot], row: UInt32)
        case revision(StoreTie, Int64)
        /// Weak: an object that nobody holds needs no restoring.
        case added(WeakResource)
        case deleted(FHIRResource, StoreTie)
    }

    init(store: FHIRStore, writer: StoreWriter) {
        self.writer = writer
        super.init(store: store, access: writer.access)
    }

    override func known(_ root: Int64) -> FHIRResource? { inMemory[root]?.resource }

    override func remember(_ resource: FHIRResource, _ root: Int64) { inMemory[root] = KnownResource(resource: resource) }

    override func hold(_ resource: FHIRResource) {
        guard let tie = resource.objectExtras as? StoreTie, tie.store === store else { return }
        inMemory[tie.root] = KnownResource(resource: resource, held: resource)
    }

    // MARK: - Managed objects

    func willChange(_ object: FHIRObject, _ tie: StoreTie) {
        if !tie.isChanged, let resource = object.rootObject as? FHIRResource {
            tie.isChanged = true
            changed.append((tie, resource))
            if known(tie.root) == nil { remember(resource, tie.root) }
        }
        guard !object.objectFlags.contains(.changed) else { return }
        object.objectFlags.insert(.changed)
        undo.append(.slots(object, object.savedSlots))
    }

    func didRemove(_ object: FHIRObject, _ root: Int64) {
        removed[ObjectIdentifier(object)] = (object, root)
        save(object)
    }

    /// Notes what an object and all in it are, before it is out of sight.
    private func save(_ object: FHIRObject) {
        undo.append(.removed(object, object.savedSlots, row: object.rowNode))
        object.forEachSlot { slot in slot.value.forEachChild { save($0) } }
    }

    func keepsRow(of object: FHIRObject, _ root: Int64) -> Bool { removed[ObjectIdentifier(object)]?.root == root }

    /// Writes the rows of changed managed objects.
    override func flush() throws {
        while !changed.isEmpty {
            let batch = changed
            changed.removeAll()
            for (tie, resource) in batch where tie.isChanged {
                tie.isChanged = false
                guard resource.objectExtras === tie else { continue }
                let old = tie.revision
                tie.revision = try writer.save(resource, tie)
                if tie.revision != old { undo.append(.revision(tie, old)) }
            }
            // What was left out by now has lost its rows.
            removed.removeAll()
        }
    }

    /// Writes the changes of managed objects so far, so that plain SQL in this write sees them. The end of the write does it anyway.
    ///
    /// - Throws: `FHIRStoreError`, `conflict` among others.
    public func saveChanges() throws { try perform {} }

    /// How many rows the connection has inserted, updated and deleted so far: for seeing what a change costs.
    public var rowsWritten: Int {
        requireActive()
        return Int(access.connection.totalChanges)
    }

    /// Ends the write: what was changed is as it is.
    func finish() {
        for case .slots(let object, _) in undo { object.objectFlags.remove(.changed) }
        for case .deleted(let resource, _) in undo { resource.mark(.deleted, false) }
        undo.removeAll()
    }

    override func end() {
        super.end()
        inMemory.removeAll()
        removed.removeAll()
    }

    /// Brings every object back to what it was when the write began.
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

    private func adopt(_ resource: FHIRResource, root: Int64) {
        resource.objectExtras = StoreTie(store: store, root: root, revision: 1, pk: resource.objectExtras?.pk)
        resource.objectFlags.insert(.managed)
        undo.append(.added(WeakResource(resource: resource)))
    }

    // MARK: - Adding

    /// Stores a resource, which becomes managed. Whether the store has one with its id already makes no difference.
    ///
    /// - Precondition: the resource is not stored already.
    /// - Throws: `FHIRStoreError`.
    public func add(_ resource: FHIRResource) throws {
        requireActive()
        checkAddable(resource)
        try store.mapping {
            let roots = try writer.insert([resource])
            adopt(resource, root: roots[0])
            hold(resource)
        }
    }

    private func checkAddable(_ resource: FHIRResource) {
        if resource.objectFlags.contains(.deleted) { resource.mark(.deleted, false) }
        misuse(
            unless: !resource.isManaged && resource.ownerObject == nil,
            "the \(resource.layout.name) with pk \(resource.pk) is stored, or contained in another resource: store a copy() of it")
        misuse(
            unless: resource.layout.release == store.release,
            "a \(resource.layout.name) of FHIR \(resource.layout.release) cannot go into a store of \(store.release)")
    }

    /// Stores a resource by its type and id: takes its content over into the stored one, or adds it where there is none or it has no id.
    ///
    /// Ids are compared byte by byte (`A` is not `a`), and any text is one: longer ones than FHIR's 64 characters, and such with characters
    /// that FHIR does not allow, are stored and found as they are; `validate()` tells of them.
    /// - Parameter policy: what is done where the stored resource is newer. Default: it is replaced.
    /// - Returns: the stored resource: the argument itself where it was added.
    /// - Throws: `FHIRStoreError`: `conflict` if the argument is a stored object that another write has changed or deleted.
    @discardableResult
    public func upsert<Resource: FHIRResource>(_ resource: Resource, policy: UpsertPolicy = .replace) throws -> Resource {
        let stored = try upsert([resource], policy: policy).resource(at: 0)
        hold(stored)
        return stored
    }

    /// Stores resources by their types and ids, in few statements. Of several with one id the last counts.
    ///
    /// - Parameter policy: what is done where a stored resource is newer. Default: it is replaced.
    /// - Returns: the stored resources in the order of the arguments, and how many were added, updated and left as they were.
    /// - Complexity: about what SQLite needs to write the rows; a resource that has not changed costs a look-up.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func upsert<Resource: FHIRResource>(
        _ resources: [Resource], policy: UpsertPolicy = .replace
    ) throws -> UpsertResult<Resource> {
        UpsertResult(store: store, try upsertAll(resources, policy))
    }

    private func upsertAll(_ resources: [FHIRResource], _ policy: UpsertPolicy) throws -> UpsertOutcomes {
        try perform {
            var outcomes = UpsertOutcomes(capacity: resources.count)
            try writer.upsert(
                resources, policy: policy, marksManaged: true, known: { known($0) },
                check: { if !$0.isManaged || ($0.objectExtras as? StoreTie)?.store !== store { checkAddable($0) } }
            ) { resource, outcome in
                switch outcome {
                case .added(let root):
                    adopt(resource, root: root)
                    if resources.count < 64 { remember(resource, root) }
                case .merge(let target):
                    target.assign(from: resource)
                    try flush()
                case .updated, .unchanged, .older, .replaced: break
                }
                outcomes.take(resource, outcome)
            }
            return outcomes
        }
    }

    /// Stores the resources in a Bundle's entries one by one, by type and id, with the references between them rewritten to `Type/id`.
    ///
    /// An entry without a resource is passed over; a resource without an id gets the UUID of its `fullUrl`. What a search's result says about
    /// the search (`entry.search.mode` outcome) is not stored; the result has it as `searchOutcomes`. The Bundle itself is neither
    /// stored nor changed.
    /// - Returns: the stored resources in the order of the entries, and how many were added, updated and left as they were.
    /// - Precondition: `bundle` is a resource of the type Bundle.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func upsert(bundle: FHIRResource, policy: UpsertPolicy = .replace) throws -> UpsertResult<FHIRResource> {
        misuse(unless: bundle.resourceType == "Bundle", "upsert(bundle:) takes a Bundle: store a \(bundle.resourceType) with upsert(_:)")
        let content = BundleUnpacker.content(of: bundle.copy())
        var result = try upsert(content.resources, policy: policy)
        result.searchOutcomes = content.outcomes
        return result
    }

    /// `upsert` for resources that nobody needs afterwards: they stay unmanaged, and nothing is kept of them.
    ///
    /// - Parameter digests: what `FHIRStore.digest(of:)` gave for each of them, as they are; nil to have it asked for.
    package func store(
        _ resources: [FHIRResource], digests: [ContentDigest.Value]? = nil
    ) throws -> (added: Int, updated: Int, unchanged: Int, superseded: Int) {
        try perform {
            var counts = (added: 0, updated: 0, unchanged: 0, superseded: 0)
            try writer.upsert(resources, digests: digests, marksManaged: false, known: { known($0) }, check: checkAddable) {
                resource, outcome in
                switch outcome {
                case .added: counts.added += 1
                case .merge(let target):
                    target.assign(from: resource)
                    try flush()
                    counts.updated += 1
                case .updated: counts.updated += 1
                case .unchanged: counts.unchanged += 1
                case .older: break
                case .replaced: counts.superseded += 1
                }
            }
            return counts
        }
    }

    /// Creates the tables and columns that resources need, which are not stored yet.
    ///
    /// - Returns: whether any were missing.
    /// - Throws: `FHIRStoreError`: `tooLarge` if one of them cannot be stored; none are created then.
    package func prepare(for resources: [FHIRResource]) throws -> Bool { try perform { try writer.grow(for: resources) } }

    // MARK: - Deleting

    /// Deletes a stored resource with all its rows; the object is unmanaged then, keeps its content and may be changed and added again.
    ///
    /// - Precondition: the resource is one of this store.
    /// - Throws: `FHIRStoreError`.
    public func delete(_ resource: FHIRResource) throws {
        guard let tie = resource.objectExtras as? StoreTie, tie.store === store else {
            misuse(
                "the \(resource.layout.name) with pk \(resource.pk) is not a resource of the store: fetch it from it, or delete it by its type and id"
            )
        }
        try perform {
            try writer.delete(root: tie.root)
            forget(resource, tie)
        }
    }

    private func forget(_ resource: FHIRResource, _ tie: StoreTie) {
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

    /// Deletes stored resources with all their rows.
    public func delete(_ resources: [FHIRResource]) throws {
        for resource in resources { try delete(resource) }
    }

    /// Deletes the resource with this type and id, the first one stored where there are several; false where there is none.
    @discardableResult
    public func delete<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Bool {
        try perform {
            guard let root = try access.root(of: table(of: type), id: id) else { return false }
            try delete(root: root)
            return true
        }
    }

    /// Deletes the resource with that number.
    func delete(root: Int64) throws {
        if let resource = known(root), let tie = resource.objectExtras as? StoreTie { forget(resource, tie) }
        try writer.delete(root: root)
    }

    /// Deletes the resource with this type name and id; false where there is none.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is no resource type of the release.
    @discardableResult
    public func delete(typeName: String, id: String) throws -> Bool {
        try delete(type(named: typeName), id: id)
    }
}

extension FHIRObject {
    fileprivate var savedSlots: [ElementSlot] {
        var slots: [ElementSlot] = []
        slots.reserveCapacity(Int(slotCount))
        forEachSlot { slots.append($0) }
        return slots
    }

    /// Puts back slots that were saved before a change.
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
