import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteTrust
import Foundation

extension FHIRService {
    /// Answers a request that may be asked.
    ///
    /// - Throws: `ServiceFault` and all that it can be made of.
    func answer(_ call: ServiceCall) async throws -> ServiceResponse {
        switch call.route {
        case .metadata: return try await reading(call) { try $0.metadata() }
        case .openAPI: return try await reading(call) { try $0.openAPI() }
        case .smartConfiguration: return try smartConfiguration()
        case .token: return try await token(call)
        case .job, .file: return try await job(call)
        case .operation(let name, let type, let id): return try await operation(name, type: type, id: id, call: call)
        case .system where call.request.method == .post: return try await bundle(call)
        case .system, .search, .compartment, .compartmentSearch, .history, .version:
            return try await reading(call) { try $0.answer() }
        case .type where call.request.method == .get || call.request.method == .head:
            return try await reading(call) { try $0.answer() }
        case .instance where call.request.method == .get || call.request.method == .head:
            return try await reading(call) { try $0.answer() }
        case .type, .instance: return try await writing(call)
        }
    }

    /// When a request that begins now must be answered.
    var deadline: ContinuousClock.Instant { .now + configuration.limits.time }

    /// Answers from a snapshot, on a thread of the store's.
    func reading(_ call: ServiceCall, _ body: @escaping @Sendable (ReadRun) throws -> Answer) async throws -> ServiceResponse {
        try await store.reading(until: deadline) {
            try self.read { transaction in
                transaction.setAuditParty(AuditParty(call.access.subject))
                return try body(ReadRun(self, call, transaction)).response(call.presentation, self.release)
            }
        }
    }

    /// Answers a write of one resource.
    private func writing(_ call: ServiceCall) async throws -> ServiceResponse {
        try requireWritable()
        // What was committed before counts for the subscription as it was.
        let isSubscription = call.route.subject.type == "Subscription"
        if isSubscription { await subscriptions.settle(self, saves: true) }
        let response = try await writes.answer(call, self)
        if isSubscription { await subscriptions.resume(self) }
        return response
    }

    /// - Throws: `ServiceFault` with status 405 if nothing may be changed.
    func requireWritable() throws {
        guard !configuration.isReadOnly, store.configuration.access == .readWrite else {
            throw ServiceFault(405, "not-supported", "the server only reads", fields: ["Allow": "GET, HEAD"])
        }
    }

    // MARK: - Authorization

    private func smartConfiguration() throws -> ServiceResponse {
        guard let authorizer = configuration.authorizer else {
            throw ServiceFault(404, "not-found", "the server asks for no authorization")
        }
        var members = authorizer.configuration(base: base)
        if members["capabilities"] == nil { members["capabilities"] = ["permission-v1", "permission-v2"] }
        return try json(200, members)
    }

    private func token(_ call: ServiceCall) async throws -> ServiceResponse {
        guard MediaType(call.request.fields["Content-Type"] ?? "").name == MediaType.form else {
            throw ServiceFault(415, "not-supported", "the body is \(MediaType.form)", at: "http.Content-Type")
        }
        let items = try QueryItems(String(decoding: call.request.body, as: UTF8.self))
        let form = Dictionary(items.all.map { ($0.name, $0.value) }) { first, _ in first }
        guard let answer = try await configuration.authorizer?.token(form: form, base: base, now: call.now) else {
            throw ServiceFault(404, "not-found", "the server gives out no tokens")
        }
        return try json(answer.status, answer.body)
    }

    private func json(_ status: Int, _ members: [String: JSONValue]) throws -> ServiceResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ServiceResponse(status, fields: ["Content-Type": MediaType.json], body: .data(try encoder.encode(members)))
    }
}
