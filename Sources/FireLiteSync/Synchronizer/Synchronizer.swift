import FireLite
import FireLiteCore
import Foundation

/// Keeps a store and a FHIR server in sync: pulls the server's changes and pushes the store's.
///
/// ```swift
/// let synchronizer = Synchronizer(store, client, scope: .types("Patient", "Observation"))
/// let result = try await synchronizer.sync()
/// ```
/// The store's change log lists the local changes, including those made offline and by other processes. Pulled resources are written with
/// the origin `.server` and never sent back. All bookkeeping is in the store's file, so an interrupted sync continues where it stopped, and
/// repeating a sync after a lost answer changes nothing twice. For each store and server, one sync at a time runs across all processes.
public final class Synchronizer: Sendable {
    /// The store.
    public let store: FHIRStore
    /// The server.
    public let client: FHIRClient
    /// The resources to pull.
    public let scope: SyncScope
    /// Its settings.
    public let configuration: Configuration
    /// Called before each write, for tests.
    let checkpoint: (@Sendable () throws -> Void)?
    let base: String

    /// Creates a synchronizer. Nothing is sent or changed yet.
    ///
    /// - Parameters:
    ///   - store: the store, of the client's release.
    ///   - client: the server.
    ///   - scope: what is pulled. Local changes of every type are pushed.
    ///   - configuration: settings.
    public convenience init(
        _ store: FHIRStore, _ client: FHIRClient, scope: SyncScope = .everything, configuration: Configuration = Configuration()
    ) {
        self.init(store, client, scope: scope, configuration: configuration, checkpoint: nil)
    }

    init(
        _ store: FHIRStore, _ client: FHIRClient, scope: SyncScope, configuration: Configuration,
        checkpoint: (@Sendable () throws -> Void)?
    ) {
        self.store = store
        self.client = client
        self.scope = scope
        self.configuration = configuration
        self.checkpoint = checkpoint
        var base = client.base.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        store.checkJournals()
    }

    // MARK: - Synchronizing

    /// Pulls and pushes.
    ///
    /// - Parameters:
    ///   - direction: one way only. Default: first the pull, then the push.
    ///   - progress: called after each page and each Bundle, once its content is recorded.
    /// - Returns: the result. The store keeps it, also that of a failed sync: ``lastResult()``.
    /// - Throws: `SyncError.busy` if another sync with the server is running; `FHIRClientError`; `AuthorizationError`; `FHIRStoreError`;
    ///   `CancellationError`. Finished parts stay done.
    @discardableResult
    public func sync(
        _ direction: SyncDirection = .both, progress: ProgressHandler<SyncProgress>? = nil
    ) async throws -> SyncResult {
        try checkRelease()
        var run = SyncRun(self, progress)
        try await run.begin()
        do {
            try await run.run(direction)
        } catch {
            run.result.failure = Self.description(of: error)
            let failure = error
            // The first error counts.
            do { try await run.end() } catch {}
            throw failure
        }
        try await run.end()
        return run.result
    }

    /// Pulls the server's changes.
    ///
    /// - Parameter progress: called after each page.
    /// - Returns: the result.
    /// - Throws: as ``sync(_:progress:)``.
    @discardableResult
    public func pull(progress: ProgressHandler<SyncProgress>? = nil) async throws -> SyncResult {
        try await sync(.pull, progress: progress)
    }

    /// Pushes the store's changes.
    ///
    /// - Parameter progress: called after each Bundle.
    /// - Returns: the result.
    /// - Throws: as ``sync(_:progress:)``.
    @discardableResult
    public func push(progress: ProgressHandler<SyncProgress>? = nil) async throws -> SyncResult {
        try await sync(.push, progress: progress)
    }

    /// - Throws: `SyncError.invalidArgument` unless store and server have the same release.
    func checkRelease() throws {
        guard client.release == store.release else {
            throw SyncError(.invalidArgument, "the store has FHIR \(store.release), the client FHIR \(client.release): use one release")
        }
    }

    /// Errors of the library describe themselves without values of records; of others only the type is kept.
    private static func description(of error: any Error) -> String {
        switch error {
        case let error as FHIRClientError: error.description
        case let error as SyncError: error.description
        case let error as AuthorizationError: "\(error)"
        case let error as FHIRStoreError: error.message
        case let error as any FireLiteError: error.description
        case is CancellationError: "cancelled"
        default: "\(type(of: error))"
        }
    }

    // MARK: - Bookkeeping

    /// Runs a block with the journal of the server, as one write whose changes are not logged.
    ///
    /// - Parameter owner: the owner of the lease, which is renewed; nil if no lease is needed.
    func journal<Value: Sendable>(
        _ owner: String? = nil, _ body: @escaping @Sendable (SyncJournal) throws -> Value
    ) async throws -> Value {
        try checkpoint?()
        let (base, configuration, now) = (base, configuration, client.configuration.clock.now())
        return try await store.write(origin: .server) { tx in
            let journal = try SyncJournal(tx, base: base, configuration, now: now)
            if let owner { try journal.renewLease(owner, now: now) }
            let noted = journal.tally.noted
            let value = try body(journal)
            try journal.noteRows(before: noted)
            return value
        }
    }
}
