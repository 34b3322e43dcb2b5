import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// The writing side of a store: one connection, used by one write at a time.
final class StoreWriter {
    let access: StoreConnection
    let identity: StoreIdentity
    // Exclusive access is not checked for these, as they are used for each resource or row, and nothing calls back into this type.
    @exclusivity(unchecked) var flattener: Flattener
    @exclusivity(unchecked) private var stored = RowBuffer(linksTables: false)
    /// Changed resources that are about to be compared with their stored rows, their rows, and stored rows that have been read together.
    @exclusivity(unchecked) var changes: [PendingChange] = []
    @exclusivity(unchecked) var changedRows: Flattener
    @exclusivity(unchecked) var storedRows: [RowBuffer] = []
    @exclusivity(unchecked) private var pending: [Pending] = []
    @exclusivity(unchecked) private var roots: [Int64] = []
    @exclusivity(unchecked) var nextRoot: Int64 = 0
    var savedNextRoot: Int64 = 0
    var reservedRoots = ReservedRoots()
    var hasGrown = false
    var keepsIDsUnique = false
    @exclusivity(unchecked) var newIDs = NewIDs()
    @exclusivity(unchecked) private var stamps: [UInt32] = []
    @exclusivity(unchecked) private var stamp: UInt32 = 0
    @exclusivity(unchecked) private var marks: [UInt64] = []
    @exclusivity(unchecked) private var tables = ContiguousArray<Int32>()
    /// What the write has changed; nil if neither observers nor modules want to know.
    @exclusivity(unchecked) var record: CommitRecord?
    /// The record of the last write that was observed, for the next one.
    var lastRecord: CommitRecord?
    /// Records the changes that the file tracks; nil if it tracks nothing.
    @exclusivity(unchecked) var tracking: ChangeRecorder?
    /// The first revisions of resources that this write added, by number, where they continue those of a deleted resource.
    var continued: [Int64: Int64] = [:]
    /// The revisions that this write has given to resources it found, by number, if the file tracks changes; and the resources that it has changed
    /// again since, or that it has added and changed.
    var given: [Int64: Int64] = [:]
    var changedAgain: Set<Int64> = []
    var trackingSettings = TrackingSettings()
    var origin = WriteOrigin.local
    /// The write in progress and what keeps payloads apart in it; nil if nothing does.
    @exclusivity(unchecked) weak var transaction: WriteTransaction?
    @exclusivity(unchecked) var keeper: (any PayloadKeeper)?
    /// What left the rows of a resource incomplete: the write can then only be rolled back, even if its block caught the error.
    var brokenBy: (any Error)?
    /// Whether something takes part in this write that knows which resources are sealed.
    var knowsSealed = true
    var catalogVersion: Int64?
    var changesBefore: Int64 = 0

    /// The number of resources to turn into rows before writing these: enough to write each table in one go, and few enough for the caches.
    private static let batchSize = 256
    /// The number of bytes of text after which a batch is written early.
    static let batchBytes = 4 << 20

    /// A resource whose rows are waiting to be inserted.
    private struct Pending {
        let root: Int64
        let digest: ContentDigest.Value
        let revision: Int64
        let pk: String?
        let nodes: UInt32
        let firstRow: Int
        let lastRow: Int
    }

    init(_ access: StoreConnection, identity: StoreIdentity) {
        self.access = access
        self.identity = identity
        flattener = Flattener(schema: access.schema)
        changedRows = Flattener(schema: access.schema)
        changedRows.buffer.linksTables = false
    }

    // MARK: - Inserting

    /// Inserts new resources and returns their numbers.
    func insert(_ resources: [FHIRResource]) throws -> [Int64] {
        try atomically(resources) {
            var numbers: [Int64] = []
            for resource in resources {
                if keepsIDsUnique { try UniqueIDs(access).verify(resource) }
                try apart(resource) { detached in
                    let digest = ContentDigest.digest(of: resource, key: identity.digestKey)
                    numbers.append(try queue(resource, digest: digest, marksManaged: true))
                    try note(detached, ofResource: numbers[numbers.count - 1], isNew: true)
                }
            }
            try writeQueue()
            return numbers
        }
    }

    /// Runs `body`; if it throws, its changes are rolled back and the write can continue.
    func atomically<Value>(_ resources: [FHIRResource], _ body: () throws -> Value) throws -> Value {
        try access.connection.cached("SAVEPOINT firelite").run()
        record?.beginSavepoint()
        tracking?.beginSavepoint()
        let hadGrown = hasGrown
        let settings = trackingSettings
        do {
            let result = try body()
            try access.connection.cached("RELEASE firelite").run()
            tracking?.endSavepoint()
            return result
        } catch {
            clearQueue()
            record?.rollBackToSavepoint()
            tracking?.rollBackToSavepoint()
            hasGrown = hadGrown
            trackingSettings = settings
            for resource in resources where !(resource.objectExtras is StoreTie) { resource.becomeUnmanaged() }
            if access.connection.isInTransaction {
                try access.connection.cached("ROLLBACK TO firelite").run()
                try access.connection.cached("RELEASE firelite").run()
                access.forget()
                try access.schema.refresh(access.connection)
            }
            throw error
        }
    }

    func clearQueue() {
        flattener.clear()
        pending.removeAll()
        roots.removeAll()
        clearChanges()
    }

    /// Turns a new resource into rows, which are written with the next batch.
    private func queue(_ resource: FHIRResource, digest: ContentDigest.Value, marksManaged: Bool) throws -> Int64 {
        // Changes are noted in the order in which they are written.
        try writeChanges()
        let root = nextRoot
        guard root <= RootNumbers.maximum else {
            throw FHIRStoreError(.tooLarge, "the store has used all \(RootNumbers.maximum) numbers of resources: start a new store")
        }
        let firstRow = flattener.buffer.rows.count
        let nodes: UInt32
        do {
            nodes = try flattener.add(resource, as: pending.count, numbering: .fresh, marksManaged: marksManaged)
        } catch {
            resource.becomeUnmanaged()
            throw error
        }
        nextRoot += 1
        let table = access.schema.table(of: resource.layout)
        newIDs.insert(resource, table)
        let revision = try tracking?.firstRevision(of: resource.id, table) ?? 1
        // A number may have been given to another resource, in a savepoint that was rolled back.
        if revision != 1 || !continued.isEmpty { continued[root] = revision }
        try record?.added(root, resource, revision: revision, table)
        pending.append(
            Pending(
                root: root, digest: digest, revision: revision, pk: resource.objectExtras?.pk, nodes: nodes, firstRow: firstRow,
                lastRow: flattener.buffer.rows.count))
        roots.append(root)
        return root
    }

    /// The revision of a resource that this write has added.
    func firstRevision(of root: Int64) -> Int64 { continued[root] ?? 1 }

    func writeQueue() throws {
        guard !pending.isEmpty else { return }
        // Looking through all tables takes longer than looking at the rows of a few resources.
        if pending.count > 8 || access.schema.needsGrowth(for: flattener.buffer) { try grow() }
        try RowInserter(schema: access.schema, connection: access.connection).insert(flattener.buffer, roots: roots)
        if record != nil { for row in flattener.buffer.rows { record?.touch(row.table) } }
        var next = 0
        while next < pending.count {
            let end = pending.count - next < RowInserter.group ? next + 1 : next + RowInserter.group
            try register(pending[next..<end])
            next = end
        }
        if tracking != nil {
            let added = pending.map { (root: $0.root, type: access.schema.tables[Int(flattener.buffer.rows[$0.firstRow].table)]) }
            try tracking?.added(added)
        }
        flattener.clear()
        pending.removeAll(keepingCapacity: true)
        roots.removeAll(keepingCapacity: true)
    }

    /// Registers some resources with one statement.
    private func register(_ resources: ArraySlice<Pending>) throws {
        try access.registry.insert(resources.count) { number in
            let resource = resources[resources.startIndex + number]
            return Registration(
                root: resource.root, shape: try shape(of: resource.firstRow..<resource.lastRow, in: flattener.buffer).number,
                revision: resource.revision, nodes: resource.nodes, digest: resource.digest, pk: resource.pk)
        }
    }

    /// The set of tables with rows in the buffer.
    func shape(of rows: Range<Int>, in buffer: borrowing RowBuffer) throws -> Shape {
        stamp += 1
        while stamps.count < access.schema.tables.count {
            marks.append(access.schema.tables[stamps.count].mark)
            stamps.append(0)
        }
        tables.removeAll(keepingCapacity: true)
        var mark: UInt64 = 0
        for row in rows {
            let table = buffer.rows[row].table
            guard stamps[Int(table)] != stamp else { continue }
            stamps[Int(table)] = stamp
            tables.append(table)
            mark ^= marks[Int(table)]
        }
        return try access.registry.shape(tables: tables, mark: mark) { stamps[Int($0)] == stamp }
    }

    // MARK: - Upserting

    /// Stores resources by type and id and returns the outcome of each, in their order.
    ///
    /// - Parameters:
    ///   - digests: the digests of the resources, if known.
    ///   - policy: what to do if the stored resource is newer.
    ///   - marksManaged: whether the objects that are added become part of the store.
    ///   - known: returns the object in memory of a stored resource, which must be updated.
    ///   - check: called with each resource before it is stored, possibly twice.
    ///   - report: called with the index of each resource and its outcome. It looks at few of the resources, whose memory has long left the
    ///     processor's cache.
    func upsert(
        _ resources: [FHIRResource], digests: [ContentDigest.Value]? = nil, policy: UpsertPolicy = .replace, marksManaged: Bool,
        known: (Int64) -> FHIRResource?, check: (FHIRResource) -> Void, _ report: (Int, UpsertOutcome) throws -> Void
    ) throws {
        func attempt(_ lasts: [ResourceIdentity: Int]?) throws -> [UpsertOutcome] {
            try atomically(resources) {
                try resources.withUnmanaged { unmanaged in
                    try upsert(
                        resources, unmanaged, digests: digests, policy: policy, marksManaged: marksManaged, known: known, check: check,
                        lasts: lasts)
                }
            }
        }
        let outcomes: [UpsertOutcome]
        do {
            outcomes = try attempt(nil)
        } catch is RepeatedID {
            outcomes = try attempt(Self.decidingIndexes(resources, policy))
        }
        for (index, outcome) in outcomes.enumerated() { try report(index, outcome) }
    }

    /// - Parameters:
    ///   - unmanaged: the resources, to look at them without counting references.
    ///   - lasts: for each type and id the index that counts; nil at first.
    /// - Throws: `RepeatedID` if an id occurs twice and `lasts` is nil; `FHIRStoreError`; `SQLiteError`.
    private func upsert(
        _ resources: [FHIRResource], _ unmanaged: UnsafeBufferPointer<Unmanaged<FHIRResource>>, digests: [ContentDigest.Value]?,
        policy: UpsertPolicy, marksManaged: Bool, known: (Int64) -> FHIRResource?, check: (FHIRResource) -> Void,
        lasts: [ResourceIdentity: Int]?
    ) throws -> [UpsertOutcome] {
        // Short hashes of the ids so far, needed only from the first resource on that differs from the stored one.
        var seen: IDSet?
        var lookups = IDLookups(unmanaged)
        // What is kept of the content before a change is read with its rows, one by one.
        let postpones = resources.count >= Self.fewChanges && keeper == nil && tracking == nil
        var outcomes: [UpsertOutcome] = []
        outcomes.reserveCapacity(resources.count)
        for (index, resource) in resources.enumerated() {
            FHIRResource.prefetch(unmanaged, after: index)
            if index & 63 == 0 { try Cancellation.check() }
            if let lasts {
                if let identity = ResourceIdentity(resource), let last = lasts[identity], last != index {
                    outcomes.append(.replaced(last))
                    continue
                }
            } else if let seen {
                try note(resource, in: seen)
            }
            if resource.isManaged, !(resource.objectExtras is StoreTie),
                let first = resources[..<index].firstIndex(where: { $0 === resource })
            {
                // Already queued: it has no id and occurs twice.
                outcomes.append(.replaced(first))
                continue
            }
            check(resource)
            let outcome = try upsert(
                resource, knownDigest: digests?[index], policy: policy, marksManaged: marksManaged, object: known, postpones: postpones
            ) { try lookups.registration(at: index, access, &newIDs) }
            outcomes.append(outcome)
            if case .unchanged = outcome { continue }
            if lasts == nil, seen == nil, resources.count > 1 {
                let ids = IDSet(capacity: resources.count)
                for earlier in resources[...index] { try note(earlier, in: ids) }
                seen = ids
            }
            if pending.count >= Self.batchSize || flattener.buffer.bytes.count >= Self.batchBytes { try writeQueue() }
            if hasManyChanges { try writeChanges() }
        }
        try writeQueue()
        try writeChanges()
        storedRows.removeAll()
        return outcomes
    }

    private func note(_ resource: FHIRResource, in seen: IDSet) throws {
        if let hash = IDHash.of(resource), !seen.insert(hash) { throw RepeatedID() }
    }

    private func upsert(
        _ resource: FHIRResource, knownDigest: ContentDigest.Value?, policy: UpsertPolicy, marksManaged: Bool,
        object: (Int64) -> FHIRResource?, postpones: Bool, lookUp: () throws -> Registration?
    ) throws -> UpsertOutcome {
        if resource.isManaged, let tie = resource.objectExtras as? StoreTie {
            // Its changes have been saved; another write may still have replaced or deleted it.
            _ = try currentRegistration(of: resource, tie)
            return .unchanged(tie.root)
        }
        return try apart(resource) { detached in
            // A digest that was computed before is that of the whole resource.
            let known = detached == nil ? knownDigest : nil
            let digest = known ?? ContentDigest.digest(of: resource, key: identity.digestKey)
            guard let registration = try lookUp() else {
                let root = try queue(resource, digest: digest, marksManaged: marksManaged)
                try note(detached, ofResource: root, isNew: true)
                return .added(root)
            }
            let root = registration.root
            if registration.digest == digest { return .unchanged(root) }
            if policy == .keepNewer, try isOlder(resource, than: registration) { return .older(root) }
            if let target = object(root) { return .merge(target) }
            try writeQueue()
            if postpones {
                try postpone(registration, resource, digest: digest)
                return .updated(root)
            }
            _ = try replace(registration, with: resource, numbering: .fresh, digest: digest)
            try note(detached, ofResource: root, isNew: false)
            return .updated(root)
        }
    }

    private func isOlder(_ resource: FHIRResource, than registration: Registration) throws -> Bool {
        // New resources that wait may have added columns, all of which statements that read a table name.
        if access.schema.needsGrowth(for: flattener.buffer) { try grow() }
        guard let stored = try access.reader.resource(registration) else { return false }
        return MetaVersion(resource).isOlder(than: MetaVersion(stored))
    }

    // MARK: - Updating

    /// Writes the changes of a managed resource and returns its new revision.
    ///
    /// - Throws: `FHIRStoreError.conflict` if another write has replaced the version that the object was read from.
    func save(_ resource: FHIRResource, _ tie: StoreTie) throws -> Int64 {
        try writeQueue()
        let registration = try currentRegistration(of: resource, tie)
        if keepsIDsUnique { try UniqueIDs(access).verify(resource, besides: tie.root) }
        return try apart(resource) { detached in
            let digest = ContentDigest.digest(of: resource, key: identity.digestKey)
            let revision = try replace(registration, with: resource, numbering: .kept, digest: digest)
            if revision != registration.revision { try note(detached, ofResource: tie.root, isNew: false) }
            return revision
        }
    }

    /// A new object with the rows that a resource has now; nil if there is none.
    func stored(_ root: Int64) throws -> FHIRResource? {
        guard let registration = try access.registry.registration(root: root) else { return nil }
        return try access.reader.resource(registration)
    }

    /// The registration of the stored resource that an object was read from.
    ///
    /// - Throws: `FHIRStoreError.conflict` if another write has changed or deleted it since.
    private func currentRegistration(of resource: FHIRResource, _ tie: StoreTie) throws -> Registration {
        guard let registration = try access.registry.registration(root: tie.root) else {
            let name = "the \(resource.layout.name) with pk \(resource.pk)"
            throw FHIRStoreError(
                .conflict, "\(name) was deleted by another write since it was read", remedy: .acceptDeletion,
                conflict: .deleted)
        }
        guard registration.revision == tie.revision else {
            let name = "the \(resource.layout.name) with pk \(resource.pk)"
            throw FHIRStoreError(
                .conflict,
                "\(name) was changed since it was read, by another write or through another object in this one: fetch it again and repeat the change",
                conflict: .changed)
        }
        return registration
    }

    /// The tables that a stored resource has rows in.
    func shape(of registration: Registration) throws -> Shape {
        guard let shape = try access.registry.shape(registration.shape) else {
            throw FHIRStoreError(.notAStore, "the resource with number \(registration.root) has no list of tables", remedy: .check)
        }
        return shape
    }

    /// - Parameter place: the index of its stored rows in `storedRows`, if they were read with those of others.
    @discardableResult
    func replace(
        _ registration: Registration, with resource: FHIRResource, numbering: Flattener.Numbering,
        digest: ContentDigest.Value, isRenewal: Bool = false, storedAt place: Int? = nil
    ) throws -> Int64 {
        try refuseSealed(registration)
        stored.clear()
        defer { flattener.clear() }
        // The id may have changed.
        newIDs.forget(access.schema.table(of: resource.layout))
        let shape = try self.shape(of: registration)
        _ = try flattener.add(resource, as: 0, numbering: numbering, marksManaged: false, takesOver: numbering == .fresh)
        if access.schema.needsGrowth(for: flattener.buffer) { try grow() }
        let type = access.schema.table(of: resource.layout)
        if place != nil {
            // Its rows are there.
        } else if isRenewal || digest != registration.digest, tracking?.needsContent(registration, type) == true {
            try tracking?.willUpdate(registration, type, access.reader.resource(root: registration.root, shape: shape, rows: &stored))
        } else {
            try access.reader.rows(root: registration.root, shape: shape, into: &stored)
        }
        var nextNode = registration.nodes
        let oldID = try oldID(of: registration, type)
        var diff = RowDiff(access, notes: record.map { $0.notesPaths ? .paths : .tables } ?? .nothing)
        if let place {
            try diff.apply(&flattener.buffer, over: &storedRows[place], root: registration.root, byNumber: false, nextNode: &nextNode)
        } else {
            try diff.apply(&flattener.buffer, over: &stored, root: registration.root, byNumber: numbering == .kept, nextNode: &nextNode)
        }
        if numbering == .kept { flattener.assignNumbers() }
        if record != nil { for table in diff.touched { record?.touch(table) } }
        guard isRenewal || diff.written > 0 || digest != registration.digest else { return registration.revision }
        let newShape = try self.shape(of: 0..<flattener.buffer.rows.count, in: flattener.buffer)
        return try register(
            registration, .passUnretained(resource), type, shape: newShape.number, nodes: nextNode, digest: digest, paths: diff.paths,
            oldID: oldID)
    }

    func refuseSealed(_ registration: Registration) throws {
        guard !knowsSealed, try access.isSealed(registration.root) else { return }
        throw FHIRStoreError(
            .missingKey,
            "\(access.connection.path): the resource is sealed, and changing what is in the clear would leave old content sealed",
            remedy: .useRecords)
    }

    /// The id of a resource before it changes, if modules need it.
    func oldID(of registration: Registration, _ type: TablePlan) throws -> String? {
        record?.listsAll == true ? try access.registry.id(of: type, root: registration.root) : nil
    }

    /// Registers a resource whose rows have changed, and returns its new revision.
    func register(
        _ registration: Registration, _ resource: Unmanaged<FHIRResource>, _ type: TablePlan, shape: Int64, nodes: UInt32,
        digest: ContentDigest.Value, paths: [String]?, oldID: String?
    ) throws -> Int64 {
        // A revision counts up from 1; a damaged file may contain any number.
        let revision = try Registration.revision(after: registration.revision, access.connection)
        let changed = Registration(
            root: registration.root, shape: shape, revision: revision, nodes: nodes, digest: digest, pk: registration.pk)
        try access.registry.update(changed)
        if tracking != nil { count(revision, of: registration.root) }
        if let record { try record.updated(changed, resource.takeUnretainedValue(), type, paths: paths, oldID: oldID) }
        return revision
    }

    /// Counts a resource as changed whose rows stay as they are.
    func renew(root: Int64) throws {
        try writeQueue()
        guard let registration = try access.registry.registration(root: root), let resource = try access.reader.resource(registration)
        else { return }
        _ = try replace(registration, with: resource, numbering: .fresh, digest: registration.digest, isRenewal: true)
    }

    // MARK: - Revisions

    /// Notes a revision. While a write goes on, each change that is written counts, so that objects with an older state are found out.
    private func count(_ revision: Int64, of root: Int64) {
        if root >= savedNextRoot || given[root] != nil { changedAgain.insert(root) } else { given[root] = revision }
    }

    /// Makes the changes that this write has made to a resource one version of it, however often they were written, so that the numbers in its
    /// history follow each other.
    ///
    /// - Returns: the revisions of the resources that were counted further, by number.
    func settleRevisions() throws -> [Int64: Int64] {
        guard !changedAgain.isEmpty else { return [:] }
        var settled: [Int64: Int64] = [:]
        for root in changedAgain.sorted() {
            // What was rolled back to a savepoint, or deleted since, has nothing to settle.
            guard let wanted = root >= savedNextRoot ? firstRevision(of: root) : given[root],
                let registration = try access.registry.registration(root: root), registration.revision > wanted
            else { continue }
            try access.registry.setRevision(wanted, root: root)
            record?.settle(root, revision: wanted)
            settled[root] = wanted
        }
        changedAgain.removeAll()
        return settled
    }
}
