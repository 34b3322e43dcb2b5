import FireLiteCore

extension FHIRStore {
    // MARK: - Switching on and off

    /// Tracks changes or versions of all types from now on, until `stopTracking(_:)`. The file keeps the setting, whoever opens it.
    ///
    /// ```swift
    /// try store.track(.changes)
    /// try store.track(.history, of: Patient.self)
    /// ```
    /// Both keep the JSON that each change or deletion replaces, in one table. `.changes` adds about 20 bytes for each added
    /// resource. Versions of this library before format 3 refuse the file from then on.
    /// - Throws: `FHIRStoreError`.
    public func track(_ tracking: StoreTracking) throws { try write { try $0.track(tracking, types: nil) } }

    /// Tracks changes or versions of a type from now on.
    ///
    /// - Throws: `FHIRStoreError`.
    public func track<Resource: FHIRResource>(_ tracking: StoreTracking, of type: Resource.Type) throws {
        try track(tracking, typeName: layout(of: type).name)
    }

    /// Tracks changes or versions of a type of the release, by its name.
    package func track(_ tracking: StoreTracking, typeName: String) throws { try write { try $0.track(tracking, types: [typeName]) } }

    /// Stops tracking. Log entries and versions that nothing else needs are deleted; readers of the log get `resyncRequired` afterwards.
    ///
    /// - Throws: `FHIRStoreError`.
    public func stopTracking(_ tracking: StoreTracking) throws { try write { try $0.stopTracking(tracking, types: nil) } }

    /// Stops tracking a type that was tracked by itself. Its versions are kept until they are pruned.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if all types are tracked.
    public func stopTracking<Resource: FHIRResource>(_ tracking: StoreTracking, of type: Resource.Type) throws {
        try stopTracking(tracking, typeName: layout(of: type).name)
    }

    /// Stops tracking a type of the release, by its name.
    package func stopTracking(_ tracking: StoreTracking, typeName: String) throws {
        try write { try $0.stopTracking(tracking, types: [typeName]) }
    }

    /// The types that are tracked.
    ///
    /// - Throws: `FHIRStoreError`.
    public func tracked(_ tracking: StoreTracking) throws -> TrackedTypes { try read { try $0.tracked(tracking) } }

    // MARK: - The log

    /// The number of the newest entry of the change log; 0 if there was none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func newestChange() throws -> Int64 { try read { try $0.newestChange() } }

    /// The lowest number that `changes(since:)` takes: the log is complete after it.
    ///
    /// - Throws: `FHIRStoreError`.
    public func changeLogStart() throws -> Int64 { try read { try $0.changeLogStart() } }

    /// The local changes with numbers after `sequence`, the oldest first.
    ///
    /// Writes with the origin `.server` are not listed, nor are upserts that change nothing.
    /// - Parameters:
    ///   - sequence: the number of the last change that the caller knows; 0 for the beginning of a log that was never pruned.
    ///   - limit: the number of log entries to read, of which `through` is the last: the next part is what comes after it. A resource that has
    ///     changed in both parts comes in both. Default: all.
    ///   - squashed: whether the changes of a resource become one, with the content before the first and now; a resource that is
    ///     as before, or was added and deleted, is left out. Default: true.
    /// - Throws: `FHIRStoreError`: `resyncRequired` if some of them are no longer in the log, or were not logged.
    public func changes(since sequence: Int64, limit: Int? = nil, squashed: Bool = true) throws -> LoggedChanges {
        try read { try $0.changes(since: sequence, limit: limit, squashed: squashed) }
    }

    /// A reader of the change log, whose place the store keeps. A new one begins after the newest change.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if changes are not tracked.
    public func changeReader(named name: String) throws -> ChangeReader {
        _ = try write { try $0.registerReader(name) }
        return ChangeReader(store: self, name: name)
    }

    /// The names of the readers of the change log, and the number of the last change that each has acknowledged.
    ///
    /// - Throws: `FHIRStoreError`.
    public func changeReaders() throws -> [(name: String, sequence: Int64)] {
        try perform { $0.hasChangeTable ? try $0.changeTable.readers() : [] }
    }

    /// Removes a reader of the change log, so that changes are not kept for it any longer. Unknown names are ignored.
    ///
    /// - Throws: `FHIRStoreError`.
    public func removeChangeReader(named name: String) throws { try write { try $0.removeReader(name) } }
}

/// A reader of the change log by name. The store keeps what its readers have not acknowledged, across launches.
///
/// ```swift
/// let reader = try store.changeReader(named: "sync")
/// let changes = try reader.changes(limit: 100)
/// // … send them …
/// try reader.acknowledge(through: changes.through)
/// ```
public struct ChangeReader: Sendable {
    let store: FHIRStore
    /// The reader's name.
    public let name: String

    /// The number of the last change that it has acknowledged.
    ///
    /// - Throws: `FHIRStoreError`: `resyncRequired` if the reader was removed.
    public func place() throws -> Int64 {
        try store.perform { transaction in
            guard transaction.hasChangeTable, let place = try transaction.changeTable.place(of: name) else {
                throw FHIRStoreError(
                    .resyncRequired, "the change log no longer has the reader '\(name)': read everything again and register it")
            }
            return place
        }
    }

    /// The changes that it has not acknowledged, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: the number of log entries to read. Default: all.
    ///   - squashed: whether the changes of a resource become one. Default: true.
    /// - Throws: `FHIRStoreError`: `resyncRequired` if the log was switched off meanwhile.
    public func changes(limit: Int? = nil, squashed: Bool = true) throws -> LoggedChanges {
        try store.read { try $0.changes(since: place(), limit: limit, squashed: squashed) }
    }

    /// Acknowledges the changes up to a number. What all readers have acknowledged is deleted from the log.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the number is not between the reader's place and the newest change.
    public func acknowledge(through sequence: Int64) throws { try store.write { try $0.acknowledge(name, through: sequence) } }

    /// Acknowledges everything up to now, without reading it.
    ///
    /// After `resyncRequired`, read `newestChange()` in the transaction that reads everything again, and acknowledge that number: changes
    /// between that read and this call would be skipped.
    /// - Throws: `FHIRStoreError`.
    public func skipToNewest() throws { try store.write { try $0.skipToNewest(name) } }
}
