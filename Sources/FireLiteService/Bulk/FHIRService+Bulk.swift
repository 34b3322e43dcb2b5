import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

// Bulk Data Access (<https://hl7.org/fhir/uv/bulkdata/export.html>).

extension FHIRService {
    /// Starts `$export` of the system, of patients, or of a Group's patients.
    func export(_ type: String?, _ id: String?, _ call: ServiceCall) async throws -> ServiceResponse {
        guard let jobs else { throw ServiceFault.notFound }
        guard call.presentation.isAsynchronous else {
            throw ServiceFault(400, "required", "an export needs the field Prefer: respond-async", at: "http.Prefer")
        }
        var items = call.query
        if call.request.method == .post, !call.request.body.isEmpty { items.append(try parameters(of: call)) }
        let form = items.last("_outputFormat") ?? "ndjson"
        guard ["application/fhir+ndjson", "application/ndjson", "ndjson"].contains(form.replacingBytes(" ", with: "+")) else {
            throw ServiceFault(400, "not-supported", "an export is application/fhir+ndjson", at: "http._outputFormat")
        }
        let known: Set<String> = ["_outputFormat", "_since", "_type", "_typeFilter", "_elements"]
        if call.presentation.handling != .lenient, let other = items.all.first(where: { !known.contains($0.name) }) {
            throw ServiceFault(400, "not-supported", "an export has no such parameter", at: "http.\(ServiceFault.shown(other.name))")
        }
        var job = BulkJob(
            id: UUID().uuidString.lowercased(), kind: type == nil ? .system : id == nil ? .patient : .group,
            request: base + "/" + path(call),
            subject: call.access.subject, created: call.now)
        job.group = id
        job.scopes = call.access.scopes.map { $0.map(\.description) }
        job.patient = call.access.patient
        job.types = items.words("_type")
        job.elements = items.words("_elements")
        for name in job.types where !release.hasResourceType(named: name) {
            throw ServiceFault(400, "not-supported", "'\(ServiceFault.shown(name))' is not a resource type", at: "http._type")
        }
        if let since = items.last("_since")?.replacingBytes(" ", with: "+") {
            guard FHIRInstant(since) != nil || FHIRDateTime(since) != nil else {
                throw ServiceFault(400, "value", "the value is an instant", at: "http._since")
            }
            job.since = since
        }
        job.typeFilters = try items.values("_typeFilter").flatMap { try filters($0) }
        try call.require(.read, nil)
        if let id { try await requireGroup(id, call) }
        try jobs.start(job, self)
        return accepted(job)
    }

    private func path(_ call: ServiceCall) -> String {
        let halves = call.request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let tail =
            halves[0].range(of: #"(Patient/|Group/[^/]+/)?(\$|%24)(export|import)$"#, options: .regularExpression).map { halves[0][$0] }
            ?? ""
        return String(tail) + (halves.count > 1 ? "?" + halves[1] : "")
    }

    private func accepted(_ job: BulkJob) -> ServiceResponse {
        ServiceResponse(
            202, fields: ["Content-Location": "\(base)/$jobs/\(job.id)", "Content-Type": "application/fhir+json"],
            body: .data(
                Data(WriteOutcome.outcome("the job has begun: GET the address of Content-Location").utf8)))
    }

    private func parameters(of call: ServiceCall) throws -> QueryItems {
        let body = try ContentReader(service: self).resource(of: call.request)
        var items = QueryItems()
        for parameter in body.children("parameter") {
            guard let name = parameter.text("name") else { continue }
            for element in parameter.layout.elements where element.choice?.name == "value[x]" && element.primitive != nil {
                guard let primitive = element.primitive, let text = parameter.plainValue(element.slot)?.literal(primitive) else { continue }
                items.append(name, text)
            }
        }
        return items
    }

    /// `Observation?code=…,Condition?category=…`: a comma begins another filter if a type follows it.
    private func filters(_ text: String) throws -> [BulkJob.TypeFilter] {
        var queries: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let type = part.prefix { $0 != "?" }
            // What the text begins with is a filter in any case, and refused below if it is none.
            if queries.isEmpty || part.contains("?") && release.hasResourceType(named: String(type)) {
                queries.append(String(part))
            } else if let last = queries.popLast() {
                queries.append(last + "," + part)
            }
        }
        return try queries.map { query in
            let halves = query.split(separator: "?", maxSplits: 1)
            guard halves.count == 2, let layout = release.resourceLayout(named: String(halves[0])) else {
                throw ServiceFault(
                    400, "invalid", "a filter is a type, a question mark and search parameters, such as 'Observation?status=final'",
                    at: "http._typeFilter")
            }
            let items = try QueryItems(halves[1])
            try read { transaction in
                guard try transaction.searchCondition(items.all, on: layout) != nil else {
                    throw ServiceFault(400, "not-supported", "\(layout.name) has no such search parameter", at: "http._typeFilter")
                }
            }
            return BulkJob.TypeFilter(type: layout.name, query: String(halves[1]))
        }
    }

    private func requireGroup(_ id: String, _ call: ServiceCall) async throws {
        _ = try await reading(call) { run in
            _ = try run.resource("Group", id)
            return Answer(200)
        }
    }

    // MARK: - State

    /// Answers for the state of a job, its files, and its end.
    func job(_ call: ServiceCall) async throws -> ServiceResponse {
        switch call.route {
        case .job(let id): try await state(try known(id, call), call)
        case .file(let id, let name): try file(name, of: try known(id, call))
        default: throw ServiceFault.notFound
        }
    }

    /// A job of the client's own, with a token that permits what that of the job did: other tokens of the same client may permit less.
    private func known(_ id: String, _ call: ServiceCall) throws -> BulkJob {
        guard let job = jobs?.job(id), call.access.covers(job.access), job.state == .running || job.end > call.now else {
            throw ServiceFault(404, "not-found", "there is no such job")
        }
        return job
    }

    private func state(_ job: BulkJob, _ call: ServiceCall) async throws -> ServiceResponse {
        if call.request.method == .delete {
            await jobs?.remove(job.id)
            return ServiceResponse(202)
        }
        switch job.state {
        case .running:
            return ServiceResponse(202, fields: ["Retry-After": "1", "X-Progress": jobs?.progress(of: job.id) ?? "waiting"])
        case .failed: throw ServiceFault(500, "exception", job.problem ?? "the job failed")
        case .finished:
            let isImport = job.kind == .import
            func listed(_ output: BulkJob.Output) -> JSONItem {
                isImport
                    ? .object([
                        "inputUrl": .string(output.file), "type": .string("OperationOutcome"), "count": .number("\(output.count)"),
                    ])
                    : .object([
                        "type": .string(output.type), "url": .string("\(base)/$jobs/\(job.id)/\(output.file)"),
                        "count": .number("\(output.count)"),
                    ])
            }
            let manifest = JSONItem.object([
                "transactionTime": .string(FHIRInstant(job.transactionTime ?? job.created).literal), "request": .string(job.request),
                "requiresAccessToken": isImport ? nil : .bool(configuration.authorizer != nil), "output": .array(job.outputs.map(listed)),
                "deleted": isImport ? nil : .array([]), "error": .array((job.errors ?? []).map(listed)),
            ])
            return ServiceResponse(
                200, fields: ["Content-Type": "application/json", "Expires": HTTPDate.text(job.end)], body: .data(Data(manifest.json.utf8)))
        }
    }

    private func file(_ name: String, of job: BulkJob) throws -> ServiceResponse {
        let files = job.outputs + (job.errors ?? [])
        guard job.state == .finished, files.contains(where: { $0.file == name }), job.kind != .import, let jobs,
            let chunks = FileChunks(jobs.folder(of: job.id).appendingPathComponent(name))
        else { throw ServiceFault.notFound }
        return ServiceResponse(
            200, fields: ["Content-Type": MediaType.fhirLines, "Content-Length": String(chunks.size)],
            body: .stream(HTTPBody { try chunks.next() }))
    }
}

/// The pieces of a file, read when they are asked for.
///
/// `@unchecked Sendable`: `lock` guards `handle`.
private final class FileChunks: @unchecked Sendable {
    private let lock = NSLock()
    private let handle: FileHandle
    let size: UInt64

    /// Nil if the file cannot be read.
    init?(_ url: URL) {
        guard let handle = try? FileHandle(forReadingFrom: url), let size = try? handle.seekToEnd(), (try? handle.seek(toOffset: 0)) != nil
        else {
            return nil
        }
        self.handle = handle
        self.size = size
    }

    func next() throws -> Data? {
        try lock.withLock {
            let data = try handle.read(upToCount: 1 << 16)
            return data.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
