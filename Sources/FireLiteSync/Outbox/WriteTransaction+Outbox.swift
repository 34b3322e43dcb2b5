import FireLite
import FireLiteCore
import Foundation

extension WriteTransaction {
    /// Adds a request to the store's outbox, as a part of this write: it is committed with the resources, or not at all.
    ///
    /// ```swift
    /// try await store.write { tx in
    ///     try tx.upsert(observation)
    ///     try tx.enqueue(.create(observation), for: server)
    /// }
    /// ```
    /// An ``Outbox`` for the server sends its requests in order. A request to be sealed is sealed now, so it never waits in the clear.
    /// - Parameters:
    ///   - request: a request that writes: POST, PUT, PATCH or DELETE.
    ///   - server: the server's base address. Each address has its own order.
    ///   - envelopes: which requests are sealed, and for whom; nil to seal none.
    ///   - marksCreates: whether a create gets a unique identifier, so that it has one effect however often it is sent. If false, a lost
    ///     answer may lead to a second resource.
    /// - Returns: the number of the entry.
    /// - Throws: ``OutboxError/Code/invalidArgument`` for a request that only reads or that contains a token; ``EnvelopeError``;
    ///   `FHIRStoreError`.
    @discardableResult
    public func enqueue(
        _ request: FHIRRequest, for server: URL, sealing envelopes: EnvelopePolicy? = nil, marksCreates: Bool = true
    ) throws -> Int64 {
        try enqueue(request, for: server, sealing: envelopes, mark: marksCreates ? OutboxMark() : nil, created: store.clock.now())
    }

    /// - Parameter mark: what makes a create unique; nil to leave it as it is.
    package func enqueue(
        _ request: FHIRRequest, for server: URL, sealing envelopes: EnvelopePolicy?, mark: OutboxMark?, created: Date
    ) throws -> Int64 {
        let name = try OutboxServer.name(server)
        guard [.post, .put, .patch, .delete].contains(request.method) else {
            throw OutboxError(.invalidArgument, "\(request): an outbox is for requests that write: send this one with the client")
        }
        do { try request.checkPath() } catch let error as FHIRClientError { throw OutboxError(.invalidArgument, error.message) }
        for field in ["Authorization", "Cookie", "Proxy-Authorization"] where request.fields[field] != nil {
            throw OutboxError(.invalidArgument, "\(request): a token must not wait on disk: give the client an authorization")
        }
        guard PayloadKeeping.referenceStarts.allSatisfy({ request.body?.range(of: $0) == nil }) else {
            throw OutboxError(
                .invalidArgument,
                "\(request): the body has a reference to a payload that is kept apart: send store.attachments.resolvingPayloads(in:) of the resource"
            )
        }
        var outgoing = request
        var condition: FHIRParameters?
        if let mark, OutboxMark.applies(to: request, store.release) {
            guard let marked = mark.marked(request, store.release) else {
                throw OutboxError(.invalidArgument, "\(request): the body is not the JSON of a resource")
            }
            (outgoing.body, condition) = (marked.body, marked.condition)
        }
        let sealed = try envelopes?.sealed(outgoing)
        outgoing = sealed ?? outgoing
        // The condition is random, so it may stand outside an envelope.
        if let condition { outgoing.fields["If-None-Exist"] = condition.query }
        return try insert(
            outgoing, server: name, endpoint: sealed == nil ? nil : envelopes.map { try OutboxServer.name($0.endpoint) },
            mark: (mark ?? OutboxMark()).uuid,
            created: created)
    }

    private func insert(_ request: FHIRRequest, server: String, endpoint: String?, mark: String, created: Date) throws -> Int64 {
        // Recovery may have lost the one or the other.
        let last = try outboxRows(
            "SELECT max((SELECT ifnull(max(last), 0) FROM _outbox_server), (SELECT ifnull(max(seq), 0) FROM _outbox))")
        let number = try incremented(last.first?[0].integer ?? 0, in: "_outbox")
        let parameters = try OutboxOutgoing.text(request.parameters.all.map { ($0.name, $0.value) })
        let fields = try OutboxOutgoing.text(request.fields.all.map { ($0.name, $0.value) })
        let values: [SQLValue] = [
            .integer(number), .text(server), .optional(endpoint), .text(request.method.rawValue), .text(request.path), .text(parameters),
            .text(fields), .optional(request.body), .text(mark), .integer(OutboxTime.milliseconds(created)),
        ]
        try runOutbox(
            """
            INSERT INTO _outbox(seq, server, endpoint, method, path, parameters, fields, body, mark, created, refused, attempts, begun, uncertain)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0)
            """, values)
        if try runOutbox("UPDATE _outbox_server SET last = ? WHERE server = ?", [.integer(number), .text(server)]) == 0 {
            try runOutbox("INSERT INTO _outbox_server(server, last) VALUES (?, ?)", [.text(server), .integer(number)])
        }
        return number
    }

    // MARK: - Entries

    /// Marks a refused entry to be sent again, at its place in the order; also one that the server says it has done and does not show, or shows in
    /// part. The next attempt sends it without asking first what the server has.
    ///
    /// - Throws: ``OutboxError/Code/noEntry``; `FHIRStoreError`.
    public func retryOutboxEntry(_ number: Int64) throws {
        guard try outboxEntry(number) != nil else { throw OutboxError.noEntry(number) }
        try runOutbox(
            """
            UPDATE _outbox SET refused = 0, begun = 0,
              uncertain = CASE WHEN uncertain > 0 OR begun = 1 THEN 1 | \(OutboxOutgoing.Doubt.decided) ELSE 0 END WHERE seq = ?
            """, [.integer(number)])
    }

    /// Removes an entry, sent or not.
    ///
    /// - Throws: ``OutboxError/Code/noEntry``; `FHIRStoreError`.
    public func discardOutboxEntry(_ number: Int64) throws {
        guard try outboxEntry(number) != nil else { throw OutboxError.noEntry(number) }
        try runOutbox("DELETE FROM _outbox WHERE seq = ?", [.integer(number)])
    }
}

extension OutboxError {
    static func noEntry(_ number: Int64) -> OutboxError { OutboxError(.noEntry, "the outbox has no entry \(number)") }
}
