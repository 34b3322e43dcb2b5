import FireLite
import FireLiteCore
import Foundation

extension Synchronizer {
    // MARK: - State

    /// The result of the last sync with the server, also in another process; nil if there was none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func lastResult() async throws -> SyncResult? {
        let text = try await journal { journal in
            try journal.rows("SELECT result FROM _sync_server WHERE server = ?", [.integer(journal.server)]).first?[0].text
        }
        do { return try text.map { try JSONDecoder().decode(SyncResult.self, from: Data($0.utf8)) } } catch is DecodingError {
            throw FHIRStoreError(.notAStore, "the last result in _sync_server is damaged: the next sync writes it again")
        }
    }

    /// Whether a resource is the same in the store and at the server; nil if neither the server nor the list of changes has it.
    ///
    /// - Throws: `FHIRStoreError`.
    public func state(of typeName: String, id: String) async throws -> SyncState? {
        let key = SyncKey(typeName: typeName, id: id)
        return try await journal { journal in
            try journal.beginIfStarted()
            if let change = try journal.changes(of: key).last { return change.syncState }
            return try journal.known(key).map { !$0.isPurged } ?? false ? .synced : nil
        }
    }

    /// The changes that have not reached the server, in the order in which they were made.
    ///
    /// - Parameters:
    ///   - state: only those in a state; nil for all.
    ///   - limit: the maximum number; nil for all.
    /// - Throws: `FHIRStoreError`.
    public func changes(_ state: SyncState? = nil, limit: Int? = nil) async throws -> [PendingChange] {
        try await journal { journal in
            try journal.beginIfStarted()
            let condition =
                switch state {
                case nil: "1"
                case .pending: "state = 0"
                case .parked: "state = 1"
                case .conflict: "state = 2"
                case .undecided: WaitingChange.areUndecided
                case .synced: "0"
                }
            let locked = try journal.tx.lockedTypes()
            return try journal.changes(condition, [], limit: limit).map { change in
                PendingChange(
                    typeName: change.key.typeName, id: change.key.id, state: change.syncState, attempts: Int(change.attempts),
                    status: change.status.map { Int($0) }, issues: change.outcomeIssues, remote: change.remote,
                    base: change.state == .conflict ? change.base : nil, isLocked: locked.contains(change.key.typeName))
            }
        }
    }

    /// The resources from the server that could not be read, in the order of arrival. They are tried again with each pull, which reads more
    /// if the client reads leniently, and when the server has a newer version.
    ///
    /// - Parameter limit: the maximum number; nil for all.
    /// - Throws: `FHIRStoreError`.
    public func unreadable(limit: Int? = nil) async throws -> [UnreadableResource] {
        try await journal { try $0.unreadable(limit: limit).map(\.resource) }
    }

    // MARK: - Deciding

    /// Sends a parked change again with the next push; of a resource that is ``SyncState/undecided``, what the store has, which mostly is its
    /// deletion.
    ///
    /// - Returns: whether there was such a change.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func retry(_ typeName: String, id: String) async throws -> Bool {
        let key = SyncKey(typeName: typeName, id: id)
        return try await journal { journal in
            let parked = try journal.changes(of: key).filter { $0.state == .parked || $0.state.isUndecided }
            for change in parked {
                try journal.run(
                    "UPDATE _sync_change SET state = 0, attempts = 0 WHERE change = ?", [.integer(change.number)])
            }
            return !parked.isEmpty
        }
    }

    /// Discards a change that has not reached the server: the resource is restored, or deleted if it was new. One that is ``SyncState/undecided``
    /// is read from the server with the next pull, and listed until then.
    ///
    /// - Returns: whether there was a change.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func discard(_ typeName: String, id: String) async throws -> Bool {
        let key = SyncKey(typeName: typeName, id: id)
        return try await journal { journal in
            try journal.beginIfStarted()
            guard let first = try journal.changes(of: key).first else { return false }
            if first.state.isUndecided, try journal.known(key) != nil {
                try journal.run("UPDATE _sync_change SET state = 4 WHERE change = ?", [.integer(first.number)])
                return true
            }
            if first.hasUnknownBase, first.state != .conflict {
                throw SyncError(
                    .invalidArgument,
                    "the \(typeName) is sealed, and what it was before the change is not kept: fetch it from the server, and store it with records.update"
                )
            }
            if first.state == .conflict {
                let state = RemoteState(
                    key: key, version: first.remoteVersion, resource: try journal.remote(first))
                try journal.adopt(state)
            } else if let base = try journal.base(first) {
                base.id = key.id
                _ = try journal.tx.store([base])
                try journal.removeChanges(of: key)
            } else {
                _ = try journal.tx.delete(typeName: key.typeName, id: key.id)
                try journal.removeChanges(of: key)
            }
            return true
        }
    }

    /// Resolves a deferred conflict. If the result differs from the server's state, the next push sends it.
    ///
    /// - Parameters:
    ///   - typeName: the resource's type.
    ///   - id: the resource's id.
    ///   - decide: gets the conflict and returns what is stored or sent. It is called in a write of the store.
    /// - Returns: whether there was a deferred conflict.
    /// - Throws: `FHIRStoreError`; errors of `decide`.
    @discardableResult
    public func resolve(
        _ typeName: String, id: String, _ decide: @escaping @Sendable (SyncConflict) throws -> SyncConflict.Resolution
    ) async throws -> Bool {
        let key = SyncKey(typeName: typeName, id: id)
        return try await journal { journal in
            try journal.beginIfStarted()
            guard let change = try journal.changes(of: key).last, change.state == .conflict else { return false }
            let state = RemoteState(
                key: key, version: change.remoteVersion, resource: try journal.remote(change))
            switch try decide(try journal.conflict(change)) {
            case .deferred: return true
            case .remote: try journal.adopt(state)
            case .local: try journal.keepLocal(state, nil)
            case .merged(let merged): try journal.keep(merged, state: state, scope: nil) { try journal.adopt(state) }
            }
            return true
        }
    }

    // MARK: - Purging

    /// Removes a resource from the store without deleting it at the server. A later pull brings it back only if it is changed there.
    ///
    /// - Parameters:
    ///   - typeName: the resource's type.
    ///   - id: the resource's id.
    ///   - force: whether to discard unsent changes.
    /// - Returns: whether the store had it.
    /// - Throws: `SyncError.notSent` if it has changes that were not sent; `FHIRStoreError`.
    @discardableResult
    public func purge(_ typeName: String, id: String, force: Bool = false) async throws -> Bool {
        let key = SyncKey(typeName: typeName, id: id)
        return try await journal { journal in
            try journal.beginIfStarted()
            guard try force || journal.changes(of: key).isEmpty else {
                throw SyncError(.notSent, "the \(typeName) has changes that were not sent: push them first, or purge with force")
            }
            try journal.removeChanges(of: key)
            try journal.markPurged(key)
            return try journal.tx.delete(typeName: typeName, id: id)
        }
    }

    /// Removes resources that earlier scopes pulled and the current one does not contain. Resources with unsent changes stay.
    ///
    /// The server is asked what the scope consists of: for the types of ``SyncScope/everything``, and for the members of Groups.
    /// - Returns: the number of resources.
    /// - Throws: `SyncError.busy`; `FHIRClientError`; `FHIRStoreError`.
    @discardableResult
    public func dropOutOfScope() async throws -> Int {
        var run = SyncRun(self, nil)
        try await run.begin()
        do {
            run.lockedTypes = []
            let keys = Set(try await run.searches().map(\.key))
            let dropped = try await run.journal { try $0.dropSearches(except: keys) }
            try await run.end(keepsResult: false)
            return dropped
        } catch {
            let failure = error
            // The first error counts.
            do { try await run.end(keepsResult: false) } catch {}
            throw failure
        }
    }
}

extension WaitingChange {
    fileprivate var syncState: SyncState { state.syncState }

    fileprivate var outcomeIssues: [OutcomeIssue] {
        guard let issues else { return [] }
        do { return try JSONDecoder().decode([OutcomeIssue].self, from: Data(issues.utf8)) } catch { return [] }
    }
}

extension WaitingChange.State {
    /// The state as the synchronizer shows it.
    var syncState: SyncState {
        switch self {
        case .waiting: .pending
        case .parked: .parked
        case .conflict: .conflict
        case .undecided, .wanted, .unknown: .undecided
        }
    }
}

extension SyncJournal {
    /// Takes in the changes of the log, if the store was ever synchronized with the server.
    func beginIfStarted() throws { if try tx.place(ofReader: reader) != nil { try takeIn() } }

    /// The server's state replaces the store's.
    fileprivate func adopt(_ state: RemoteState) throws {
        try removeChanges(of: state.key)
        if let resource = state.resource {
            _ = try tx.store([resource])
            try remember(state.key, version: state.version)
        } else {
            _ = try tx.delete(typeName: state.key.typeName, id: state.key.id)
            try forget(state.key)
        }
    }
}
