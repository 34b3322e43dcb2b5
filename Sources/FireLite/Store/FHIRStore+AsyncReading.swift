import FireLiteCore
import Foundation

// Reading in one call, without blocking the caller. Objects that are returned are the caller's alone. A cancelled task ends the running
// statement within about a millisecond.

extension FHIRStore {
    // MARK: - Resources

    /// The resource with this type and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) async throws -> sending Resource? {
        try await reading { try self.resource(type, id: id) }
    }

    /// The resource with this type name and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is not a resource type of the release; `CancellationError`.
    public func resource(typeName: String, id: String) async throws -> sending FHIRResource? {
        try await reading { try self.resource(typeName: typeName, id: id) }
    }

    /// The stored resources with these ids, in the order of the ids; unknown ids are skipped.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func resources<Resource: FHIRResource>(
        _ type: Resource.Type, ids: some Sequence<String>
    ) async throws -> sending [Resource] {
        let ids = Array(ids)
        return try await reading { try self.resources(type, ids: ids) }
    }

    /// The resource with this pk; nil if there is none, or if it has another type.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, pk: String) async throws -> sending Resource? {
        try await reading { try self.resource(type, pk: pk) }
    }

    /// The number of stored resources of a type, without contained ones.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) async throws -> Int { try await reading { try self.count(type) } }

    /// The types of the stored resources, by name, and the number of each.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func counts() async throws -> [TypeCount] { try await reading { try self.counts() } }

    // MARK: - SQL

    /// Runs an SQL statement that only reads, and returns its rows. <doc:FileFormat> describes the tables.
    ///
    /// - Parameters:
    ///   - sql: the statement.
    ///   - arguments: the values of the parameters `?`, in their order.
    /// - Throws: `FHIRStoreError` as the blocking form does; `CancellationError`.
    public func sql(_ sql: String, arguments: [SQLValue] = []) async throws -> [SQLRow] {
        try await reading { try self.sql(sql, arguments: arguments) }
    }

    /// Runs an SQL statement that only reads, and calls `body` with each row, on a thread of the store; memory holds one row.
    ///
    /// - Parameters:
    ///   - sql: the statement.
    ///   - arguments: the values of the parameters `?`, in their order.
    ///   - body: receives a row.
    /// - Throws: errors of `body`; `FHIRStoreError` as the blocking form does; `CancellationError`.
    public func forEachRow(
        _ sql: String, arguments: [SQLValue] = [], _ body: sending @escaping (SQLRow) throws -> Void
    ) async throws {
        try await reading { try self.forEachRow(sql, arguments: arguments, body) }
    }

    // MARK: - Change log and history

    /// The types that are tracked.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func tracked(_ tracking: StoreTracking) async throws -> TrackedTypes { try await reading { try self.tracked(tracking) } }

    /// The number of the newest entry of the change log; 0 if there was none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func newestChange() async throws -> Int64 { try await reading { try self.newestChange() } }

    /// The local changes with numbers after `sequence`, the oldest first.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last change that the caller knows; 0 for the beginning of a log that was never pruned.
    ///   - limit: the number of log entries to read. Default: all.
    ///   - squashed: whether the changes of a resource become one. Default: true.
    /// - Throws: `FHIRStoreError`: `resyncRequired` if some of them are no longer in the log; `CancellationError`.
    public func changes(since sequence: Int64, limit: Int? = nil, squashed: Bool = true) async throws -> sending LoggedChanges {
        try await reading { try self.changes(since: sequence, limit: limit, squashed: squashed) }
    }

    /// The names of the readers of the change log, and the number of the last change that each has acknowledged.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func changeReaders() async throws -> [(name: String, sequence: Int64)] { try await reading { try self.changeReaders() } }

    /// The versions of the resource with this type and id, the newest first, also if it was deleted.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func history<Resource: FHIRResource>(of type: Resource.Type, id: String) async throws -> sending [ResourceVersion] {
        try await reading { try self.history(of: type, id: id) }
    }

    /// The versions of the resource with this type name and id, the newest first, also if it was deleted.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; `CancellationError`.
    public func history(typeName: String, id: String) async throws -> sending [ResourceVersion] {
        try await reading { try self.history(typeName: typeName, id: id) }
    }

    /// The versions that were stored, replaced or deleted since a time, of all resources or those of a type, the newest first.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func history(
        typeName: String? = nil, since date: Date = .distantPast, limit: Int? = nil
    ) async throws -> sending [ResourceVersion] {
        try await reading { try self.history(typeName: typeName, since: date, limit: limit) }
    }

    /// The content of a version, as an object that is not stored; nil if the version is no longer kept.
    ///
    /// - Throws: `FHIRStoreError`: `notAStore` if the content does not match its digest; `CancellationError`.
    public func resource(at version: ResourceVersion) async throws -> sending FHIRResource? {
        try await reading { try self.resource(at: version) }
    }

    /// A version of the resource with this type and id, as an object that is not stored; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `notAStore` if the content does not match its digest; `CancellationError`.
    public func resource<Resource: FHIRResource>(
        _ type: Resource.Type, id: String, version: Int64
    ) async throws -> sending Resource? {
        try await reading { try self.resource(type, id: id, version: version) }
    }

    /// A version of the resource with this type name and id, as an object that is not stored; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; `notAStore`; `CancellationError`.
    public func resource(typeName: String, id: String, version: Int64) async throws -> sending FHIRResource? {
        try await reading { try self.resource(typeName: typeName, id: id, version: version) }
    }
}
