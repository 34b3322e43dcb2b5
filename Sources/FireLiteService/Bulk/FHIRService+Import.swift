import FireLite
import FireLiteClient
import FireLiteCore
import Foundation

// Bulk import by a manifest of addresses (`$import` of the SMART Bulk Data group).

extension FHIRService {
    /// Starts `$import` of the NDJSON files that a manifest lists.
    func bulkImport(_ call: ServiceCall) async throws -> ServiceResponse {
        guard let jobs, configuration.transport != nil else { throw ServiceFault.notFound }
        guard call.presentation.isAsynchronous else {
            throw ServiceFault(400, "required", "an import needs the field Prefer: respond-async", at: "http.Prefer")
        }
        guard call.access.scopes == nil else { throw ServiceFault(403, "forbidden", "an import needs a token that permits everything") }
        let manifest: JSONItem
        do { manifest = try JSONItemReader.read(call.request.body) } catch {
            throw ServiceFault(400, "structure", "the manifest is not JSON (line \(error.line)): \(error.problem)")
        }
        let form = manifest["inputFormat"]?.text ?? MediaType.fhirLines
        guard form == MediaType.fhirLines || form == "application/ndjson" else {
            throw ServiceFault(400, "not-supported", "an import is of application/fhir+ndjson", at: "inputFormat")
        }
        let inputs = manifest["input"]?.items ?? []
        guard !inputs.isEmpty, inputs.count <= 10_000 else {
            throw ServiceFault(400, "required", "the manifest lists 1 to 10,000 files", at: "input")
        }
        var job = BulkJob(
            id: UUID().uuidString.lowercased(), kind: .import, request: base + "/$import", subject: call.access.subject, created: call.now)
        job.sources = try inputs.enumerated().map { index, input in
            guard let text = input["url"]?.text, let url = URL(string: text), isAllowed(url) else {
                throw ServiceFault(
                    400, "security", "the address is not of an origin from which this server imports", at: "input[\(index)].url")
            }
            return text
        }
        try jobs.start(job, self)
        return ServiceResponse(202, fields: ["Content-Location": "\(base)/$jobs/\(job.id)"])
    }

    /// Whether files are fetched from an address.
    private func isAllowed(_ url: URL) -> Bool {
        guard let origin = Origin(url), url.user == nil else { return false }
        return configuration.importOrigins.contains { URL(string: $0).flatMap { Origin($0) } == origin }
    }

    /// Fetches and stores the files of an import, one after another. Repeating it stores nothing twice.
    func runImport(_ job: BulkJob) async throws -> BulkJob {
        guard let transport = configuration.transport else { throw ServiceFault.notFound }
        var job = job
        job.outputs = []
        job.transactionTime = configuration.clock.now()
        for (index, source) in job.sources.enumerated() {
            try Task.checkCancellation()
            jobs?.report(job.id, "file \(index + 1) of \(job.sources.count)")
            // The origins may be others since the job began.
            guard let url = URL(string: source), isAllowed(url) else {
                throw ServiceFault(400, "security", "an address is not allowed any more")
            }
            let response = try await transport.stream(HTTPRequest(.get, url, fields: ["Accept": MediaType.fhirLines]))
            guard response.status == 200 else {
                throw ServiceFault(502, "exception", "file \(index + 1) of the import cannot be fetched (status \(response.status))")
            }
            let result: ImportResult
            do { result = try await store.importResources(from: response.body) } catch let error as ImportFault {
                throw ServiceFault(
                    422, "processing",
                    "file \(index + 1) of the import has a line that cannot be stored: line \(error.line), \(error.reason)")
            }
            job.outputs.append(
                BulkJob.Output(type: "", file: source, count: result.counts.added + result.counts.updated + result.counts.unchanged))
        }
        return job
    }
}
