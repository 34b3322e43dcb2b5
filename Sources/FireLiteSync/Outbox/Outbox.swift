import FireLite
import FireLiteCore
import Foundation

/// Sends the requests that wait in a store's outbox to their server, in order, and loses none.
///
/// ```swift
/// let outbox = try Outbox(store: store, client: client)
/// try await store.write { tx in
///     try tx.upsert(observation)
///     try outbox.enqueue(.create(observation), in: tx)
/// }
/// try await outbox.flush()
/// ```
/// Waiting requests are in the store's own file: they are committed with the resources that they are about, and encrypted and backed up
/// with them. Each request is sent at least once and takes effect once: a create is conditional, so that it finds its resource if an
/// earlier answer was lost. However many outboxes and processes use a file, only one at a time sends to a server.
public final class Outbox: Sendable {
    /// The store with the requests.
    public let store: FHIRStore
    /// The server's client.
    public let client: FHIRClient
    /// How refused entries are treated.
    public let refusals: OutboxRefusals
    /// Which requests are sealed; nil if none are.
    public let envelopes: EnvelopePolicy?
    /// The server's name in the tables.
    let server: String
    let lease: OutboxLease
    let turns = OutboxTurns()
    private let hub = OutboxEvents()
    private let sender: FHIRClient
    private let sealedSender: (name: String, client: FHIRClient)?

    var clock: FHIRClock { client.configuration.clock }

    /// Creates an outbox. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - store: the store with the requests.
    ///   - client: the server's client. Its `FHIRClient.Configuration.retry` is not used: what fails waits for the next flush.
    ///   - refusals: what happens when the server refuses an entry.
    ///   - envelopes: which requests are sealed, for whom, and where they go; nil to seal none.
    ///   - envelopeAuthorization: the authorization at the second endpoint. Nil for the client's if it has the same origin, and none otherwise.
    /// - Precondition: the client's release is the store's.
    /// - Throws: `FHIRClientError.Code.notPrivate` if the second endpoint is not HTTPS.
    public init(
        store: FHIRStore, client: FHIRClient, refusals: OutboxRefusals = .stop, envelopes: EnvelopePolicy? = nil,
        envelopeAuthorization: (any Authorization)? = nil
    ) throws {
        misuse(
            unless: store.release == client.release,
            "an outbox of a store of \(store.release) needs a client of the same release, not of \(client.release)")
        store.checkJournals()
        self.store = store
        self.client = client
        self.refusals = refusals
        self.envelopes = envelopes
        server = try OutboxServer.name(client.base)
        lease = OutboxLease(server: server, owner: LeaseOwner())
        var configuration = client.configuration
        configuration.retry = .never
        sender = try FHIRClient(
            base: client.base, release: client.release, authorization: client.authorization, configuration: configuration,
            transport: client.transport)
        guard let endpoint = envelopes?.endpoint else {
            sealedSender = nil
            return
        }
        let authorization: any Authorization =
            envelopeAuthorization ?? (Origin(endpoint) == client.origin ? client.authorization : NoAuthorization())
        sealedSender = (
            try OutboxServer.name(endpoint),
            try FHIRClient(
                base: endpoint, release: client.release, authorization: authorization, configuration: configuration,
                transport: client.transport)
        )
    }

    /// The client that sends an entry.
    func sender(of entry: OutboxOutgoing) throws -> FHIRClient {
        guard let endpoint = entry.endpoint else { return sender }
        guard let sealedSender, sealedSender.name == endpoint else {
            throw OutboxError(
                .invalidArgument,
                "the entry \(entry.number) is sealed for an endpoint that this outbox does not have: create it with its envelopes")
        }
        return sealedSender.client
    }

    // MARK: - Putting requests in

    /// Adds a request to the outbox, as a part of a write: see ``FireLite/WriteTransaction/enqueue(_:for:sealing:marksCreates:)``.
    ///
    /// - Parameters:
    ///   - request: a request that writes.
    ///   - transaction: a write of the outbox's store.
    /// - Returns: the number of the entry.
    /// - Precondition: the write is of the outbox's store.
    /// - Throws: ``OutboxError``; ``EnvelopeError``; `FHIRStoreError`.
    @discardableResult
    public func enqueue(_ request: FHIRRequest, in transaction: WriteTransaction) throws -> Int64 {
        misuse(unless: transaction.store === store, "the write is of another store: enqueue in a write of the outbox's store")
        return try transaction.enqueue(request, for: client.base, sealing: envelopes, mark: OutboxMark(), created: clock.now())
    }

    /// Adds a request to the outbox, in a write of its own.
    ///
    /// - Parameter request: a request that writes.
    /// - Returns: the number of the entry.
    /// - Throws: ``OutboxError``; ``EnvelopeError``; `FHIRStoreError`.
    @discardableResult
    public func enqueue(_ request: FHIRRequest) async throws -> Int64 {
        try await store.write { tx in try self.enqueue(request, in: tx) }
    }

    // MARK: - Sending

    /// Sends a request after all waiting ones. If that fails, the request waits too.
    ///
    /// It is added to the outbox first, so it is not lost if the program ends meanwhile.
    /// - Parameter request: a request that writes.
    /// - Returns: the outcome. A server that cannot be reached or refuses is not an error.
    /// - Throws: ``OutboxError``; ``EnvelopeError``; `FHIRStoreError`; `CancellationError`, after which the request waits.
    @discardableResult
    public func send(_ request: FHIRRequest) async throws -> OutboxDelivery {
        let number = try await enqueue(request)
        let result = try await flush(through: number)
        if let receipt = result.sent.first(where: { $0.number == number }) { return .sent(receipt) }
        guard let entry = try await store.read({ tx in try tx.outboxEntry(number) }) else { return .sentElsewhere(number) }
        return .queued(entry, result.stop)
    }

    /// Sends the waiting requests in order, up to the newest at the time of the call.
    ///
    /// If another outbox, of this or another process, is sending to the server, this waits until it has finished. Nothing is sent before the
    /// time that the server has asked for with `Retry-After`.
    /// - Returns: what was sent, and why it ended if requests are left. A server that cannot be reached or refuses is not an error.
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func flush() async throws -> OutboxFlushResult { try await flush(keeping: []) }

    /// - Parameter answered: entries that are only read back, and not sent again.
    package func flush(keeping answered: Set<Int64>) async throws -> OutboxFlushResult {
        let server = server
        let last = try await store.read { tx in
            try tx.outboxRows("SELECT max(seq) FROM _outbox WHERE server = ?", [.text(server)]).first?[0].integer
        }
        guard let last else { return OutboxFlushResult() }
        return try await flush(through: last, keeping: answered)
    }

    private func flush(through last: Int64, keeping answered: Set<Int64> = []) async throws -> OutboxFlushResult {
        await turns.begin()
        do {
            let result = try await OutboxFlush(outbox: self, last: last, answered: answered).run()
            await turns.end()
            report(.flushed(result))
            return result
        } catch {
            await turns.end()
            throw error
        }
    }

    // MARK: - Entries

    /// The requests that wait for the server, in the order of sending.
    ///
    /// - Throws: `FHIRStoreError`.
    public func entries() async throws -> [OutboxEntry] {
        let base = client.base
        return try await store.read { tx in try tx.outboxEntries(for: base) }
    }

    /// The requests that wait for the server, now and after each commit of any process that changes them.
    public func entryUpdates() -> StoreUpdates<[OutboxEntry]> {
        let base = client.base
        return store.updates { tx in try tx.outboxEntries(for: base) }
    }

    /// Sends a refused entry again with the next flush, before later entries; also one that the server says it has done and does not show.
    ///
    /// - Throws: ``OutboxError/Code/noEntry``; `FHIRStoreError`.
    public func retry(_ number: Int64) async throws { try await store.write { tx in try tx.retryOutboxEntry(number) } }

    /// Removes an entry without sending it.
    ///
    /// - Throws: ``OutboxError/Code/noEntry``; `FHIRStoreError`.
    public func discard(_ number: Int64) async throws { try await store.write { tx in try tx.discardOutboxEntry(number) } }

    // MARK: - Events

    /// The events of this outbox from now on. If more than a thousand wait for a slow loop, the oldest are dropped.
    public func events() -> AsyncStream<OutboxEvent> { hub.stream() }

    func report(_ event: OutboxEvent) { hub.report(event) }
}

/// How an outbox treats an entry that the server refuses: one that it will never accept (most statuses from 400 to 499).
public enum OutboxRefusals: String, Sendable, Hashable, CaseIterable {
    /// Sends nothing after it until the entry is retried or discarded, so that the server sees everything in order.
    case stop
    /// Leaves the entry where it is, and sends what comes after it.
    case park
}

/// Lets the flushes of one outbox run one after the other, in the order in which they were asked for.
actor OutboxTurns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
