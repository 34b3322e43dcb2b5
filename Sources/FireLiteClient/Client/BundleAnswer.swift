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
    /// The entries of a batch or transaction with their results, if the answer says of each that it was done.
    ///
    /// - Throws: `FHIRClientError.rejected`, with the first refusal, if the server refuses entries of a batch and says why;
    ///   `FHIRClientError.invalidResponse` if anything else is missing: then nobody knows what was done.
    func entriesDone(_ response: HTTPResponse, _ client: FHIRClient) throws -> BundleProof {
        let release = client.release
        guard let (kind, requests, _) = entries(client) else { throw noEvidence(response, "what was sent is not a batch or transaction") }
        guard let answer = readable(response.body, release),
            let results = BundleAnswer.results(answer, kind: kind.rawValue, count: requests.count)
        else {
            throw noEvidence(response, "the answer is not a \(kind)-response with a status for each of the \(requests.count) entries")
        }
        let failed = zip(results, requests).filter { !$0.isDone(by: $1.method) }.map(\.0)
        guard let first = failed.first else { return BundleProof(client, requests, results, kind) }
        guard kind == .batch, failed.allSatisfy({ 400..<500 ~= $0.status && $0.outcome != nil }) else {
            throw noEvidence(response, "\(failed.count) of the \(requests.count) entries of the \(kind) do not show that they were done")
        }
        throw FHIRClientError(
            .rejected, "\(self): the server refuses \(failed.count) of the \(requests.count) entries of the batch",
            status: first.status, issues: first.issues, outcome: first.outcome)
    }

    /// The requests of a batch or transaction, and the addresses of their resources within it; nil of anything else.
    package func entries(_ client: FHIRClient) -> (kind: FHIRClient.BundleKind, requests: [FHIRRequest], fullURLs: [String?])? {
        guard target == .bundle, let sent = readable(body ?? Data(), client.release), sent.resourceType == "Bundle",
            let kind = sent.text("type").flatMap({ FHIRClient.BundleKind(rawValue: $0) })
        else { return nil }
        let entries = sent.children("entry")
        return (kind, entries.map { FHIRRequest(entry: $0, base: client.base) }, entries.map { $0.text("fullUrl") })
    }

    /// The request of an entry.
    private init(entry: FHIRObject, base: URL) {
        let request = entry.child("request")
        var fields: HTTPFields = [:]
        for (field, member) in [("If-None-Match", "ifNoneMatch"), ("If-Match", "ifMatch"), ("If-None-Exist", "ifNoneExist")] {
            fields[field] = request?.text(member)
        }
        var path = request?.text("url") ?? ""
        let start = base.absoluteString.hasSuffix("/") ? base.absoluteString : base.absoluteString + "/"
        if path.hasPrefix(start) { path.removeFirst(start.count) }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        self.init(
            HTTPMethod(rawValue: request?.text("method") ?? ""), parts[0],
            parameters: parts.count > 1 ? FHIRParameters(query: parts[1]) : [:], fields: fields,
            body: entry.takeResource("resource").map { FHIRJSON.data($0) })
    }

    // MARK: - What the server shows

    /// Whether a state of the server shows that a write was done: it has what was sent, or is of a version that only the write can have made. Servers
    /// may change what they store.
    ///
    /// - Parameters:
    ///   - json: the resource as the server has it.
    ///   - version: its version; nil if the server does not say.
    ///   - status: the status with which the server has answered the write.
    ///   - stated: the version that the server states for the write.
    func isProved(by json: Data, version: String?, status: Int, stated: String?, release: FHIRRelease) -> Bool {
        let isStated = version != nil && version == stated && version != replacedVersion
        if let mark = ConditionMark(self) {
            // The resource that the condition of a create finds may have changed since it was made.
            guard mark.isOn(json, readable(json, release)) else {
                // There are servers that keep no tags.
                return mark.name == "_tag" && method == .post && status == 201
                    && isShown(by: json, version: nil, release: release, ignoringTags: true)
            }
            return method == .post || isStated && status == 201 || isShown(by: json, version: nil, release: release)
        }
        // A version of an update that names none, or of a create that made nothing, may be anybody's.
        let namesNone = method == .put && replacedVersion == nil || fields["If-None-Match"] != nil
        return isStated && (!namesNone || status == 201) || isShown(by: json, version: nil, release: release)
    }

    /// Whether a state of the server shows that the request was done: it has everything that was sent, or is of another version than the one that
    /// the request replaces. Servers may change what they store.
    func isShown(by json: Data, version: String?, release: FHIRRelease, ignoringTags: Bool = false) -> Bool {
        if let version, let replaced = replacedVersion, version != replaced { return true }
        guard method == .put || method == .post, let body else { return false }
        guard let there = readable(json, release), let sent = readable(body, release) else { return false }
        let isReplaced = replacedVersion != nil && there.child("meta")?.text("versionId") == replacedVersion
        // An id of one's own, and what is the server's, need not be the same.
        (sent.id, there.id) = (nil, nil)
        if ignoringTags, let meta = sent.child("meta"), let slot = meta.layout.element(named: "tag")?.slot {
            meta._setObjects(slot, [FHIRObject]())
        }
        let (wanted, own) = (sent.withoutServerMeta, there.withoutServerMeta)
        // The version that is replaced has everything, too, if the update only takes something out.
        return own.hasEverything(of: wanted) && (!isReplaced || wanted.hasEverything(of: own))
    }

    /// The version that the request replaces; nil if it does not say.
    var replacedVersion: String? { Self.version(inEntityTag: fields["If-Match"]) }

    /// A resource as far as it can be read; nil if it cannot be.
    func readable(_ body: Data, _ release: FHIRRelease) -> FHIRResource? {
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

/// The identifier or tag by which a condition recognizes a resource.
struct ConditionMark {
    /// `identifier` or `_tag`.
    let name: String
    /// As it is searched for, `system|value`.
    let value: String

    /// - Returns: nil of a request without a condition, or with one of another kind.
    init?(_ request: FHIRRequest) {
        guard let condition = request.condition?.all, condition.count == 1, ["identifier", "_tag"].contains(condition[0].name),
            !condition[0].value.contains(",")
        else { return nil }
        (name, value) = (condition[0].name, condition[0].value)
    }

    /// Whether a resource has it.
    ///
    /// - Parameter resource: reads it.
    func isOn(_ json: Data, _ resource: @autoclosure () -> FHIRResource?) -> Bool {
        let text = value.split(separator: "|", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        // Most of those that are compared are others. A text may be escaped.
        guard !text.isEmpty, json.range(of: Data(text.utf8)) != nil || json.contains(UInt8(ascii: "\\")), let resource = resource() else {
            return false
        }
        return name == "_tag"
            ? resource.child("meta")?.children("tag").contains { $0.text("code") == text } ?? false
            : resource.children("identifier").contains { $0.text("value") == text }
    }
}

extension FHIRRequest {
    /// The name of what the request writes: `Patient/1`, or `Patient?identifier=…` of what a condition finds. Nil if it names nothing.
    package var subject: String? {
        switch target {
        case .resource(let typeName, let id): typeName + "/" + id
        case .type(let typeName): condition.map { typeName + "?" + $0.query }
        case .bundle, .other: nil
        }
    }

    /// Whether it is an operation, of which nobody knows what it writes.
    package var isOperation: Bool { target == .other }

    /// The search parameters by which the server finds the resource to write; nil if the request names it, or makes one anyway.
    var condition: FHIRParameters? {
        guard case .type = target else { return nil }
        if method == .post { return fields["If-None-Exist"].map { FHIRParameters(query: $0) } }
        return parameters.all.isEmpty ? nil : parameters
    }
}

extension FHIRParameters {
    /// The parameters of an address. Those without a value are left out.
    init(query: String) {
        self.init(
            query.split(separator: "&").compactMap { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? String($0) }
                return parts.count == 2 ? .init(name: parts[0], value: parts[1]) : nil
            })
    }
}
