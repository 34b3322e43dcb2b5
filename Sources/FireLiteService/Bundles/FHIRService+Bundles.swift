import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteTrust
import Foundation

extension FHIRService {
    /// Answers a batch or transaction (FHIR, RESTful API).
    func bundle(_ call: ServiceCall) async throws -> ServiceResponse {
        if call.request.body.mentions("Subscription") { await subscriptions.settle(self, saves: true) }
        let deadline = deadline
        guard mayWrite(call) else {
            return try await store.reading(until: deadline) { try self.respond(try self.work(of: call), call) }
        }
        let outcome = try await store.writing(until: deadline) { () throws -> WriterOutcome in
            let work = try self.work(of: call)
            return work.isRead ? .reads(ReadWork(work)) : .answered(try self.respond(work, call))
        }
        switch outcome {
        case .answered(let response): return response
        // Nobody waits for reads to end.
        case .reads(let work): return try await store.reading(until: deadline) { try self.respond(work.work, call) }
        }
    }

    /// Whether a Bundle may have entries that write. One without the words of such methods has none, whatever it says otherwise.
    private func mayWrite(_ call: ServiceCall) -> Bool {
        guard !configuration.isReadOnly, store.configuration.access == .readWrite else { return false }
        let body = call.request.body
        // A word can be written with escapes of JSON or XML.
        return body.mentions("POST") || body.mentions("PUT") || body.mentions("PATCH") || body.mentions("DELETE") || body.mentions("\\u")
            || body.mentions("&#")
    }

    /// What became of a Bundle in its turn to write.
    private enum WriterOutcome: Sendable {
        case answered(ServiceResponse)
        /// It only reads, so it gives its turn back.
        case reads(ReadWork)
    }

    /// What a Bundle asks for, on its way from one thread to another.
    ///
    /// `@unchecked Sendable`: the first thread keeps nothing of it.
    private final class ReadWork: @unchecked Sendable {
        let work: BundleWork

        init(_ work: BundleWork) { self.work = work }
    }

    private func respond(_ work: BundleWork, _ call: ServiceCall) throws -> ServiceResponse {
        try bundleAnswer(work, call).responseAfterCommit(call.presentation, release)
    }

    private func bundleAnswer(_ work: BundleWork, _ call: ServiceCall) throws -> Answer {
        let size = AnswerSize(limit: configuration.limits.answerBytes)
        switch work {
        case .transaction(let requests):
            if requests.contains(where: { !$0.isRead }) { try requireWritable() }
            return try transaction(requests, call, size)
        case .batch(let entries):
            let results = entries.enumerated().map { batch($1, $0, call, size) }
            return Self.answer("batch-response", results.count) { results[$0] }
        }
    }

    /// What a Bundle asks for.
    private enum BundleWork {
        case transaction([BundleRequest])
        /// The entries of a batch, of which each is looked at by itself.
        case batch([FHIRObject])

        /// Whether no entry writes.
        var isRead: Bool {
            switch self {
            case .transaction(let requests): requests.allSatisfy { $0.isRead }
            case .batch(let entries): entries.allSatisfy { Self.isRead($0) }
            }
        }

        /// Whether an entry of a batch does not write. The operations that entries can call do not.
        private static func isRead(_ entry: FHIRObject) -> Bool {
            guard let request = entry.child("request"), let method = request.text("method") else { return true }
            switch method {
            case "PUT", "PATCH", "DELETE": return false
            case "POST": return request.text("url")?.utf8.contains(UInt8(ascii: "$")) ?? true
            default: return true
            }
        }
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
    ///
    /// - Parameter size: that of the answer to the batch.
    private func batch(_ entry: FHIRObject, _ index: Int, _ outer: ServiceCall, _ size: AnswerSize) -> BundleResult {
        var request: BundleRequest?
        let notes = outer.notes.map { _ in AuditNotes() }
        var result: BundleResult
        do {
            let known = try BundleRequest(entry, index, self)
            request = known
            result = try perform(known, outer, notes, size)
        } catch {
            result = BundleResult(ServiceFault(error).inside("Bundle.entry[\(index)]"))
        }
        if let notes, let outer = outer.notes {
            let method = HTTPMethod(rawValue: entry.child("request")?.text("method") ?? "")
            for row in notes.rows(AuditAccess(method, request?.route, status: result.status)) { outer.add(row) }
            // What was written has its rows, so the request itself needs none.
            if notes.hasRow(of: nil, nil) { outer.noteWritten() }
        }
        return result
    }

    private func perform(_ request: BundleRequest, _ outer: ServiceCall, _ notes: AuditNotes?, _ size: AnswerSize) throws -> BundleResult {
        var call = try request.call(in: outer)
        call.notes = notes
        if request.isRead {
            // Nothing is read for an answer that is full.
            try size.add(1)
            let result = BundleResult(
                try read { transaction in
                    transaction.setAuditParty(AuditParty(call.access.subject))
                    return try ReadRun(self, call, transaction, size: size.left).entry(request)
                })
            try size.add(result.resourceBytes)
            return result
        }
        try requireWritable()
        let outcome = try write(for: call) { try $0.perform(request, request.takeResource()) }
        return result(outcome, outer, size)
    }

    /// The entry for what was written, without the resource if the answer is too long with it: what is done must not be refused.
    private func result(_ outcome: WriteOutcome, _ call: ServiceCall, _ size: AnswerSize) -> BundleResult {
        var result = BundleResult(outcome, call, self)
        do { try size.add(result.resourceBytes) } catch { result.resource = nil }
        return result
    }

    // MARK: - Transactions

    private func transaction(_ requests: [BundleRequest], _ call: ServiceCall, _ size: AnswerSize) throws -> Answer {
        func note(_ request: BundleRequest, _ id: String?, _ status: Int) {
            guard let notes = call.notes else { return }
            var access = AuditAccess(request.method, request.route, status: status)
            if access.id == nil { access.id = id }
            notes.add(access)
        }
        guard requests.contains(where: { !$0.isRead }) else {
            let results = try read { transaction in
                transaction.setAuditParty(AuditParty(call.access.subject))
                return try requests.map { try read($0, call, transaction, size) }
            }
            for (request, result) in zip(requests, results) { note(request, nil, result.status) }
            return Self.answer("transaction-response", results.count) { results[$0] }
        }
        let (outcomes, reads) = try write(for: call) { writer in
            var run = TransactionRun(writer, requests)
            let outcomes = try run.write()
            var reads: [Int: BundleResult] = [:]
            for request in requests where request.isRead {
                reads[request.index] = try read(request, call, writer.transaction, size)
            }
            return (outcomes, reads)
        }
        if let notes = call.notes {
            for request in requests {
                if let read = reads[request.index] {
                    note(request, nil, read.status)
                } else if let outcome = outcomes[request.index], !notes.hasRow(of: outcome.typeName, outcome.id) {
                    note(request, outcome.id, outcome.status)
                }
            }
        }
        // Versions are final after the commit.
        return Self.answer("transaction-response", requests.count) { index in
            reads[index] ?? outcomes[index].map { result($0, call, size) }
        }
    }

    private func read(
        _ request: BundleRequest, _ outer: ServiceCall, _ transaction: ReadTransaction, _ size: AnswerSize
    ) throws -> BundleResult {
        do {
            let result = BundleResult(try ReadRun(self, try request.call(in: outer), transaction, size: size.left).entry(request))
            try size.add(result.resourceBytes)
            return result
        } catch {
            throw ServiceFault(error).inside(request.place)
        }
    }
}

extension BundleResult {
    /// The number of bytes of its resource.
    fileprivate var resourceBytes: Int { resource?.utf8.count ?? 0 }
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
