import Foundation

// The asynchronous forms, which do not block the caller.

extension AppData {
    /// Stores bytes under an id: see the blocking form.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - id: the id of the item.
    ///   - form: the form of the bytes, such as a media type; nil keeps the existing one.
    ///   - annotations: the annotations; nil keeps existing ones.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func put(_ data: Data, id: String, form: String? = nil, annotations: [String]? = nil) async throws -> RecordMetadata {
        try await store.write { _ in try self.put(data, id: id, form: form, annotations: annotations) }
    }

    /// Stores bytes under several ids: see the blocking form.
    ///
    /// - Parameters:
    ///   - items: the bytes by id.
    ///   - annotations: the annotations of each; nil keeps existing ones.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func put(_ items: [String: Data], annotations: [String]? = nil) async throws -> BatchResult<String> {
        try await store.write { _ in try self.put(items, annotations: annotations) }
    }

    /// Stores a value as JSON under an id: see the blocking form.
    ///
    /// - Parameters:
    ///   - value: the value, which is stored as JSON.
    ///   - id: the id of the item.
    ///   - annotations: the annotations; nil keeps existing ones.
    /// - Throws: errors of the blocking form; `CancellationError`.
    @discardableResult
    public func put(
        encoding value: some Encodable & Sendable, id: String, annotations: [String]? = nil
    ) async throws -> RecordMetadata {
        try await store.write { _ in try self.put(encoding: value, id: id, annotations: annotations) }
    }

    /// Replaces the annotations and keeps the bytes.
    ///
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func annotate(_ id: String, with annotations: [String]) async throws {
        try await store.write { _ in try self.annotate(id, with: annotations) }
    }

    /// Deletes the bytes of an id: see the blocking form.
    ///
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func delete(_ id: String) async throws { try await store.write { _ in try self.delete(id) } }

    /// Deletes the tombstones of deleted app data: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func purge(deletedBefore date: Date? = nil) async throws -> Int {
        try await store.write { _ in try self.purge(deletedBefore: date) }
    }

    /// The app data under an id; nil if there is none, or if it was deleted.
    ///
    /// - Throws: errors of the blocking form; `CancellationError`.
    public func get(_ id: String) async throws -> AppDataRecord? { try await store.read { _ in try self.get(id) } }

    /// The app data under several ids: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func get(ids: [String]) async throws -> BatchResult<AppDataRecord> { try await store.read { _ in try self.get(ids: ids) } }

    /// Deletes the bytes of several ids: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func delete(ids: [String]) async throws -> BatchResult<String> { try await store.write { _ in try self.delete(ids: ids) } }
}

extension AppDataQuery {
    /// The app data, without deleted ones.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func all() async throws -> [AppDataRecord] { try await appData.store.read { _ in try self.all() } }

    /// The app data, without deleted ones, and the sealed app data that cannot be opened.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func opened() async throws -> BatchResult<AppDataRecord> { try await appData.store.read { _ in try self.opened() } }

    /// Metadata and annotations: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func summaries(opensAnnotations: Bool = true) async throws -> [RecordSummary] {
        try await appData.store.read { _ in try self.summaries(opensAnnotations: opensAnnotations) }
    }

    /// The number of results.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func count() async throws -> Int { try await appData.store.read { _ in try self.count() } }

    /// A page by its number: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func page(number: Int, size: Int = 10) async throws -> [AppDataRecord] {
        try await appData.store.read { _ in try self.page(number: number, size: size) }
    }
}
