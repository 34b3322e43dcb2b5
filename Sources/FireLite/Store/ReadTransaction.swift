import FireLiteCore
import FireLiteSQLiteBridge

/// A view of the store as it was at one moment, whatever others write meanwhile. Valid inside `read` or `write` only.
///
/// - Precondition: of every call, that the block the transaction was given to has not returned.
public class ReadTransaction {
    public let store: FHIRStore
    let access: StoreConnection

    /// How many resources were put together from their rows.
    private(set) var loadedResources = 0

    init(store: FHIRStore, access: StoreConnection) {
        self.store = store
        self.access = access
    }

    /// Whether the block that the transaction was given to has ended.
    private var hasEnded = false

    /// Ends the transaction: whoever uses it from now on made a mistake.
    func end() { hasEnded = true }

    /// Traps where the transaction has ended: its connection serves others by then.
    func requireActive() {
        misuse(
            unless: !hasEnded,
            "this transaction has ended: use it only inside the block of read or write that it was given to, and begin another for later work"
        )
    }

    /// Runs the body of a public call: in a transaction that has not ended, after the changes of managed objects so far, and with errors of
    /// SQLite mapped to `FHIRStoreError`.
    func perform<Value>(_ body: () throws -> Value) throws -> Value {
        requireActive()
        return try store.mapping {
            try flush()
            return try body()
        }
    }

    /// Makes changes of managed objects visible to the statements that follow; for writes.
    func flush() throws {}

    /// The resource with that number if it is in memory already; for writes.
    func known(_ root: Int64) -> FHIRResource? { nil }

    /// Notes a resource that was fetched; for writes.
    func remember(_ resource: FHIRResource, _ root: Int64) {}

    /// Keeps a resource that was handed out in memory until the transaction ends; for writes.
    func hold(_ resource: FHIRResource) {}

    // MARK: - One resource

    func resource(root: Int64) throws -> FHIRResource? {
        if let known = known(root) { return known }
        guard let registration = try access.registration(root: root) else { return nil }
        return try resource(registration)
    }

    func resource(_ registration: StoreConnection.Registration) throws -> FHIRResource {
        if let known = known(registration.root) { return known }
        loadedResources += 1
        guard let shape = try access.shape(registration.shape), let resource = try access.load(root: registration.root, shape: shape) else {
            throw damaged(registration.root)
        }
        try verify(resource, registration)
        tie(resource, registration)
        return resource
    }

    /// What is kept of the first resource of a table with that id; nil where there is none.
    private func registration(of table: TablePlan, id: String) throws -> StoreConnection.Registration? {
        if let registration = try access.registration(of: table, id: id) { return registration }
        // Not there, or there without a registration.
        if let root = try access.root(of: table, id: id) { throw damaged(root) }
        return nil
    }

    /// A resource that was found by its id, which the index and the resource must agree on.
    private func found<Resource: FHIRResource>(
        _ resource: FHIRResource, _ type: Resource.Type, id: String, _ registration: StoreConnection.Registration
    ) throws -> Resource {
        guard let found = resource as? Resource, found.layout === type._layout, self is WriteTransaction || found.id == id else {
            throw damaged(registration.root)
        }
        return found
    }

    func table(of type: FHIRResource.Type) -> TablePlan {
        misuse(
            unless: type._layout.release == store.release,
            "\(type) is a class of FHIR \(type._layout.release) and the store holds \(store.release): use the classes of that release")
        return access.schema.table(of: type._layout)
    }

    /// The resource type with this name.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` where the release has none.
    func type(named name: String) throws -> FHIRResource.Type {
        guard let type = store.release.resourceType(named: name) else {
            throw FHIRStoreError(.invalidArgument, "FHIR \(store.release.name) has no resource type '\(name)'")
        }
        return type
    }

    /// The resource with this type and logical id, the first one stored where there are several; nil where there is none.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        try perform {
            guard let registration = try registration(of: table(of: type), id: id) else { return nil }
            let resource = try found(resource(registration), type, id: id, registration)
            hold(resource)
            return resource
        }
    }

    /// The resource with this type name and logical id.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is no resource type of the release.
    public func resource(typeName: String, id: String) throws -> FHIRResource? {
        try resource(type(named: typeName), id: id)
    }

    /// The stored resources with these ids, in the order of the ids; ids of nothing are passed over, and an id that comes again gets the
    /// same object. Rows are read in the order of the file, whatever that of the ids.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        let found = try perform {
            return try resources(of: table(of: type), type._layout, ids: Array(ids))
        }
        // Their layout is that of the type, so that asking each for its type would only take time.
        return [Resource](unsafeUninitializedCapacity: found.count) { typed, count in
            for resource in found {
                (typed.baseAddress.unsafelyUnwrapped + count).initialize(to: unsafeDowncast(resource, to: type))
                count += 1
            }
        }
    }

    /// The stored resources of a type with these ids, in the order of the ids: each table is gone through once, in the order of the file.
    private func resources(of table: TablePlan, _ layout: Layout, ids: [String]) throws -> [FHIRResource] {
        let found = try access.registrations(of: table, ids: ids)
        var places: ContiguousArray<(root: Int64, place: Int)> = []
        places.reserveCapacity(ids.count)
        for place in ids.indices {
            if let root = found[place]?.root {
                places.append((root, place))
            } else if let root = try access.root(of: table, id: ids[place]) {
                // There without a registration.
                throw damaged(root)
            }
        }
        places.sort { $0.root < $1.root }
        var wanted: [StoreConnection.Registration] = []
        wanted.reserveCapacity(places.count)
        for (root, place) in places where wanted.last?.root != root {
            if let registration = found[place] { wanted.append(registration) }
        }
        let loaded = try resources(wanted)
        var inOrder = [FHIRResource?](repeating: nil, count: ids.count)
        var next = 0
        let isWrite = self is WriteTransaction
        for (root, place) in places {
            if wanted[next].root != root { next += 1 }
            let resource = loaded[next]
            guard resource.layout === layout, isWrite || resource.id == ids[place] else { throw damaged(root) }
            hold(resource)
            inOrder[place] = resource
        }
        return inOrder.compactMap { $0 }
    }

    /// The resource with this pk, of whatever type; nil where there is none.
    public func resource(pk: String) throws -> FHIRResource? {
        try perform {
            guard let registration = try registration(pk: pk) else { return nil }
            let resource = try resource(registration)
            hold(resource)
            return resource
        }
    }

    func registration(pk: String) throws -> StoreConnection.Registration? {
        if let root = store.identity.root(ofPK: pk), let registration = try access.registration(root: root), registration.pk == nil {
            return registration
        }
        return try access.registration(pk: pk)
    }

    /// The resource with this pk; nil where there is none, or one of another type.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, pk: String) throws -> Resource? {
        try resource(pk: pk) as? Resource
    }

    // MARK: - Many resources

    /// Calls `body` with every resource of a type in the order they were stored; in a read one at a time is in memory, in a
    /// write some hundred.
    public func forEach<Resource: FHIRResource>(_ type: Resource.Type, _ body: (Resource) throws -> Void) throws {
        try forEach(type as FHIRResource.Type) { resource in
            if let resource = resource as? Resource { try body(resource) }
        }
    }

    /// Calls `body` with every resource of a type in the order they were stored; in a read one at a time is in memory, in a
    /// write some hundred.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is no resource type of the release; what `body` throws.
    public func forEach(typeName: String, _ body: (FHIRResource) throws -> Void) throws {
        try forEach(type(named: typeName), body)
    }

    private func forEach(_ type: FHIRResource.Type, _ body: (FHIRResource) throws -> Void) throws {
        try perform {}
        var last: Int64 = -1
        while true {
            let batch = try store.mapping { try self.batch(of: table(of: type), after: last) }
            guard let end = batch.last else { return }
            last = end.root
            if self is WriteTransaction {
                // The body may change what is still to be read.
                for resource in try store.mapping({ try self.resources(batch) }) { try body(resource) }
            } else {
                try store.mapping { try load(batch, body) }
            }
        }
    }

    /// The resources with these registrations, which are in the order of their numbers.
    func resources(_ registrations: [StoreConnection.Registration]) throws -> [FHIRResource] {
        var loaded: [FHIRResource] = []
        loaded.reserveCapacity(registrations.count)
        guard self is WriteTransaction else {
            try load(registrations) { loaded.append($0) }
            return loaded
        }
        let inMemory = registrations.map { known($0.root) }
        try load(zip(registrations, inMemory).filter { $1 == nil }.map { $0.0 }) { loaded.append($0) }
        var rest = loaded[...]
        return inMemory.map { known in known ?? rest.removeFirst() }
    }

    /// Calls `body` with the resources with these registrations as they are put together.
    func load(_ registrations: [StoreConnection.Registration], _ body: (FHIRResource) throws -> Void) throws {
        try access.load(registrations) { registration, resource in
            guard let resource else { throw damaged(registration.root) }
            try verify(resource, registration)
            tie(resource, registration)
            try body(resource)
        }
    }

    /// Compares what was read with the digest of what was stored (see `FHIRStore.Configuration.verifiesContent`).
    private func verify(_ resource: FHIRResource, _ registration: StoreConnection.Registration) throws {
        guard store.verifiesContent else { return }
        guard ContentDigest.digest(of: resource, key: store.identity.digestKey) == registration.digest else {
            throw damaged(registration.root)
        }
    }

    private func damaged(_ root: Int64) -> FHIRStoreError {
        // Where there was no memory for a value, SQLite gives an empty one.
        if access.connection.lacksMemory { return FHIRStoreError(SQLiteError(code: 7, message: "out of memory"), path: store.path) }
        return FHIRStoreError(
            .notAStore,
            "\(store.path) is damaged: the rows of the resource with number \(root) are not what was stored: "
                + "restore a backup or salvage what is readable")
    }

    func tie(_ resource: FHIRResource, _ registration: StoreConnection.Registration) {
        resource.become(StoreTie(store: store, root: registration.root, revision: registration.revision, pk: registration.pk))
        remember(resource, registration.root)
    }

    /// The next registrations of a type, by number.
    func batch(of table: TablePlan, after root: Int64, limit: Int = 256) throws -> [StoreConnection.Registration] {
        guard table.isInFile else { return [] }
        let statement = try access.connection.cached(
            """
            SELECT t._k >> 24, r.shape, r.revision, r.nodes, r.digest, r.pk FROM \(table.quotedName) t
            LEFT JOIN _resource r ON r.root = t._k >> 24
            WHERE t._k > ? AND t._parent IS NULL ORDER BY t._k LIMIT \(limit)
            """)
        statement.bind(1, root << 24 | 0xFF_FFFF)
        defer { statement.reset() }
        var batch: [StoreConnection.Registration] = []
        while try statement.step() {
            if statement.type(1) == .null { throw damaged(statement.int(0)) }
            batch.append(
                StoreConnection.Registration(
                    root: statement.int(0), shape: statement.int(1), revision: statement.int(2),
                    nodes: UInt32(truncatingIfNeeded: statement.int(3)), digest: statement.bytes16(4), pk: statement.text(5)))
        }
        return batch
    }

    /// How many resources of a type the store holds; contained ones do not count.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int {
        try perform {
            return try count(table(of: type))
        }
    }

    private func count(_ table: TablePlan) throws -> Int {
        guard table.isInFile else { return 0 }
        let statement = try access.connection.cached("SELECT count(*) FROM \(table.quotedName) WHERE _parent IS NULL")
        defer { statement.reset() }
        return try statement.step() ? Int(statement.int(0)) : 0
    }

    /// The types the store holds resources of, by name, and how many.
    public func counts() throws -> [TypeCount] {
        try perform {
            return try access.schema.tables.filter { $0.isResource && $0.isInFile }
                .map { TypeCount(typeName: $0.name, count: try count($0)) }.filter { $0.count > 0 }.sorted { $0.typeName < $1.typeName }
        }
    }

    // MARK: - Rows

    /// The rows a stored resource is kept in, in the order of their numbers: for showing what the store does.
    public func rows(of resource: FHIRResource) throws -> [StoredRow] {
        requireActive()
        guard let tie = resource.objectExtras as? StoreTie else { return [] }
        return try perform {
            guard let registration = try access.registration(root: tie.root), let shape = try access.shape(registration.shape) else {
                return []
            }
            var rows: [(Int64, StoredRow)] = []
            for table in shape.tables {
                let reader = try access.reader(table)
                reader.start(tie.root << 24, tie.root << 24 | 0xFF_FFFF)
                while try reader.statement.step() { rows.append((reader.statement.int(0), StoredRow(reader))) }
                reader.statement.reset()
            }
            return rows.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

/// A row of a table, for showing.
public struct StoredRow: Sendable {
    public let table: String
    /// The columns that are not NULL, `_k` first, with their values as text.
    public let columns: [(name: String, value: String)]

    init(_ reader: RowReader) {
        let statement = reader.statement
        table = reader.columns.plan.name
        columns = (0..<statement.columnCount).compactMap { index in statement.text(index).map { (statement.columnName(index), $0) } }
    }
}
