import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// Changes to a store that happen together or not at all. Valid only inside `write`.
///
/// Changes to managed objects in the meantime are saved with it.
public final class WriteTransaction: ReadTransaction {
    let writer: StoreWriter
    private let managed: ManagedObjects
    private let participants: [any WriteParticipant]
    /// Numbers that the keeper of payloads notes until the commit: those that may have lost their last reference.
    package var loosePayloads: Set<Int64> = []
    /// Paths of files with payloads that the keeper has written for this write, and of those to delete once it is committed.
    package var writtenFiles: [String] = []
    package var doomedFiles: [String] = []
    private var isCommitting = false

    init(store: FHIRStore, writer: StoreWriter, participants: [any WriteParticipant], reads: ReadRecord?) {
        self.writer = writer
        self.participants = participants
        managed = ManagedObjects(store: store, writer: writer)
        super.init(store: store, access: writer.access, objects: managed, reads: reads)
        writer.transaction = self
        writer.keeper = store.payloads.keeper
        writer.knowsSealed = store.sealing.sealer != nil
    }

    /// The number of the next tracked change; nil if the file tracks nothing.
    var nextTracked: Int64? { writer.nextTracked }

    /// Where the changes of this write come from.
    package var origin: WriteOrigin { writer.origin }

    /// What the write has done to resources so far; empty if nobody observes the store or takes part in its writes.
    package var written: [WrittenResource] { writer.written }

    /// Creates the tables and columns that plans name and the file does not have.
    func createTables() throws { try writer.createTables() }

    /// Switches what the file tracks.
    func setTracking(_ settings: TrackingSettings) throws { try writer.setTracking(settings) }

    /// Notes which numbers the log of changes must have.
    func setMark(_ mark: ChangeLogMark) throws { try writer.setMark(mark) }

    /// Notes for observers that rows of a module's tables may have changed.
    func noteChange(of tables: [String]) { writer.noteChange(of: tables) }

    /// Tells the modules that the write has begun.
    func begin() throws { for participant in participants { try withoutRecord { try participant.willBegin(self) } } }

    /// Commits the write.
    func commit() throws {
        var overwritesFiles = false
        try store.mapping {
            try managed.flush()
            for participant in participants {
                try settleRevisions()
                let written = writer.written
                if let witness = participant as? any ReadWitness, let reads, !reads.items.isEmpty {
                    try reads.paused { try witness.willCommit(self, written, reads) }
                } else if !written.isEmpty {
                    try withoutRecord { try participant.willCommit(self, written) }
                }
                try managed.flush()
            }
            if !loosePayloads.isEmpty || !doomedFiles.isEmpty { try writer.keeper?.willCommit(self) }
            try settleRevisions()
            // Those of a person must not come back from free blocks.
            if !doomedFiles.isEmpty { overwritesFiles = try unfinishedErasure != nil }
            isCommitting = true
            try writer.commit()
        }
        // A file that is left behind is found by the next `resume`.
        for path in doomedFiles { PayloadFolder.delete(path, overwrites: overwritesFiles) }
        managed.finish()
        reads?.removeAll()
        // Whoever begins to observe from now on reads what was committed.
        if store.announcer.isObserved, let notice = writer.notice { store.announcer.announce(notice) }
    }

    private func settleRevisions() throws {
        let settled = try writer.settleRevisions()
        if !settled.isEmpty { managed.settle(settled) }
    }

    /// Rolls back the write: the file and every object are as before.
    func rollback() {
        writer.rollback()
        // A commit that failed may have happened all the same.
        if !isCommitting { for path in writtenFiles { unlink(path) } }
        managed.restore()
        for participant in participants { participant.didRollBack() }
    }

    // MARK: - Managed objects

    /// Writes the changes of managed objects so far, so that plain SQL in this write sees them. This happens automatically at the end of
    /// the write.
    ///
    /// - Throws: `FHIRStoreError`, such as `conflict`.
    public func saveChanges() throws { try perform {} }

    /// The number of rows the connection has inserted, updated and deleted so far, to measure the cost of a change.
    public var rowsWritten: Int {
        requireActive()
        return Int(access.connection.totalChanges)
    }

    // MARK: - Adding

    /// Stores a resource, which becomes managed, even if the store already has one with its id.
    ///
    /// - Precondition: the resource is not stored yet.
    /// - Throws: `FHIRStoreError`.
    public func add(_ resource: FHIRResource) throws {
        _ = try adding([resource])
    }

    /// Stores new resources, all of them or none, and returns their numbers.
    func adding(_ resources: [FHIRResource]) throws -> [Int64] {
        requireActive()
        for resource in resources { checkAddable(resource) }
        // The keeper runs statements, which must not write other changes into this call's savepoint.
        return try perform(flushes: writer.keeper != nil) {
            let roots = try writer.insert(resources)
            for (resource, root) in zip(resources, roots) {
                managed.adopt(resource, root: root)
                managed.hold(resource)
            }
            return roots
        }
    }

    private func checkAddable(_ resource: FHIRResource) {
        if resource.objectFlags.contains(.deleted) { resource.mark(.deleted, false) }
        misuse(
            unless: !resource.isManaged && resource.ownerObject == nil,
            "the \(resource.layout.name) with pk \(resource.pk) is already stored, or contained in another resource: store a copy() of it")
        misuse(
            unless: resource.layout.release == store.release,
            "a \(resource.layout.name) of FHIR \(resource.layout.release) cannot go into a store of \(store.release): use the classes of \(store.release)"
        )
    }

    /// Stores a resource by its type and id: updates the stored one, or adds the resource if there is none or it has no id.
    ///
    /// Ids are compared byte by byte (`A` is not `a`), and any text can be an id: ids longer than FHIR's 64 characters, and those with characters
    /// that FHIR does not allow, are stored and found unchanged; `validate()` reports them.
    /// - Parameters:
    ///   - resource: the resource. It may be a stored object.
    ///   - policy: what to do if the stored resource is newer. Default: replace it.
    /// - Returns: the stored resource: the argument itself if it was added.
    /// - Throws: `FHIRStoreError`: `conflict` if the argument is a stored object that another write has changed or deleted.
    @discardableResult
    public func upsert<Resource: FHIRResource>(_ resource: Resource, policy: UpsertPolicy = .replace) throws -> Resource {
        let stored = try upsert([resource], policy: policy).resource(at: 0)
        managed.hold(stored)
        return stored
    }

    /// Stores resources by their types and ids, in few statements. If several have the same id, the last one counts.
    ///
    /// - Parameters:
    ///   - resources: the resources, of one type or of several.
    ///   - policy: what to do if a stored resource is newer. Default: replace it.
    /// - Returns: the stored resources in the order of the arguments, and how many were added, updated and unchanged.
    /// - Complexity: about as much as SQLite needs to write the rows; an unchanged resource costs a lookup.
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
            ) { index, outcome in
                switch outcome {
                case .added(let root):
                    let resource = resources[index]
                    managed.adopt(resource, root: root)
                    if resources.count < 64 { managed.remember(resource, root) }
                case .merge(let target):
                    target.assign(from: resources[index])
                    try managed.flush()
                case .updated, .unchanged, .older, .replaced: break
                }
                outcomes.take(outcome, resources[index])
            }
            return outcomes
        }
    }

    /// Stores the resources in a Bundle's entries one by one, by type and id, with the references between them rewritten to `Type/id`.
    ///
    /// An entry without a resource is skipped; a resource without an id gets the UUID of its `fullUrl`. OperationOutcomes about
    /// a search (`entry.search.mode` outcome) and R5's `Bundle.issues` are not stored; the result has them as `searchOutcomes`. The Bundle itself
    /// is neither stored nor changed.
    /// - Returns: the stored resources in the order of the entries, and how many were added, updated and unchanged.
    /// - Precondition: `bundle` is a resource of the type Bundle.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func upsert(bundle: FHIRResource, policy: UpsertPolicy = .replace) throws -> UpsertResult<FHIRResource> {
        misuse(unless: bundle.resourceType == "Bundle", "upsert(bundle:) needs a Bundle: store a \(bundle.resourceType) with upsert(_:)")
        let content = BundleUnpacker.content(of: bundle.copy())
        var result = try upsert(content.resources, policy: policy)
        result.searchOutcomes = content.outcomes + [BundleUnpacker.issues(of: bundle)?.copy()].compactMap { $0 }
        return result
    }

    /// `upsert` for resources that are not needed afterwards: they stay unmanaged, and the transaction keeps nothing of them.
    ///
    /// - Parameters:
    ///   - digests: the results of `FHIRStore.digest(of:)` for each of them; nil to compute them here.
    ///   - policy: what to do if a stored resource is newer. Default: replace it.
    package func store(
        _ resources: [FHIRResource], digests: [ContentDigest.Value]? = nil, policy: UpsertPolicy = .replace
    ) throws -> UpsertCounts {
        guard try mayComeSealed else { return try storeClear(resources, digests, policy) }
        let (counts, others) = try storeSealed(resources, policy)
        if others.count == resources.count { return try storeClear(resources, digests, policy) }
        let clear = try storeClear(others.map { resources[$0] }, digests.map { digests in others.map { digests[$0] } }, policy)
        return counts.adding(clear)
    }

    private func storeClear(
        _ resources: [FHIRResource], _ digests: [ContentDigest.Value]?, _ policy: UpsertPolicy
    ) throws -> UpsertCounts {
        try perform {
            var counts = UpsertCounts()
            try writer.upsert(
                resources, digests: digests, policy: policy, marksManaged: false, known: { managed[$0] }, check: checkAddable
            ) { index, outcome in
                if case .merge(let target) = outcome {
                    target.assign(from: resources[index])
                    try managed.flush()
                }
                counts.note(outcome)
            }
            return counts
        }
    }

    /// `upsert` for new resources that are not needed as objects of the store afterwards: they stay unmanaged, and the transaction keeps nothing
    /// of them.
    ///
    /// - Parameter digests: the results of `FHIRStore.digest(of:)` for each of them; nil to compute them here.
    /// - Returns: the version of each; nil for one that was not new, or was given twice.
    package func addUnmanaged(_ resources: [FHIRResource], digests: [ContentDigest.Value]? = nil) throws -> [Int64?] {
        try perform {
            var versions: [Int64?] = []
            versions.reserveCapacity(resources.count)
            try writer.upsert(
                resources, digests: digests, marksManaged: false, known: { managed[$0] }, check: checkAddable
            ) { index, outcome in
                switch outcome {
                case .added(let root): versions.append(writer.firstRevision(of: root))
                case .merge(let target):
                    target.assign(from: resources[index])
                    try managed.flush()
                    versions.append(nil)
                case .updated, .unchanged, .older, .replaced: versions.append(nil)
                }
            }
            return versions
        }
    }

    /// Whether there are stored resources of a type with these ids, in the order of the ids.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    package func areStored(typeName: String, ids: [String]) throws -> [Bool] {
        try perform {
            let table = try table(ofTypeNamed: typeName)
            // A table that was empty when the write began has what the write added.
            if try ids.allSatisfy({ try !writer.newIDs.mayHold($0, table, access) }) { return ids.map { _ in false } }
            let found = try access.registry.registrations(of: table, ids: ids)
            return try zip(ids, found).map { id, registration in
                if registration != nil { return true }
                // Stored, but without a registration.
                if let root = try access.registry.root(of: table, id: id) { throw loader.damaged(root) }
                return false
            }
        }
    }

    /// Creates the tables and columns that resources need, which are not stored yet.
    ///
    /// - Returns: whether any were missing.
    /// - Throws: `FHIRStoreError`: `tooLarge` if one of them cannot be stored; none are created then.
    package func prepare(for resources: [FHIRResource]) throws -> Bool { try perform { try writer.grow(for: resources) } }

    // MARK: - Deleting

    /// Deletes a stored resource with all its rows. The object becomes unmanaged, keeps its content and can be changed and added again.
    ///
    /// - Precondition: the resource is stored in this store.
    /// - Throws: `FHIRStoreError`.
    public func delete(_ resource: FHIRResource) throws {
        guard let tie = resource.objectExtras as? StoreTie, tie.store === store else {
            misuse(
                "the \(resource.layout.name) with pk \(resource.pk) is not stored in this store: fetch it from this store, or delete it by its type and id"
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

    /// Deletes the resource with this type and id, the first one stored if there are several; returns false if there is none.
    @discardableResult
    public func delete<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Bool {
        try delete(in: table(of: type), id: id)
    }

    private func delete(in table: @autoclosure () throws -> TablePlan, id: String) throws -> Bool {
        try perform {
            guard let root = try access.registry.root(of: table(), id: id) else { return false }
            guard try delete(root: root) else { throw loader.damaged(root) }
            return true
        }
    }

    /// Deletes the resource with that number; returns false if there is none.
    @discardableResult
    func delete(root: Int64) throws -> Bool {
        let isDeleted = try writer.delete(root: root)
        if let resource = managed[root], let tie = resource.objectExtras as? StoreTie { managed.forget(resource, tie) }
        return isDeleted
    }

    /// Deletes the resource with this type name and id; returns false if there is none.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is not a resource type of the release.
    @discardableResult
    public func delete(typeName: String, id: String) throws -> Bool {
        try delete(in: table(ofTypeNamed: typeName), id: id)
    }
}
