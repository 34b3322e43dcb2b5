import FireLiteCore
import FireLiteSQLiteBridge

/// Changes to a store that all come about, or none. Valid inside `write` only.
///
/// Managed objects that are changed meanwhile are saved with it.
public final class WriteTransaction: ReadTransaction {
    private let writer: StoreWriter
    private let managed: ManagedObjects

    init(store: FHIRStore, writer: StoreWriter) {
        self.writer = writer
        managed = ManagedObjects(store: store, writer: writer)
        super.init(store: store, access: writer.access, objects: managed)
    }

    /// Commits the write.
    func commit() throws {
        try store.mapping {
            try managed.flush()
            try writer.commit()
        }
        managed.finish()
    }

    /// Takes the write back: the file and every object are as before.
    func rollback() {
        writer.rollback()
        managed.restore()
    }

    // MARK: - Managed objects

    /// Writes the changes of managed objects so far, so that plain SQL in this write sees them. The end of the write does it anyway.
    ///
    /// - Throws: `FHIRStoreError`, `conflict` among others.
    public func saveChanges() throws { try perform {} }

    /// How many rows the connection has inserted, updated and deleted so far: for seeing what a change costs.
    public var rowsWritten: Int {
        requireActive()
        return Int(access.connection.totalChanges)
    }

    // MARK: - Adding

    /// Stores a resource, which becomes managed. Whether the store has one with its id already makes no difference.
    ///
    /// - Precondition: the resource is not stored already.
    /// - Throws: `FHIRStoreError`.
    public func add(_ resource: FHIRResource) throws {
        requireActive()
        checkAddable(resource)
        try perform(flushes: false) {
            let roots = try writer.insert([resource])
            managed.adopt(resource, root: roots[0])
            managed.hold(resource)
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
        managed.hold(stored)
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
                resources, policy: policy, marksManaged: true, known: { managed[$0] },
                check: { if !$0.isManaged || ($0.objectExtras as? StoreTie)?.store !== store { checkAddable($0) } }
            ) { resource, outcome in
                switch outcome {
                case .added(let root):
                    managed.adopt(resource, root: root)
                    if resources.count < 64 { managed.remember(resource, root) }
                case .merge(let target):
                    target.assign(from: resource)
                    try managed.flush()
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
    ) throws -> UpsertCounts {
        try perform {
            var counts = UpsertCounts()
            try writer.upsert(resources, digests: digests, marksManaged: false, known: { managed[$0] }, check: checkAddable) {
                resource, outcome in
                if case .merge(let target) = outcome {
                    target.assign(from: resource)
                    try managed.flush()
                }
                counts.note(outcome)
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
            managed.forget(resource, tie)
        }
    }

    /// Deletes stored resources with all their rows.
    public func delete(_ resources: [FHIRResource]) throws {
        for resource in resources { try delete(resource) }
    }

    /// Deletes the resource with this type and id, the first one stored where there are several; false where there is none.
    @discardableResult
    public func delete<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Bool {
        try perform {
            guard let root = try access.registry.root(of: table(of: type), id: id) else { return false }
            try delete(root: root)
            return true
        }
    }

    /// Deletes the resource with that number.
    func delete(root: Int64) throws {
        if let resource = managed[root], let tie = resource.objectExtras as? StoreTie { managed.forget(resource, tie) }
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
