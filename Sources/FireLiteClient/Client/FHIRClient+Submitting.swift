import FireLiteCore
import Foundation

extension FHIRClient {
    /// How the entries of a Bundle are done.
    public enum BundleKind: String, Sendable {
        /// Each entry succeeds or fails by itself.
        case batch
        /// All or none.
        case transaction
    }

    /// Sends a Bundle of type `batch` or `transaction` and returns the server's.
    ///
    /// - Parameters:
    ///   - bundle: the Bundle, which stays as it is.
    ///   - isolation: the caller's, where the Bundle is encoded.
    /// - Returns: the answer, whose entries are in the same order. In a batch, some may have failed.
    /// - Throws: ``FHIRClientError``; ``AuthorizationError``.
    public func submit<Bundle: FHIRResource>(
        _ bundle: Bundle, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bundle {
        let request = FHIRRequest(.post, "", fields: FHIRRequest.contentFields(release), body: FHIRJSON.data(bundle))
        let answer = try await resource(Bundle.self, request)
        guard let kind = bundle.text("type"), answer.text("type") == kind + "-response" else {
            throw FHIRClientError(.invalidResponse, "\(request): the server's answer is not the response to a Bundle of this type")
        }
        return answer
    }

    /// Sends entries as a batch or transaction.
    ///
    /// - Parameters:
    ///   - entries: what is to be done.
    ///   - kind: whether all or none is done.
    ///   - isRepeatable: whether sending the Bundle twice does no more than sending it once: if true, it is repeated when an answer
    ///     got lost. Nil if all entries are repeatable.
    /// - Returns: the results in the order of the entries. In a batch, some may have failed.
    /// - Throws: ``FHIRClientError``, also if the server's answer is no response with as many entries; ``AuthorizationError``.
    public func submit(
        _ entries: [FHIRBundleEntry], as kind: BundleKind, isRepeatable: Bool? = nil
    ) async throws -> [FHIRBundleEntryResult] {
        try await results(entries, kind, isRepeatable: isRepeatable ?? entries.allSatisfy(\.request.isRepeatable))
    }

    /// Sends entries, once, and finds out which of them the server has done. Those whose results do not show it are read back.
    ///
    /// - Returns: the results, each with what the server has then; nil if the server does not show that the entry was done.
    package func confirmed(
        _ entries: [FHIRBundleEntry], as kind: BundleKind
    ) async throws -> [(result: FHIRBundleEntryResult, receipt: WriteReceipt?)] {
        let results = try await results(entries, kind, isRepeatable: false)
        return Array(zip(results, try await BundleProof(self, entries.map(\.request), results, kind).receipts()))
    }

    private func results(
        _ entries: [FHIRBundleEntry], _ kind: BundleKind, isRepeatable: Bool
    ) async throws -> [FHIRBundleEntryResult] {
        var json = Data("{\"resourceType\":\"Bundle\",\"type\":\"\(kind.rawValue)\",\"entry\":[".utf8)
        json.reserveCapacity(entries.reduce(json.count) { $0 + ($1.request.body?.count ?? 0) + 256 })
        for (number, entry) in entries.enumerated() {
            try entry.request.checkPath()
            if number > 0 { json.append(contentsOf: ",".utf8) }
            entry.append(to: &json)
        }
        json.append(contentsOf: "]}".utf8)
        let request = FHIRRequest(.post, "", fields: FHIRRequest.contentFields(release), body: json, isRepeatable: isRepeatable)
        let answer = try self.answer(try await send(request).body, request)
        guard let results = BundleAnswer.results(answer, kind: kind.rawValue, count: entries.count) else {
            throw FHIRClientError(
                .invalidResponse,
                "\(kind.rawValue): the server's answer is not a response with a status for each of the \(entries.count) entries")
        }
        return results
    }

    /// The answer to a Bundle, without the resources in it that cannot be read: what was done is done.
    private func answer(_ body: Data, _ request: FHIRRequest) throws -> FHIRResource {
        do {
            return try decode(FHIRResource.self, body, request)
        } catch let error as FHIRClientError where error.code == .invalidResponse {
            guard !body.isXML, let mended = try MendedBundle(body, read: { _ = try read($0) }) else { throw error }
            return try decode(FHIRResource.self, mended.json, request, leniently: true)
        }
    }
}
