import FireLiteCore
import FireLiteSQLiteBridge

/// Turns registrations into the resources that a transaction returns: the object that is already in memory, or one that is read,
/// compared with its digest and tied to the store.
///
/// Every fetch, query, page, scan and export goes through here.
struct ResourceLoader {
    let store: FHIRStore
    let access: StoreConnection
    /// The objects of a write; nil in a read, which keeps none.
    let objects: ManagedObjects?
    /// What is handed out; nil if no module keeps a record of it.
    let reads: ReadRecord?

    /// Up to this number, resources are read one by one: a pass over their tables would cost more.
    private static let few = 4

    // MARK: - One

    /// The resource with this number; nil if there is none.
    func resource(root: Int64) throws -> FHIRResource? {
        if let known = objects?[root] { return known }
        guard let registration = try access.registry.registration(root: root) else { return nil }
        return try read(registration)
    }

    func resource(_ registration: Registration) throws -> FHIRResource { try objects?[registration.root] ?? read(registration) }

    private func read(_ registration: Registration) throws -> FHIRResource {
        try finish(access.reader.resource(registration), registration)
    }

    // MARK: - Many

    /// Calls `body` with the resources of these registrations, which are in the order of their numbers. In a read, one at a time is in
    /// memory. A resource that `body` deletes is not passed on later.
    func forEach(_ registrations: [Registration], _ body: (FHIRResource) throws -> Void) throws {
        guard objects != nil else { return try readEach(registrations, areAll: true, body) }
        // The body may change resources that are still to be read.
        for resource in try resources(registrations) where !resource.objectFlags.contains(.deleted) { try body(resource) }
    }

    /// The resources of these registrations, which are in the order of their numbers.
    func resources(_ registrations: [Registration]) throws -> [FHIRResource] {
        guard let objects else {
            var resources: [FHIRResource] = []
            resources.reserveCapacity(registrations.count)
            try readEach(registrations) { resources.append($0) }
            return resources
        }
        let known = registrations.map { objects[$0.root] }
        var read: [FHIRResource] = []
        try readEach(zip(registrations, known).filter { $1 == nil }.map { $0.0 }) { read.append($0) }
        var rest = read[...]
        return known.map { known in known ?? rest.removeFirst() }
    }

    /// The resources with these numbers, in the order of the numbers as given; unknown numbers are skipped.
    ///
    /// - Parameter check: called for each resource that is read.
    func resources(roots: some RandomAccessCollection<Int64>, _ check: () throws -> Void = {}) throws -> [FHIRResource] {
        guard roots.count > Self.few else {
            return try roots.compactMap { root in
                try check()
                return try resource(root: root)
            }
        }
        var places: ContiguousArray<(root: Int64, place: Int)> = []
        places.reserveCapacity(roots.count)
        for root in roots { places.append((root, places.count)) }
        places.sort { $0.root < $1.root }
        var distinct: ContiguousArray<Int64> = []
        distinct.reserveCapacity(places.count)
        for (root, _) in places where distinct.last != root { distinct.append(root) }
        var registrations = try access.registry.registrations(roots: distinct)
        defer { access.registry.giveBack(&registrations) }
        return try resources(registrations, at: places, count: roots.count) { _, _, _ in try check() }
    }

    /// The resources of these registrations, which are in the order of their numbers, at the positions of their numbers.
    ///
    /// - Parameters:
    ///   - places: numbers in their order and the position of each in the result, which has `count` of them; positions of numbers without a
    ///     registration are skipped.
    ///   - body: called with each resource, its registration and its position.
    func resources(
        _ registrations: [Registration], at places: ContiguousArray<(root: Int64, place: Int)>, count: Int, near: Int64 = 0,
        _ body: (FHIRResource, Registration, Int) throws -> Void
    ) throws -> [FHIRResource] {
        var inOrder = [FHIRResource?](repeating: nil, count: count)
        var next = 0
        var place = places.startIndex
        func put(_ resource: FHIRResource) throws {
            let registration = registrations[next]
            let root = registration.root
            while place < places.endIndex, places[place].root < root { place += 1 }
            while place < places.endIndex, places[place].root == root {
                try body(resource, registration, places[place].place)
                inOrder[places[place].place] = resource
                place += 1
            }
            next += 1
        }
        if objects == nil {
            try readEach(registrations, near: near, put)
        } else {
            for resource in try resources(registrations) { try put(resource) }
        }
        return inOrder.compactMap { $0 }
    }

    private func readEach(
        _ registrations: [Registration], near: Int64 = 0, areAll: Bool = false, _ body: (FHIRResource) throws -> Void
    ) throws {
        try access.reader.forEach(registrations, near: near, areAll: areAll) { registration, resource in
            try body(finish(resource, registration))
        }
    }

    // MARK: - Lines

    /// Whether the rows are all that there is to know of resources, and nothing wants to know which are read: no object is needed for their JSON.
    var hasOnlyRows: Bool { objects == nil && isInRows }

    /// The same apart from the objects of a write, whose changes must have been written.
    var isInRows: Bool {
        reads == nil && access.region == nil && store.payloads.keeper == nil
            && access.schema.moduleDefinitions[ContentSealing.contentTable] == nil
    }

    /// Calls `body` with the JSON of each of these resources, which are in the order of their numbers, with a line feed, and with whether it has an
    /// id. The bytes are valid during the call.
    ///
    /// - Precondition: `hasOnlyRows`.
    func forEachLine(
        _ registrations: [Registration], _ buffer: JSONBuffer,
        _ body: (Registration, UnsafeBufferPointer<UInt8>, _ hasID: Bool) throws -> Void
    ) throws {
        guard access.reader.beginLines() else {
            return try access.reader.forEach(registrations) { registration, resource in
                let resource = try finish(resource, registration)
                try buffer.withLine(of: resource) { try body(registration, $0, resource.id != nil) }
            }
        }
        try access.reader.forEachLine(registrations, key: store.identity.digestKey) { registration, line in
            if let line { return try body(registration, line.bytes, line.hasID) }
            let resource = try read(registration)
            try buffer.withLine(of: resource) { try body(registration, $0, resource.id != nil) }
        }
    }

    // MARK: - What was read

    /// Compares a resource with its digest (see `FHIRStore.Configuration.verifiesContent`) and ties it to the store.
    private func finish(_ resource: FHIRResource?, _ registration: Registration) throws -> FHIRResource {
        guard let resource else { throw damaged(registration.root) }
        if store.verifiesContent, ContentDigest.digest(of: resource, key: store.identity.digestKey) != registration.digest {
            throw damaged(registration.root)
        }
        tie(resource, registration)
        return resource
    }

    func tie(_ resource: FHIRResource, _ registration: Registration) {
        resource.become(StoreTie(store: store, root: registration.root, revision: registration.revision, pk: registration.pk))
        objects?.remember(resource, registration.root)
        access.region?.insert(root: registration.root, resource.layout.name)
        reads?.note(resource.layout.name, id: resource.id, version: registration.revision)
    }

    func damaged(_ root: Int64) -> FHIRStoreError {
        // If there is no memory for a value, SQLite returns an empty one.
        if access.connection.lacksMemory {
            return FHIRStoreError(SQLiteError(code: ResultCode.outOfMemory, message: "out of memory"), path: store.path)
        }
        return FHIRStoreError(
            .notAStore,
            "\(store.path) is damaged: the rows of the resource with number \(root) do not match their digest: "
                + "restore a backup or recover what is readable")
    }
}
