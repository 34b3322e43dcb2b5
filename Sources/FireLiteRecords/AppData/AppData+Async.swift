import Foundation

// The asynchronous forms, which do not block the caller.

extension AppData {
    /// Stores bytes under an id: see the blocking form.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - id: the id.
    ///   - form: what the bytes are, such as a media type; nil to leave it as it is.
    ///   - annotations: the annotations; nil keeps those that are there.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func put(_ data: Data, id: String, form: String? = nil, annotations: [String]? = nil) async throws -> RecordMetadata {
        try await store.write { _ in try self.put(data, id: id, form: form, annotations: annotations) }
    }

    /// Stores many under their ids: see the blocking form.
    ///
    /// - Parameters:
    ///   - items: the bytes by id.
    ///   - annotations: the annotations of each; nil keeps those that are there.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func put(_ items: [String: Data], annotations: [String]? = nil) async throws -> BatchResult<String> {
        try await store.write { _ in try self.put(items, annotations: annotations) }
    }

    /// What is stored under an id; nil if there is nothing, or if it was deleted.
    ///
    /// - Parameter id: the id.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func get(_ id: String) async throws -> AppDataRecord? { try await store.read { _ in try self.get(id) } }

    /// What is stored under ids: see the blocking form.
    ///
    /// - Parameter ids: the ids.
    /// - Throws: as the blocking form does; `CancellationError`.
    public func get(ids: [String]) async throws -> BatchResult<AppDataRecord> { try await store.read { _ in try self.get(ids: ids) } }

    /// Deletes the bytes of many: see the blocking form.
    ///
    /// - Parameter ids: the ids.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func delete(ids: [String]) async throws -> BatchResult<String> { try await store.write { _ in try self.delete(ids: ids) } }
}

extension AppDataQuery {
    /// The app data, without deleted.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func all() async throws -> [AppDataRecord] { try await appData.store.read { _ in try self.all() } }
}
