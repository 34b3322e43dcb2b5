import FireLiteCore

// The asynchronous forms, which do not block the caller. Nothing else refers to the objects they return.

extension Records {
    /// Stores a resource as a new record: see the blocking form.
    ///
    /// - Parameters:
    ///   - resource: the resource, which the caller must not use afterwards.
    ///   - annotations: its annotations.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func create<Resource: FHIRResource>(
        _ resource: sending Resource, annotations: [String] = []
    ) async throws -> sending Record<Resource> {
        try await store.write { _ in try self.create(resource, annotations: annotations) }
    }

    /// Stores resources as new records: see the blocking form.
    ///
    /// - Parameters:
    ///   - resources: the resources, which the caller must not use afterwards.
    ///   - annotations: the annotations of each.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func create<Resource: FHIRResource>(
        _ resources: sending [Resource], annotations: [String] = []
    ) async throws -> sending BatchResult<Record<Resource>> {
        try await store.write { _ in try self.create(resources, annotations: annotations) }
    }

    /// Stores the content of a record again: see the blocking form.
    ///
    /// - Parameters:
    ///   - resource: the resource, which the caller must not use afterwards.
    ///   - annotations: the new annotations; nil keeps them.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func update<Resource: FHIRResource>(
        _ resource: sending Resource, annotations: [String]? = nil
    ) async throws -> sending Record<Resource> {
        try await store.write { _ in try self.update(resource, annotations: annotations) }
    }

    /// Deletes a record: see the blocking form.
    ///
    /// - Parameters:
    ///   - type: the class of the resource.
    ///   - id: the logical id.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func delete<Resource: FHIRResource>(_ type: Resource.Type, id: String) async throws {
        try await store.write { _ in try self.delete(type, id: id) }
    }

    /// Stores the content of records again: see the blocking form.
    ///
    /// - Parameters:
    ///   - resources: the resources, which the caller must not use afterwards.
    ///   - annotations: the new annotations of each; nil keeps them.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func update<Resource: FHIRResource>(
        _ resources: sending [Resource], annotations: [String]? = nil
    ) async throws -> sending BatchResult<Record<Resource>> {
        try await store.write { _ in try self.update(resources, annotations: annotations) }
    }

    /// Deletes records: see the blocking form.
    ///
    /// - Parameters:
    ///   - type: the class of the resources.
    ///   - ids: the logical ids.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func delete<Resource: FHIRResource>(_ type: Resource.Type, ids: [String]) async throws -> BatchResult<String> {
        try await store.write { _ in try self.delete(type, ids: ids) }
    }

    /// Replaces the annotations of a record: see the blocking form.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    ///   - annotations: the new annotations; none removes all.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func annotate(_ typeName: String, id: String, with annotations: [String]) async throws -> [String] {
        try await store.write { _ in try self.annotate(typeName, id: id, with: annotations) }
    }

    /// Wraps the keys of all sealed records, app data and payloads again: see the blocking form. Cancelling ends it between two writes.
    ///
    /// - Parameter progress: called after each write, on the thread that does the work. Default: none.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func rewrap(
        progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> (wrapped: Int, failed: Int) {
        try await store.transferring { try self.rewrap(progress: progress) }
    }

    /// A record in exchange form: see the blocking form.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    ///   - client: the id of the writing program, for its tag.
    ///   - tags: the form of tags.
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func wireRecord(_ typeName: String, id: String, client: String, tags: WireTags = .keyed) async throws -> WireRecord {
        try await store.read { _ in try self.wireRecord(typeName, id: id, client: client, tags: tags) }
    }

    /// Stores an exchanged record: see the blocking form.
    ///
    /// - Parameters:
    ///   - wire: the record.
    ///   - tags: the form of its tags.
    ///   - candidates: annotations to look for among hashed tags.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func receive(_ wire: WireRecord, tags: WireTags = .keyed, candidates: [String] = []) async throws -> RecordKey {
        try await store.write { _ in try self.receive(wire, tags: tags, candidates: candidates) }
    }

    /// The records with these ids: see the blocking form.
    ///
    /// - Parameters:
    ///   - type: the class of the resources.
    ///   - ids: the logical ids.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func fetch<Resource: FHIRResource>(
        _ type: Resource.Type, ids: [String]
    ) async throws -> sending BatchResult<Record<Resource>> {
        try await store.read { _ in try self.fetch(type, ids: ids) }
    }

    /// The record with this type and id; nil if there is none, or if it was deleted.
    ///
    /// - Parameters:
    ///   - type: the class of the resource.
    ///   - id: the logical id.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func fetch<Resource: FHIRResource>(_ type: Resource.Type, id: String) async throws -> sending Record<Resource>? {
        try await store.read { _ in try self.fetch(type, id: id) }
    }
}

extension RecordQuery {
    /// The records.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func all() async throws -> sending [Record<Resource>] {
        try await store.read { _ in try self.all() }
    }

    /// The number of results.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func count() async throws -> Int { try await store.read { _ in try self.count() } }

    /// The first records, and a cursor to continue from.
    ///
    /// - Precondition: `size` is at least 1.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func page(of size: Int) async throws -> sending Page {
        try await store.read { _ in try self.page(of: size) }
    }

    /// A page by its number: see the blocking form.
    ///
    /// - Precondition: `number` and `size` are at least 1.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func page(number: Int, size: Int = 10) async throws -> sending [Record<Resource>] {
        try await store.read { _ in try self.page(number: number, size: size) }
    }

    /// The records, and the sealed ones that cannot be opened.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func opened() async throws -> sending BatchResult<Record<Resource>> { try await store.read { _ in try self.opened() } }

    /// The first record; nil if there is none.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func first() async throws -> sending Record<Resource>? { try await store.read { _ in try self.first() } }

    /// The ids of the records.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func ids() async throws -> [String] { try await store.read { _ in try self.ids() } }

    /// The records without their content: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func summaries() async throws -> [RecordSummary] { try await store.read { _ in try self.summaries() } }
}
