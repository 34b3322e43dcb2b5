import FireLiteCore

// The asynchronous forms, which do not block the caller. Objects that are returned are the caller's alone.

extension Records {
    /// Stores a resource as a new record: see the blocking form.
    ///
    /// - Parameters:
    ///   - resource: the resource, which the caller does not use afterwards.
    ///   - annotations: its annotations.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func create<Resource: FHIRResource>(
        _ resource: sending Resource, annotations: [String] = []
    ) async throws -> sending Record<Resource> {
        try await store.write { _ in try self.create(resource, annotations: annotations) }
    }

    /// Stores resources as new records: see the blocking form.
    ///
    /// - Parameters:
    ///   - resources: the resources, which the caller does not use afterwards.
    ///   - annotations: the annotations of each.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func create<Resource: FHIRResource>(
        _ resources: sending [Resource], annotations: [String] = []
    ) async throws -> sending BatchResult<Record<Resource>> {
        try await store.write { _ in try self.create(resources, annotations: annotations) }
    }

    /// Stores the content of a record again: see the blocking form.
    ///
    /// - Parameters:
    ///   - resource: the resource, which the caller does not use afterwards.
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
    /// - Parameter size: the number of records.
    /// - Precondition: `size` is at least 1.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func page(of size: Int) async throws -> sending Page {
        try await store.read { _ in try self.page(of: size) }
    }
}
