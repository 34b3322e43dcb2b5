import FireLiteCore
import Foundation

// Opening, upkeep and closing without blocking the caller. `progress` is called on the thread that does the work; an error that it throws ends
// the call, as cancelling the task does.

extension FHIRStore {
    /// Opens a store as `init(path:release:configuration:)` does, which may upgrade the file's format.
    ///
    /// - Parameters:
    ///   - path: the path of the file; `:memory:` for an in-memory store.
    ///   - release: the FHIR release of its resources, `.r4` from FireLiteR4.
    ///   - configuration: Default: reading and writing, durable, waits 5 seconds for locks.
    /// - Throws: `FHIRStoreError` as the initializer does; `CancellationError` if the task was cancelled before the store was opened.
    public static func open(
        path: String, release: FHIRRelease, configuration: Configuration = Configuration()
    ) async throws -> FHIRStore {
        try await WorkQueue.unopened.run { try FHIRStore(path: path, release: release, configuration: configuration) }
    }

    /// Closes all connections to the file, so that it can be moved or deleted. Waits for running reads and writes, up to the busy timeout.
    ///
    /// - Throws: `FHIRStoreError.busy` if reads or writes are still running; the store then stays open. `CancellationError` if the task was
    ///   cancelled before.
    public func close() async throws { try await upkeep.run { try self.close() } }

    // MARK: - Indexes

    /// Creates an index on a path, or on several that are in one row. Cancelling the task rolls it back.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    ///   - paths: the path, or a tuple of paths in the order of the index's columns.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `invalidArgument` for paths in several rows; `CancellationError`.
    @discardableResult
    public func createIndex<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, progress: ProgressHandler<StoreProgress>? = nil,
        _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) async throws -> StoreIndex {
        let list = self.paths(type, paths)
        return try await writing { try self.createIndex(type._layout, list, progress: progress) }
    }

    /// Drops an index; does nothing if there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func dropIndex<Resource: FHIRResource, each Path: QueryValuePath>(
        _ type: Resource.Type, _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) async throws {
        let list = self.paths(type, paths)
        try await writing { _ = try self.dropIndex(type._layout, list) }
    }

    /// Creates a predefined set of indexes, for one type or for all. Cancelling the task rolls it back.
    ///
    /// - Parameters:
    ///   - set: the kind of columns.
    ///   - type: the resource type. Default: all types.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError`; `CancellationError`.
    public func createIndexes(
        _ set: StoreIndexSet, for type: FHIRResource.Type? = nil, progress: ProgressHandler<StoreProgress>? = nil
    ) async throws {
        try await writing { try self.createIndexes(set, for: type, progress: progress) }
    }

    /// Drops a predefined set of indexes that was created for the same type, or for all.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func dropIndexes(_ set: StoreIndexSet, for type: FHIRResource.Type? = nil) async throws {
        try await writing { try self.dropIndexes(set, for: type) }
    }

    /// The declared indexes, by name.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func indexes() async throws -> [StoreIndex] { try await reading { try self.indexes() } }

    /// Creates a full-text index over paths of text, replacing the type's existing one. Cancelling the task rolls it back.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    ///   - paths: the paths of the texts.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `invalidArgument` if the SQLite library has no FTS5; `CancellationError`.
    public func createFullTextIndex<Resource: FHIRResource>(
        _ type: Resource.Type, progress: ProgressHandler<StoreProgress>? = nil,
        _ paths: (ElementPath<Resource>) -> [any QueryValuePath<String>]
    ) async throws {
        let list = paths(ElementPath(QueryPath())).map(\._path.path)
        try await writing { try self.createFullTextIndex(type._layout, list, progress: progress) }
    }

    /// Drops the full-text index of a type; does nothing if there is none.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func dropFullTextIndex<Resource: FHIRResource>(_ type: Resource.Type) async throws {
        try await writing { try self.dropFullTextIndex(type) }
    }

    // MARK: - Copies and keys

    /// Copies the store, as it is when the copy begins, to a new file. If the task is cancelled, no file appears.
    ///
    /// - Parameters:
    ///   - file: the copy.
    ///   - replacing: whether to replace an existing database, which must not be open anywhere; an encrypted one needs the key of the copy or of
    ///     the store. Default: false.
    ///   - encryption: the encryption of the copy. Default: the same as the store's.
    ///   - progress: called about every mebibyte with the number of pages copied. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError` as the blocking form does; `CancellationError`.
    @discardableResult
    public func backup(
        to file: URL, replacing: Bool = false, encryption: BackupEncryption = .same,
        progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> [StoreFinding] {
        try await reading { try self.backup(to: file, replacing: replacing, encryption: encryption, progress: progress) }
    }

    /// Encrypts the store's file with another key. If the task is cancelled while the copy with the new key is made, the file stays as it is, with
    /// the old key; the moment in which the copy replaces the file is not interrupted.
    ///
    /// - Parameters:
    ///   - key: the new key.
    ///   - progress: called about every mebibyte with the number of pages copied. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError` as the blocking form does; `CancellationError`, and the key is then the old one.
    public func rekey(to key: Secret, progress: ProgressHandler<StoreProgress>? = nil) async throws {
        try await upkeep.run { try self.rekey(to: key, progress: progress) }
    }

    // MARK: - Upkeep

    /// Checks for damage.
    ///
    /// - Parameter progress: receives what was checked so far. Default: none.
    /// - Returns: the faults; empty if the store is sound.
    /// - Throws: errors of `progress`; `FHIRStoreError` if the file cannot be read at all; `CancellationError`.
    public func check(progress: ProgressHandler<StoreProgress>? = nil) async throws -> [StoreFinding] {
        try await reading { try self.check(progress: progress) }
    }

    /// The sizes of the store.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func statistics() async throws -> StoreStatistics { try await reading { try self.statistics() } }

    /// Rewrites the file so that it has no free pages. If the task is cancelled, the file stays as it is.
    ///
    /// - Parameter progress: receives the steps of SQLite's virtual machine so far. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `busy`, `diskFull`; `CancellationError`.
    public func vacuum(progress: ProgressHandler<StoreProgress>? = nil) async throws {
        try await upkeep.run { try self.vacuum(progress: progress) }
    }

    /// Moves the content of the write-ahead log to the database file.
    ///
    /// - Parameter mode: how much to move. Default: `passive`, which does not wait.
    /// - Throws: `FHIRStoreError`: `busy` if others prevented a mode that waits from finishing within the busy timeout; `CancellationError`.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) async throws -> CheckpointResult {
        try await upkeep.run { try self.checkpoint(mode) }
    }

    /// Updates the statistics of tables whose size has changed much, so that SQLite plans queries well (`PRAGMA optimize`).
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func optimize() async throws { try await upkeep.run { try self.optimize() } }

    // MARK: - Damaged and foreign files

    /// Writes the readable part of a damaged store to a new one, and reports the rest. If the task is cancelled, no file appears.
    ///
    /// - Parameters:
    ///   - damagedFile: the damaged store.
    ///   - newFile: the new store, which must not exist. The file appears when it is complete.
    ///   - release: the FHIR release of its resources.
    ///   - key: the key of an encrypted store, also used for the new one.
    ///   - progress: receives the number of resources read so far, and then the progress of checking the new store. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError` as the blocking form does; `CancellationError`.
    @discardableResult
    public static func recover(
        from damagedFile: URL, to newFile: URL, release: FHIRRelease, key: Secret? = nil,
        progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> RecoveryReport {
        try await WorkQueue.unopened.run {
            try FHIRStore.recover(from: damagedFile, to: newFile, release: release, key: key, progress: progress)
        }
    }

    /// Rewrites the checksums of a store's pages after another program has written to the file. If the task is cancelled, nothing is
    /// rewritten.
    ///
    /// - Parameters:
    ///   - file: a store that is not open anywhere.
    ///   - release: the FHIR release of its resources.
    ///   - configuration: as for opening; `checksPages` and `access` are ignored.
    ///   - progress: receives the progress of checking and of rewriting. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError` as the blocking form does; `CancellationError`.
    @discardableResult
    public static func reseal(
        _ file: URL, release: FHIRRelease, configuration: Configuration = Configuration(),
        progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> ResealReport {
        try await WorkQueue.unopened.run {
            try FHIRStore.reseal(file, release: release, configuration: configuration, progress: progress)
        }
    }
}
