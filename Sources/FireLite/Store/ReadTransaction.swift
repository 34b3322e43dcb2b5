import FireLiteCore
import FireLiteSQLiteBridge

/// A snapshot of the store, unaffected by later writes. Valid only inside `read` or `write`.
///
/// - Precondition: every call must happen before the transaction's block has returned.
public class ReadTransaction {
    /// The store that it reads.
    public let store: FHIRStore
    let access: StoreConnection
    /// The objects of a write; nil in a read, which keeps none.
    let objects: ManagedObjects?
    let loader: ResourceLoader
    /// What is handed out; nil if no module keeps a record of it.
    let reads: ReadRecord?
    /// What hides resources from the transaction's calls; nil if nothing does.
    var restriction: (any QueryRestriction)?
    /// Whether the transaction's block has ended.
    private var hasEnded = false

    init(store: FHIRStore, access: StoreConnection, objects: ManagedObjects? = nil, reads: ReadRecord? = nil) {
        self.store = store
        self.access = access
        self.objects = objects
        self.reads = reads
        loader = ResourceLoader(store: store, access: access, objects: objects, reads: reads)
    }

    /// Ends the transaction: using it afterwards is a mistake.
    func end() {
        hasEnded = true
        objects?.end()
    }

    /// Traps if the transaction has ended, as other transactions then use its connection.
    func requireActive() {
        misuse(
            unless: !hasEnded,
            "this transaction has ended: use it only inside its block of read or write, and begin another for later work"
        )
    }

    /// Runs the body of a public call: checks that the transaction has not ended, writes the changes of managed objects so far, and maps SQLite
    /// errors to `FHIRStoreError`.
    ///
    /// - Parameters:
    ///   - flushes: whether changes of managed objects are written first, so that statements see them.
    ///   - observesRestriction: whether the call hides what a restriction hides. Others are refused while there is one.
    func perform<Value>(flushes: Bool = true, observesRestriction: Bool = false, _ body: () throws -> Value) throws -> Value {
        requireActive()
        if restriction != nil, !observesRestriction { throw FHIRStoreError.notInRestrictedView }
        return try store.mapping {
            if flushes { try objects?.flush() }
            guard let reads else { return try body() }
            return try reads.collecting(body)
        }
    }

    // MARK: - Types

    func table(of layout: Layout) -> TablePlan { access.schema.table(of: layout) }

    func table(of type: FHIRResource.Type) -> TablePlan { table(of: store.layout(of: type)) }

    /// The table of the resource type with this name.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` if the release has none.
    func table(ofTypeNamed name: String) throws -> TablePlan {
        guard let layout = store.release.resourceLayout(named: name) else {
            throw FHIRStoreError(.invalidArgument, "FHIR \(store.release.name) has no resource type '\(name)'")
        }
        return table(of: layout)
    }

    // MARK: - One resource

    /// The resource with this type and logical id, the first one stored if there are several; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        try resource(in: table(of: type), id: id) as? Resource
    }

    private func resource(in table: @autoclosure () throws -> TablePlan, id: String) throws -> FHIRResource? {
        try perform(observesRestriction: true) {
            let table = try table()
            access.region?.insert(id: id, table.name)
            if restriction != nil {
                guard let root = try access.registry.root(of: table, id: id), try permitted([root], table.root.layout).contains(root) else {
                    return nil
                }
            }
            guard let registration = try access.registry.registration(of: table, id: id) else {
                // Missing, or without a registration.
                if let root = try access.registry.root(of: table, id: id) { throw loader.damaged(root) }
                return nil
            }
            // The index and the resource must agree.
            let resource = try loader.resource(registration)
            guard resource.layout === table.root.layout, resource.id == id else {
                throw loader.damaged(registration.root)
            }
            objects?.hold(resource)
            return resource
        }
    }

    /// The resource with this type name and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    public func resource(typeName: String, id: String) throws -> FHIRResource? {
        try resource(in: table(ofTypeNamed: typeName), id: id)
    }

    /// The resource with this pk, of any type; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource(pk: String) throws -> FHIRResource? {
        try perform(observesRestriction: true) {
            guard let registration = try registration(pk: pk) else {
                access.region?.isEverything = true
                return nil
            }
            guard try isPermitted(registration) else { return nil }
            let resource = try loader.resource(registration)
            objects?.hold(resource)
            return resource
        }
    }

    /// The resource with this pk; nil if there is none, or if it has another type.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, pk: String) throws -> Resource? {
        try resource(pk: pk) as? Resource
    }

    func registration(pk: String) throws -> Registration? {
        if let root = store.identity.root(ofPK: pk), let registration = try access.registry.registration(root: root), registration.pk == nil
        {
            return registration
        }
        return try access.registry.registration(pk: pk)
    }

    // MARK: - Many resources

    /// The stored resources with these ids, in the order of the ids. Unknown ids are skipped, and a repeated id returns the same object.
    ///
    /// - Complexity: reads each table once, in the order of the file.
    /// - Throws: `FHIRStoreError`.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        let found = try perform(observesRestriction: true) {
            try resources(of: table(of: type), type._layout, ids: permittedIDs(Array(ids), type._layout))
        }
        // Their layout is that of the type, so a dynamic cast of each would only take time.
        return [Resource](unsafeUninitializedCapacity: found.count) { typed, count in
            for resource in found {
                (typed.baseAddress.unsafelyUnwrapped + count).initialize(to: unsafeDowncast(resource, to: type))
                count += 1
            }
        }
    }

    /// The stored resources of the type with this name, with these ids, in the order of the ids. Unknown ids are skipped.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    package func resources(typeName: String, ids: [String]) throws -> [FHIRResource] {
        try perform {
            let table = try table(ofTypeNamed: typeName)
            return try resources(of: table, table.root.layout, ids: ids)
        }
    }

    private func resources(of table: TablePlan, _ layout: Layout, ids: [String]) throws -> [FHIRResource] {
        if access.region != nil { for id in ids { access.region?.insert(id: id, table.name) } }
        let places = try access.registry.places(of: table, ids: ids)
        var roots: ContiguousArray<Int64> = []
        roots.reserveCapacity(places.count)
        for (root, _) in places where roots.last != root { roots.append(root) }
        var registrations = try access.registry.registrations(roots: roots)
        defer { access.registry.giveBack(&registrations) }
        guard registrations.count == roots.count else { return try registeredResources(of: table, layout, ids: ids) }
        return try ids.withUnsafeBufferPointer { ids in
            var next = 0
            return try loader.resources(registrations, at: places, count: ids.count, near: 8) { resource, registration, place in
                // The next id was last read some resources ago, and perhaps in another order.
                next += 1
                if next < places.count { ids.prefetchTexts(places[next].place..<places[next].place + 1) }
                guard resource.layout === layout, resource.id == ids[place] else { throw loader.damaged(registration.root) }
                objects?.hold(resource)
            }
        }
    }

    /// The same if one of the resources has no registration: another one with its id may have one.
    private func registeredResources(of table: TablePlan, _ layout: Layout, ids: [String]) throws -> [FHIRResource] {
        try ids.compactMap { id in
            guard let registration = try access.registry.registration(of: table, id: id) else {
                if let root = try access.registry.root(of: table, id: id) { throw loader.damaged(root) }
                return nil
            }
            let resource = try loader.resource(registration)
            guard resource.layout === layout, resource.id == id else { throw loader.damaged(registration.root) }
            objects?.hold(resource)
            return resource
        }
    }

    /// Calls `body` with every resource of a type in the order they were stored. In a read, memory holds one at a time; in a write, up to
    /// 256.
    ///
    /// - Throws: `FHIRStoreError`; errors of `body`.
    public func forEach<Resource: FHIRResource>(_ type: Resource.Type, _ body: (Resource) throws -> Void) throws {
        try forEach(in: table(of: type)) { resource in
            if let resource = resource as? Resource { try body(resource) }
        }
    }

    /// Calls `body` with every resource of a type in the order they were stored. In a read, memory holds one at a time; in a write, up to
    /// 256.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of `body`.
    public func forEach(typeName: String, _ body: (FHIRResource) throws -> Void) throws {
        try forEach(in: table(ofTypeNamed: typeName), body)
    }

    private func forEach(in table: @autoclosure () throws -> TablePlan, _ body: (FHIRResource) throws -> Void) throws {
        try perform(observesRestriction: true) {
            let table = try table()
            if restriction != nil { return try forEach(QueryRequest(table.root.layout), body) }
            access.region?.types.insert(table.name)
            var last: Int64 = -1
            while true {
                let batch = try registrations(of: table, after: last)
                guard let end = batch.last else { return }
                last = end.root
                try loader.forEach(batch) { resource in
                    try Cancellation.check()
                    try body(resource)
                }
            }
        }
    }

    /// Calls `body` with the registrations of a type's resources in the order they were stored, up to 256 at a time.
    ///
    /// - Precondition: nothing hides resources from the transaction.
    func forEachBatch(ofTypeNamed name: String, _ body: ([Registration]) throws -> Void) throws {
        try perform {
            let table = try table(ofTypeNamed: name)
            var last: Int64 = -1
            while true {
                let batch = try registrations(of: table, after: last)
                guard let end = batch.last else { return }
                last = end.root
                try body(batch)
            }
        }
    }

    /// Calls `body` with the JSON of every resource of a type, in the order they were stored, with a line feed, and with its version. The bytes
    /// are valid during the call.
    ///
    /// - Parameters:
    ///   - body: returns false if it needs the object.
    ///   - object: called with the object then.
    /// - Precondition: `hasOnlyRows`, and nothing hides resources from the transaction.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; errors of the closures.
    package func forEachLine(
        ofTypeNamed name: String, _ body: (UnsafeBufferPointer<UInt8>, _ version: Int64) throws -> Bool,
        object: (FHIRResource) throws -> Void
    ) throws {
        let buffer = JSONBuffer()
        try forEachBatch(ofTypeNamed: name) { registrations in
            try loader.forEachLine(registrations, buffer) { registration, line, _ in
                try Cancellation.check()
                if try !body(line, registration.revision) { try object(loader.resource(registration)) }
            }
        }
    }

    /// The next registrations of a type, by number.
    func registrations(of table: TablePlan, after root: Int64) throws -> [Registration] {
        try access.registry.registrations(of: table, after: root) { throw loader.damaged($0) }
    }

    // MARK: - Counts

    /// The number of stored resources of a type, without contained ones.
    ///
    /// - Throws: `FHIRStoreError`.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int {
        try perform(observesRestriction: true) { try count(table(of: type)) }
    }

    private func count(_ table: TablePlan) throws -> Int {
        try access.schema.requireWhole(table, access.connection)
        guard table.isInFile else { return 0 }
        if restriction != nil { return try count(QueryRequest(table.root.layout)) }
        access.region?.tables.insert(table.name)
        reads?.note(rowsOf: table.name)
        let statement = try access.connection.cached("SELECT count(*) FROM \(table.quotedName) WHERE _parent IS NULL")
        defer { statement.reset() }
        return try statement.step() ? Int(statement.int(0)) : 0
    }

    /// The types of the stored resources, by name, and the number of each.
    ///
    /// - Throws: `FHIRStoreError`.
    public func counts() throws -> [TypeCount] {
        try perform(observesRestriction: true) {
            try access.schema.requireWhole(access.connection)
            return try access.schema.storedTables.filter(\.isResource)
                .map { TypeCount(typeName: $0.name, count: try count($0)) }.filter { $0.count > 0 }.sorted { $0.typeName < $1.typeName }
        }
    }

    /// The types of which there are stored resources, by name, without counting them.
    package func populatedTypeNames() throws -> [String] {
        try perform(observesRestriction: true) {
            try access.schema.requireWhole(access.connection)
            return try access.schema.storedTables.filter(\.isResource).filter { try hasResources($0) }.map(\.name).sorted()
        }
    }

    private func hasResources(_ table: TablePlan) throws -> Bool {
        if restriction != nil { return try count(table) > 0 }
        access.region?.tables.insert(table.name)
        reads?.note(rowsOf: table.name)
        let statement = try access.connection.cached("SELECT 1 FROM \(table.quotedName) WHERE _parent IS NULL LIMIT 1")
        defer { statement.reset() }
        return try statement.step()
    }

    // MARK: - Rows

    /// The rows of a stored resource, in the order of their numbers, for inspection.
    ///
    /// - Throws: `FHIRStoreError`.
    public func rows(of resource: FHIRResource) throws -> [StoredRow] {
        try perform {
            guard let tie = resource.objectExtras as? StoreTie else { return [] }
            access.region?.insert(root: tie.root, resource.layout.name)
            noteRead(resource.layout.name, id: resource.id, version: tie.revision)
            guard let registration = try access.registry.registration(root: tie.root),
                let shape = try access.registry.shape(registration.shape)
            else { return [] }
            var rows: [(Int64, StoredRow)] = []
            for table in shape.tables {
                let reader = try access.reader.reader(table)
                reader.start(RowKey.key(tie.root), RowKey.last(tie.root))
                while try reader.statement.step() { rows.append((reader.statement.int(0), StoredRow(reader))) }
                reader.statement.reset()
            }
            return rows.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
