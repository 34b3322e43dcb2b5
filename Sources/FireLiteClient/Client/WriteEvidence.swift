import FireLiteCore
import Foundation

/// What a successful status to a request that writes proves.
///
/// A status alone proves nothing: captive portals, maintenance pages and proxies answer 200 to whatever they get. An answer counts if it is what
/// the request asks for: a resource of its type and id with what was sent, or a response to each entry of a Bundle. Without that, the server is asked
/// what it has.
enum WriteEvidence: Sendable {
    /// The server has done it.
    case done(WriteReceipt)
    /// The answer does not show it: only reading shows whether it was done.
    case silent(WriteReceipt)

    /// What the answer says about the resource.
    var receipt: WriteReceipt {
        switch self {
        case .done(let receipt), .silent(let receipt): receipt
        }
    }
}

/// What an answer says about the resource that was written.
package struct WriteReceipt: Sendable {
    package let status: Int
    package var fields: HTTPFields = [:]
    /// Nil if the server did not say.
    package var id: String?
    /// Nil if the server did not say.
    package var version: String?
    /// The resource as the server has it, as JSON; nil if it was not returned.
    package var resource: Data?

    package init(status: Int, fields: HTTPFields = [:], id: String? = nil, version: String? = nil, resource: Data? = nil) {
        self.status = status
        self.fields = fields
        self.id = id
        self.version = version
        self.resource = resource
    }
}

extension FHIRRequest {
    /// What is written.
    enum Target: Sendable, Hashable {
        /// One resource by its id.
        case resource(typeName: String, id: String)
        /// One resource of a type: created, or found by a condition.
        case type(String)
        /// A batch or transaction.
        case bundle
        /// An operation, or whatever else: nothing is known of the answer's type.
        case other
    }

    /// What the request writes, by its path.
    var target: Target {
        if path.isEmpty { return .bundle }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let first = parts.first.flatMap({ String($0) }), first.first?.isUppercase == true,
            !parts.contains(where: { $0.first == UInt8(ascii: "$") || $0.first == UInt8(ascii: "_") })
        else { return .other }
        switch parts.count {
        case 1: return .type(first)
        case 2: return String(parts[1]).map { .resource(typeName: first, id: $0) } ?? .other
        default: return .other
        }
    }

    /// What an answer with a successful status proves.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - release: the release that the server speaks.
    /// - Throws: `FHIRClientError.invalidResponse` if the answer is not one to this request: then nobody knows whether it was done.
    func evidence(in response: HTTPResponse, release: FHIRRelease) throws -> WriteEvidence {
        let location = ResourceLocation(response.fields["Location"] ?? response.fields["Content-Location"])
        var receipt = WriteReceipt(
            status: response.status, fields: response.fields, id: location?.id,
            version: Self.version(inEntityTag: response.fields["ETag"]) ?? location?.version)
        guard [200, 201, 204].contains(response.status) else { throw noEvidence(response, "the status is not that of something done") }
        let body = ResourceHead(response.body)
        guard !response.body.isEmpty else {
            if method == .delete, response.status == 204 { return .done(receipt) }
            if target == .bundle { throw noEvidence(response, "the answer is empty") }
            return .silent(receipt)
        }
        guard let body else { throw noEvidence(response, "the answer is not FHIR") }
        if body.typeName == "OperationOutcome", target != .type("OperationOutcome") {
            // An outcome has issues (FHIR, OperationOutcome); one without any, or that cannot be read, may be about a failure.
            guard let issues = OutcomeIssue.readable(in: response.body), !issues.isEmpty else {
                if target == .other { throw noEvidence(response, "the answer is an OperationOutcome that cannot be read") }
                return .silent(receipt)
            }
            let isFailure = issues.contains { $0.severity == "error" || $0.severity == "fatal" }
            if isFailure { throw noEvidence(response, "the answer says that it failed") }
            return method == .delete || target == .other ? .done(receipt) : .silent(receipt)
        }
        // What a deletion returns is not there any more, or was not deleted.
        if method == .delete, target != .other { return .silent(receipt) }
        switch target {
        case .other: return .done(receipt)
        case .bundle:
            // What became of its entries, `BundleProof` finds out.
            receipt.resource = response.body
            return .silent(receipt)
        case .type(let typeName):
            guard body.typeName == typeName, body.id != nil else {
                throw noEvidence(response, "the answer is not a \(typeName) with an id")
            }
        case .resource(let typeName, let id):
            guard body.typeName == typeName, body.id == id else {
                throw noEvidence(response, "the answer is not the resource that was sent")
            }
        }
        receipt.id = body.id ?? receipt.id
        receipt.version = body.version ?? receipt.version
        let isUpdate = response.status != 201 && (method == .put || method == .patch && replacedVersion != nil)
        guard !mayBeEcho(id: body.id, version: receipt.version) else { return .silent(receipt) }
        // An update may be answered with what was there before.
        if isUpdate, !isShown(by: response.body, version: receipt.version, release: release) { return .silent(receipt) }
        receipt.resource = response.body
        return .done(receipt)
    }

    /// Whether an answer with a resource may be what was sent, which something has sent back: it has neither a new version nor an id of the server.
    func mayBeEcho(id: String?, version: String?) -> Bool {
        if let version, version != replacedVersion { return false }
        guard case .type = target else { return true }
        return id == body.flatMap { ResourceHead($0) }?.id
    }

    package func noEvidence(_ response: HTTPResponse, _ why: String) -> FHIRClientError {
        FHIRClientError(
            .invalidResponse,
            "\(self): \(response.status), but \(why), so it is not known whether it was done: something between here and the server may answer "
                + "instead of it")
    }
}

/// What identifies a resource in its JSON or XML, read without the rest.
package struct ResourceHead: Sendable {
    package let typeName: String
    package let id: String?
    let version: String?
    let lastUpdated: String?

    private struct Head: Decodable {
        struct Meta: Decodable {
            let versionId: String?
            let lastUpdated: String?
        }
        let resourceType: String
        let id: String?
        let meta: Meta?
    }

    init(_ resource: FHIRResource) {
        let meta = resource.child("meta")
        (typeName, id) = (resource.resourceType, resource.id)
        (version, lastUpdated) = (meta?.text("versionId"), meta?.text("lastUpdated"))
    }

    /// - Returns: nil for anything but a resource.
    package init?(_ json: Data) {
        if json.isXML {
            guard let head = XMLHead(json), let typeName = head.typeName else { return nil }
            (self.typeName, id, version, lastUpdated) = (typeName, head.id, head.version, head.lastUpdated)
            return
        }
        guard json.contains(UInt8(ascii: "{")) else { return nil }
        do {
            let head = try JSONDecoder().decode(Head.self, from: json)
            (typeName, id) = (head.resourceType, head.id)
            (version, lastUpdated) = (head.meta?.versionId, head.meta?.lastUpdated)
        } catch { return nil }
    }
}
