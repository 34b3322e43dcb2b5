import FireLiteCore
import FireLiteXML
import Foundation

/// What a server's answer to a batch or transaction says about its entries: the only place that decides it, for the client, the synchronizer and
/// the outbox.
enum BundleAnswer {
    /// The results of the entries, in their order.
    ///
    /// - Parameters:
    ///   - answer: the answer.
    ///   - kind: the type of the Bundle that was sent, `batch` or `transaction`.
    ///   - count: the number of its entries.
    /// - Returns: nil unless the answer is a Bundle of the type that FHIR requires, with a status for each entry.
    static func results(_ answer: FHIRResource, kind: String, count: Int) -> [FHIRBundleEntryResult]? {
        guard answer.resourceType == "Bundle", answer.text("type") == kind + "-response" else { return nil }
        let results = answer.children("entry").map { FHIRBundleEntryResult($0) }
        let complete = results.compactMap { $0 }
        return results.count == count && complete.count == count ? complete : nil
    }
}

extension FHIRRequest {
    /// Throws unless the answer to a batch or transaction shows that every entry was done.
    ///
    /// - Throws: `FHIRClientError.rejected`, with the first refusal, if the server refuses entries of a batch and says why;
    ///   `FHIRClientError.invalidResponse` if anything else is missing: then nobody knows what was done.
    func requireEveryEntryDone(_ response: HTTPResponse, release: FHIRRelease) throws {
        guard let sent = readable(body ?? Data(), release), sent.resourceType == "Bundle", let kind = sent.text("type") else {
            throw noEvidence(response, "what was sent is not a Bundle with a type")
        }
        let methods = sent.children("entry").map { HTTPMethod(rawValue: $0.child("request")?.text("method") ?? "") }
        guard let answer = readable(response.body, release),
            let results = BundleAnswer.results(answer, kind: kind, count: methods.count)
        else {
            throw noEvidence(response, "the answer is not a \(kind)-response with a status for each of the \(methods.count) entries")
        }
        let failed = zip(results, methods).filter { !$0.isDone(by: $1) }.map(\.0)
        guard let first = failed.first else { return }
        guard kind == "batch", failed.allSatisfy({ 400..<500 ~= $0.status && $0.outcome != nil }) else {
            throw noEvidence(response, "\(failed.count) of the \(methods.count) entries of the \(kind) do not show that they were done")
        }
        throw FHIRClientError(
            .rejected, "\(self): the server refuses \(failed.count) of the \(methods.count) entries of the batch",
            status: first.status, issues: first.issues, outcome: first.outcome)
    }

    /// Whether the result of an entry shows that the request was done.
    package func isDone(_ result: FHIRBundleEntryResult, release: FHIRRelease) -> Bool {
        guard result.isDone(by: method) else { return false }
        // An update may be answered with what was there before.
        let isShowable = method == .put || method == .patch && replacedVersion != nil
        guard result.status != 201, isShowable, let resource = result.resource else { return true }
        return isShown(by: resource, version: result.version, release: release)
    }

    /// Whether a state of the server shows that the request was done: it has everything that was sent, or is of another version than the one that
    /// the request replaces. Servers may change what they store.
    func isShown(by json: Data, version: String?, release: FHIRRelease) -> Bool {
        if let version, let replaced = replacedVersion, version != replaced { return true }
        guard method == .put || method == .post, let body else { return false }
        guard let there = readable(json, release), let sent = readable(body, release) else { return false }
        // An id of one's own, and what is the server's, need not be the same.
        sent.id = nil
        return there.hasEverything(of: sent.withoutServerMeta)
    }

    /// The version that the request replaces; nil if it does not say.
    var replacedVersion: String? { Self.version(inEntityTag: fields["If-Match"]) }

    /// A resource as far as it can be read; nil if it cannot be.
    private func readable(_ body: Data, _ release: FHIRRelease) -> FHIRResource? {
        do {
            return body.isXML
                ? try FHIRXML.lenientResource(from: body, release: release).resource
                : try FHIRJSON.lenientResource(from: body, release: release).resource
        } catch {
            // What cannot be read shows nothing.
            return nil
        }
    }
}
