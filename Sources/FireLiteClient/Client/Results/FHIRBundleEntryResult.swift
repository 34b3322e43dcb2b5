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

    /// Whether the status is a success.
    public var isSuccess: Bool { 200..<300 ~= status }

    /// The status.
    public var description: String { "\(status)" }

    /// - Returns: nil if the entry has no status.
    init?(_ entry: FHIRObject) {
        guard let response = entry.child("response"), let text = response.text("status"), let status = Int(text.prefix(3)) else {
            return nil
        }
        self.status = status
        let resource = entry.takeResource("resource")
        let outcome = response.takeResource("outcome")
        let place = ResourceLocation(response.text("location"))
        let isOutcome = resource?.resourceType == "OperationOutcome"
        issues = [outcome, isOutcome ? resource : nil].compactMap { $0 }.flatMap { OutcomeIssue.issues(in: FHIRJSON.data($0)) }
        typeName = place?.typeName ?? (isOutcome ? nil : resource?.resourceType)
        id = place?.id ?? (isOutcome ? nil : resource?.id)
        version = FHIRRequest.version(inEntityTag: response.text("etag")) ?? place?.version ?? resource?.child("meta")?.text("versionId")
        lastModified = response.instant("lastModified")?.date
        self.resource = isOutcome ? nil : resource.map { FHIRJSON.data($0) }
    }
}
