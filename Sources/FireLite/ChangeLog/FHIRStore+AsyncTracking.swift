import FireLiteCore

// Tracking changes, and readers of the log, without blocking the caller.

extension FHIRStore {
    /// Tracks changes or versions of all types from now on, until `stopTracking(_:)`.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func track(_ tracking: StoreTracking) async throws { try await writing { try self.track(tracking) } }

    /// Tracks changes or versions of a type from now on.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func track<Resource: FHIRResource>(_ tracking: StoreTracking, of type: Resource.Type) async throws {
        try await writing { try self.track(tracking, of: type) }
    }

    /// Stops tracking. Log entries and versions that nothing else needs are deleted.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func stopTracking(_ tracking: StoreTracking) async throws { try await writing { try self.stopTracking(tracking) } }

    /// Stops tracking a type that was tracked by itself. Its versions are kept until they are pruned.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if all types are tracked; `CancellationError`.
    public func stopTracking<Resource: FHIRResource>(_ tracking: StoreTracking, of type: Resource.Type) async throws {
        try await writing { try self.stopTracking(tracking, of: type) }
    }

    /// A reader of the change log, whose place the store keeps. A new one begins after the newest change.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if changes are not tracked; `CancellationError`.
    public func changeReader(named name: String) async throws -> ChangeReader {
        try await writing { try self.changeReader(named: name) }
    }

    /// Removes a reader of the change log, so that changes are not kept for it any longer. Unknown names are ignored.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func removeChangeReader(named name: String) async throws { try await writing { try self.removeChangeReader(named: name) } }

    /// The lowest number that `changes(since:)` takes: the log is complete after it.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func changeLogStart() async throws -> Int64 { try await reading { try self.changeLogStart() } }
}

extension ChangeReader {
    /// The number of the last change that it has acknowledged.
    ///
    /// - Throws: `FHIRStoreError`: `resyncRequired` if the reader was removed; `CancellationError`.
    public func place() async throws -> Int64 { try await store.reading { try self.place() } }

    /// The changes that it has not acknowledged, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: the number of log entries to read. Default: all.
    ///   - squashed: whether the changes of a resource become one. Default: true.
    /// - Throws: `FHIRStoreError`: `resyncRequired` if the log was switched off meanwhile; `CancellationError`.
    public func changes(limit: Int? = nil, squashed: Bool = true) async throws -> sending LoggedChanges {
        try await store.reading { try self.changes(limit: limit, squashed: squashed) }
    }

    /// Acknowledges the changes up to a number. What all readers have acknowledged is deleted from the log.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the number is not between the reader's place and the newest change;
    ///   `CancellationError`.
    public func acknowledge(through sequence: Int64) async throws { try await store.writing { try self.acknowledge(through: sequence) } }

    /// Continues after the newest change, once everything was read again.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    public func skipToNewest() async throws { try await store.writing { try self.skipToNewest() } }
}
