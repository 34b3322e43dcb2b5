import FireLiteCore
import Foundation

/// The result of an entry of a batch or transaction.
public struct FHIRBundleEntryResult: Sendable, CustomStringConvertible {
    /// The status, `201`.
    public let status: Int
    /// The resource's type; nil if the server did not say.
    public let typeName: String?
    /// The resource's id; nil if the server did not say.
    public let id: String?
    /// The resource's version; nil if the server did not say.
    public let version: String?
    /// When the resource was written, by the server's clock; nil if the server did not say.
    public let lastModified: Date?
    /// What the server says about the entry. The texts may repeat values of records.
    public let issues: [OutcomeIssue]
    /// The resource as JSON; nil if the server returned none.
    public let resource: Data?

    /// The OperationOutcome as JSON; nil if there is none.
    package let outcome: Data?
    /// Whether there is an OperationOutcome with an error, or one without any issue, which may be about a failure.
    private let saysFailure: Bool
    /// The address of the resource, as the server states it.
    let location: String?
    /// The version, as an entity tag.
    let entityTag: String?
    /// What the resource says of itself; nil if there is none.
    let head: ResourceHead?

    /// Whether the status is a success and no OperationOutcome says otherwise.
    public var isSuccess: Bool { 200..<300 ~= status && !saysFailure }

    /// Whether the result is one of something done by a method.
    func isDone(by method: HTTPMethod) -> Bool {
        guard isSuccess else { return false }
        switch method {
        case .get, .head: return status == 200
        // What a deletion returns is not there any more, or was not deleted.
        case .delete: return [200, 204].contains(status) && resource == nil
        default: return [200, 201, 204].contains(status)
        }
    }

    /// The status.
    public var description: String { "\(status)" }

    /// - Returns: nil if the entry has no status of HTTP.
    init?(_ entry: FHIRObject) {
        guard let response = entry.child("response"), let status = response.text("status").flatMap(Self.status) else { return nil }
        self.status = status
        let resource = entry.takeResource("resource")
        let outcome = response.takeResource("outcome")
        let place = ResourceLocation(response.text("location"))
        let isOutcome = resource?.resourceType == "OperationOutcome"
        let outcomes = [outcome, isOutcome ? resource : nil].compactMap { $0 }.filter { $0.resourceType == "OperationOutcome" }
            .map { FHIRJSON.data($0) }
        let lists = outcomes.map { OutcomeIssue.issues(in: $0) }
        issues = lists.flatMap { $0 }
        self.outcome = outcomes.first
        saysFailure = lists.contains { list in list.isEmpty || list.contains { $0.severity == "error" || $0.severity == "fatal" } }
        typeName = place?.typeName ?? (isOutcome ? nil : resource?.resourceType)
        id = place?.id ?? (isOutcome ? nil : resource?.id)
        version = FHIRRequest.version(inEntityTag: response.text("etag")) ?? place?.version ?? resource?.child("meta")?.text("versionId")
        lastModified = response.instant("lastModified")?.date
        self.resource = isOutcome ? nil : resource.map { FHIRJSON.data($0) }
        location = response.text("location")
        entityTag = response.text("etag")
        head = isOutcome ? nil : resource.map { ResourceHead($0) }
    }

    /// A result that says no more than that it was done.
    init(done method: HTTPMethod) {
        status = method == .delete ? 204 : 200
        (typeName, id, version, lastModified, issues, resource) = (nil, nil, nil, nil, [], nil)
        (outcome, saysFailure, location, entityTag, head) = (nil, false, nil, nil, nil)
    }

    /// The three digits of a status, `201` or `201 Created`; nil if it is none of HTTP.
    private static func status(_ text: String) -> Int? {
        let digits = text.prefix { $0 != " " }
        guard digits.utf8.count == 3, digits.utf8.allSatisfy({ 48...57 ~= $0 }), let status = Int(digits), 100..<600 ~= status else {
            return nil
        }
        return status
    }
}
