import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteTrust
import Foundation

extension FHIRService {
    /// Answers a batch or transaction (FHIR, RESTful API).
    func bundle(_ call: ServiceCall) async throws -> ServiceResponse {
        if call.request.body.mentions("Subscription") { await subscriptions.settle(self, saves: true) }
        // Batches that only read go beside writes.
        let isRead = configuration.isReadOnly || store.configuration.access != .readWrite
        let work: @Sendable () throws -> ServiceResponse = {
            try self.bundleAnswer(call).responseAfterCommit(call.presentation, self.release)
        }
        return isRead ? try await store.reading(until: deadline, work) : try await store.writing(until: deadline, work)
    }

    private func bundleAnswer(_ call: ServiceCall) throws -> Answer {
        switch try work(of: call) {
        case .transaction(let requests):
            if requests.contains(where: { !$0.isRead }) { try requireWritable() }
            return try transaction(requests, call)
        case .batch(let entries):
            let results = entries.enumerated().map { batch($1, $0, call) }
            return Self.answer("batch-response", results.count) { results[$0] }
        }
    }

    /// What a Bundle asks for.
    private enum BundleWork {
        case transaction([BundleRequest])
        /// The entries of a batch, of which each is looked at by itself.
        case batch([FHIRObject])
    }

    /// Reads a Bundle. Of that of a transaction nothing stays in memory but the requests.
    private func work(of call: ServiceCall) throws -> BundleWork {
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
            return .transaction(
                try entries.enumerated().map { index, entry in
                    do { return try BundleRequest(entry, index, self) } catch {
                        throw ServiceFault(error).inside("Bundle.entry[\(index)]")
                    }
                })
        case "batch": return .batch(entries)
        default: throw ServiceFault(400, "invalid", "the base takes a Bundle of type batch or transaction", at: "Bundle.type")
        }
    }

    /// The Bundle of the answer.
    ///
    /// - Parameters:
    ///   - count: the number of entries.
    ///   - result: gives the answer to an entry, when it is written; nil to leave it out.
    private static func answer(_ type: StaticString, _ count: Int, _ result: (Int) -> BundleResult?) -> Answer {
        var json = Data(capacity: count * entryBytes + 64)
        json.append(contentsOf: "{\"resourceType\":\"Bundle\",\"type\":\"\(type)\"".utf8)
        var isFirst = true
        for index in 0..<count {
            guard let result = result(index) else { continue }
            json.append(contentsOf: (isFirst ? ",\"entry\":[" : ",").utf8)
            isFirst = false
            result.write(to: &json)
        }
        json.append(contentsOf: (isFirst ? "}" : "]}").utf8)
        return Answer(200, .bytes(json))
    }

    /// About what the answer to an entry takes without a resource.
    private static let entryBytes = 200

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
            return Self.answer("transaction-response", results.count) { results[$0] }
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
        return Self.answer("transaction-response", requests.count) { index in
            reads[index] ?? outcomes[index].map { BundleResult($0, call, self) }
        }
    }

    private func read(_ request: BundleRequest, _ outer: ServiceCall, _ transaction: ReadTransaction) throws -> BundleResult {
        do {
            return BundleResult(try ReadRun(self, try request.call(in: outer), transaction).entry(request))
        } catch {
            throw ServiceFault(error).inside(request.place)
        }
    }
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

extension Data {
    /// Whether a word is anywhere in the bytes.
    func mentions(_ word: StaticString) -> Bool {
        withUnsafeBytes { bytes in
            let count = word.utf8CodeUnitCount
            guard var next = bytes.baseAddress, bytes.count >= count else { return false }
            let last = next + bytes.count - count
            while next <= last, let place = memchr(next, Int32(word.utf8Start[0]), next.distance(to: last) + 1) {
                if memcmp(place, word.utf8Start, count) == 0 { return true }
                next = UnsafeRawPointer(place) + 1
            }
            return false
        }
    }
}
