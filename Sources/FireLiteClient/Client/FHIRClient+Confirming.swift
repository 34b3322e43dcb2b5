import FireLiteCore
import Foundation

extension FHIRClient {
    /// Sends a request that writes and returns what the server has then. An answer that does not show it is read back.
    ///
    /// - Throws: as `send`; `invalidResponse` if neither the answer nor the server shows that it was done. Then nobody knows. `UnshownEntries` of a
    ///   Bundle that the server says it has done.
    package func confirmed(_ request: FHIRRequest) async throws -> WriteReceipt {
        let response = try await send(request)
        switch try request.evidence(in: response, release: release) {
        case .done(let receipt): return receipt
        case .silent(let receipt) where request.target == .bundle:
            let missing = try await request.entriesDone(response, self).receipts().count { $0 == nil }
            guard missing == 0 else {
                throw UnshownEntries(
                    cause: request.noEvidence(response, "the server does not show what \(missing) of the entries ask for"))
            }
            return receipt
        case .silent(let receipt):
            do {
                return try await readBack(request, receipt, response)
            } catch let error as FHIRClientError where error.status.map({ 400..<500 ~= $0 && $0 != 401 && $0 != 429 }) ?? false {
                // That is a refusal to read, and says nothing about what was written.
                throw request.noEvidence(response, "the server does not show what was sent")
            } catch let error as FHIRClientError where error.code == .connectionLost {
                throw request.noEvidence(response, "the connection was lost before the server showed what it has")
            }
        }
    }

    /// What the server shows of a batch or transaction that it has said it has done. Conditions and ids find the resources, as the answer is not kept.
    ///
    /// - Throws: as `BundleProof.standing(_:)`.
    package func standing(of request: FHIRRequest) async throws -> BundleStanding {
        guard let (kind, requests, fullURLs) = request.entries(self) else { return .unknown(1) }
        let results = requests.map { FHIRBundleEntryResult(done: $0.method) }
        return try await BundleProof(self, requests, results, kind).standing(fullURLs)
    }

    private func readBack(_ request: FHIRRequest, _ receipt: WriteReceipt, _ response: HTTPResponse) async throws -> WriteReceipt {
        let unknown = request.noEvidence(response, "the server does not show what was sent")
        switch request.target {
        case .resource(let typeName, let id):
            return try await readBack(request, receipt: receipt, typeName: typeName, id: id, unknown: unknown)
        case .type(let typeName):
            if let id = receipt.id { return try await readBack(request, receipt: receipt, typeName: typeName, id: id, unknown: unknown) }
            guard request.method == .post, let condition = request.fields["If-None-Exist"] else { throw unknown }
            guard let id = try await idMatching(condition, typeName, request) else { throw unknown }
            return try await readBack(request, receipt: receipt, typeName: typeName, id: id, unknown: unknown)
        case .other: return receipt
        case .bundle: throw unknown
        }
    }

    /// Reads the resource that a request has written.
    private func readBack(
        _ request: FHIRRequest, receipt: WriteReceipt, typeName: String, id: String, unknown: FHIRClientError
    ) async throws -> WriteReceipt {
        let response: HTTPResponse
        do {
            response = try await send(.read(typeName, id: id))
        } catch let error as FHIRClientError where error.saysAbsent {
            guard request.method == .delete else { throw unknown }
            return receipt
        }
        guard request.method != .delete, let head = ResourceHead(response.body), head.typeName == typeName, head.id == id else {
            throw unknown
        }
        let version = head.version ?? FHIRRequest.version(inEntityTag: response.fields["ETag"])
        guard
            request.isProved(
                by: response.body, version: version, status: receipt.status, stated: receipt.version, release: release)
        else { throw unknown }
        var found = receipt
        (found.id, found.version, found.resource) = (id, version, response.body)
        return found
    }

    /// The id of the only resource that matches a condition.
    private func idMatching(_ condition: String, _ typeName: String, _ request: FHIRRequest) async throws -> String? {
        let page = try await bundle(FHIRRequest(.get, typeName, parameters: FHIRParameters(query: condition)), at: nil)
        let ids = page.bundle.children("entry").compactMap { entry -> String? in
            guard let resource = entry.takeResource("resource"), resource.resourceType == typeName else { return nil }
            return resource.id
        }
        return ids.count == 1 ? ids[0] : nil
    }
}

extension FHIRClientError {
    /// Whether the server says that there is no such resource: 404 or 410 with an OperationOutcome. Gateways and proxies answer 404 too, with a
    /// page of their own, and that says nothing about the resource.
    package var saysAbsent: Bool { (status == 404 || status == 410) && outcome != nil && !issues.contains { $0.code == "not-supported" } }

    /// Whether something that is no FHIR server has answered with 404 or 410: a gateway, or the wrong address.
    package var isGatewaysAbsence: Bool { (status == 404 || status == 410) && outcome == nil }
}
