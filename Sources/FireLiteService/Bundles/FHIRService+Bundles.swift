import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteTrust
import Foundation

extension FHIRService {
    /// Answers a batch or transaction (FHIR, RESTful API).
    func bundle(_ call: ServiceCall) async throws -> ServiceResponse {
        if call.request.body.range(of: Data("Subscription".utf8)) != nil { await subscriptions.settle(self, saves: true) }
        // Batches that only read go beside writes.
        let isRead = configuration.isReadOnly || store.configuration.access != .readWrite
        let work: @Sendable () throws -> ServiceResponse = { try self.bundleAnswer(call).response(call.presentation, self.release) }
        return isRead ? try await store.reading(until: deadline, work) : try await store.writing(until: deadline, work)
    }

    private func bundleAnswer(_ call: ServiceCall) throws -> Answer {
        let bundle = try ContentReader(service: self).resource(of: call.request)
        guard bundle.resourceType == "Bundle" else {
            throw ServiceFault(
                400, "invalid", "the base takes a Bundle: other resources go to the address of their type", at: bundle.resourceType)
        }
        let entries = bundle.children("entry")
        guard entries.count <= configuration.limits.entries else {
            throw ServiceFault(413, "too-costly", "a Bundle has at most \(configuration.limits.entries) entries", at: "Bundle.entry")
        }
        switch bundle.text("type") {
        case "transaction":
            let requests = try entries.enumerated().map { index, entry in
                do { return try BundleRequest(entry, index, self) } catch {
                    throw ServiceFault(error).inside("Bundle.entry[\(index)]")
                }
            }
            if requests.contains(where: { !$0.isRead }) { try requireWritable() }
            return try transaction(requests, call)
        case "batch": return Answer(200, .json(Self.json(entries.enumerated().map { batch($1, $0, call) }, "batch-response")))
        default: throw ServiceFault(400, "invalid", "the base takes a Bundle of type batch or transaction", at: "Bundle.type")
        }
    }

    private static func json(_ results: [BundleResult], _ type: String) -> String {
        var members = [(name: "resourceType", json: "\"Bundle\""), (name: "type", json: JSONText.string(type))]
        if !results.isEmpty { members.append((name: "entry", json: JSONText.array(results.map(\.json)))) }
        return JSONText.object(members)
    }

    // MARK: - Batches

    /// Does what an entry of a batch asks for, by itself.
    private func batch(_ entry: FHIRObject, _ index: Int, _ outer: ServiceCall) -> BundleResult {
        do {
            let request = try BundleRequest(entry, index, self)
            let call = try request.call(in: outer)
            if request.isRead {
                return BundleResult(
                    try store.read { transaction in
                        transaction.setAuditParty(AuditParty(call.access.subject))
                        return try ReadRun(self, call, transaction).entry(request)
                    })
            }
            try requireWritable()
            let outcome = try store.write { transaction in
                transaction.setAuditParty(AuditParty(call.access.subject))
                let run = WriteRun(self, call, transaction)
                return try run.perform(request, request.takeResource())
            }
            return BundleResult(outcome, outer, self)
        } catch {
            return BundleResult(ServiceFault(error).inside("Bundle.entry[\(index)]"))
        }
    }

    // MARK: - Transactions

    private func transaction(_ requests: [BundleRequest], _ call: ServiceCall) throws -> Answer {
        guard requests.contains(where: { !$0.isRead }) else {
            let results = try store.read { transaction in
                transaction.setAuditParty(AuditParty(call.access.subject))
                return try requests.map { try read($0, call, transaction) }
            }
            return Answer(200, .json(Self.json(results, "transaction-response")))
        }
        let (outcomes, reads) = try store.write { transaction in
            transaction.setAuditParty(AuditParty(call.access.subject))
            var run = TransactionRun(WriteRun(self, call, transaction), requests)
            let outcomes = try run.write()
            var reads: [Int: BundleResult] = [:]
            for request in requests where request.isRead { reads[request.index] = try read(request, call, transaction) }
            return (outcomes, reads)
        }
        // Versions are final after the commit.
        let results = requests.compactMap { request in
            reads[request.index] ?? outcomes[request.index].map { BundleResult($0, call, self) }
        }
        return Answer(200, .json(Self.json(results, "transaction-response")))
    }

    private func read(_ request: BundleRequest, _ outer: ServiceCall, _ transaction: ReadTransaction) throws -> BundleResult {
        do {
            return BundleResult(try ReadRun(self, try request.call(in: outer), transaction).entry(request))
        } catch {
            throw ServiceFault(error).inside(request.place)
        }
    }
}

extension BundleRequest {
    /// Takes the resource out of the entry, so that it has no owner.
    func takeResource() -> FHIRResource? { entry.takeResource("resource") }
}

extension ReadRun {
    /// Answers an entry that reads.
    func entry(_ request: BundleRequest) throws -> Answer {
        switch request.route {
        case .metadata: return try metadata()
        case .operation(let name, let type, let id): return try operation(name, type, id)
        // The entry of a resource says when it was changed.
        case .instance(let type, let id): return try read(type, id)
        case .version, .history, .system, .type, .search, .compartment: return try answer()
        default: throw ServiceFault(400, "not-supported", "an entry cannot ask for this")
        }
    }
}

extension WriteRun {
    /// Does what an entry of a batch asks for.
    func perform(_ request: BundleRequest, _ resource: FHIRResource?) throws -> WriteOutcome {
        switch (request.method, request.route, resource) {
        case (.post, .type, let resource?): return try create(resource, unless: request.ifNoneExist)
        case (.put, .instance(let type, let id), let resource?):
            return try update(resource, type: type, id: id, conditions: request.conditions)
        case (.put, .type(let type), let resource?):
            return try update(resource, type: type, where: request.query, conditions: request.conditions)
        case (.patch, .instance(let type, let id), let resource?):
            return try patch(try PatchDocument(entry: resource, service), type: type, id: id, conditions: request.conditions)
        case (.patch, .type(let type), let resource?):
            return try patch(try PatchDocument(entry: resource, service), type: type, where: request.query, conditions: request.conditions)
        case (.delete, .instance(let type, let id), _): return try delete(type, id, request.conditions)
        case (.delete, .type(let type), _): return try delete(type, where: request.query, request.conditions)
        default: throw ServiceFault(400, "not-supported", "the request of the entry is none that an entry can make")
        }
    }
}
