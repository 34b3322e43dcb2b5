import FireLiteCore
import Foundation

/// What makes a create safe to send twice: a unique identifier in the resource, and the condition that no resource has it yet
/// (<https://hl7.org/fhir/http.html#ccreate>).
///
/// A resource whose type has no list of identifiers gets a tag.
package struct OutboxMark: Sendable {
    /// A UUID in lower case.
    package let uuid: String

    private static let uriSystem = "urn:ietf:rfc:3986"
    private static let tagSystem = "urn:firelite:outbox"

    package init(uuid: String = UUID().uuidString.lowercased()) { self.uuid = uuid }

    /// Whether a request creates a resource without a condition of its own.
    static func applies(to request: FHIRRequest, _ release: FHIRRelease) -> Bool {
        request.method == .post && request.body != nil && request.fields["If-None-Exist"] == nil && request.parameters.all.isEmpty
            && release.resourceLayout(named: request.path) != nil
    }

    /// The resource with the mark, and the condition; nil if the body is no JSON object.
    func marked(_ request: FHIRRequest, _ release: FHIRRelease) -> (body: Data, condition: FHIRParameters)? {
        guard let body = request.body, let layout = release.resourceLayout(named: request.path) else { return nil }
        let element = layout.element(named: "identifier")
        let hasIdentifiers = element?.isList == true && element?.typeName == "Identifier"
        let added =
            hasIdentifiers
            ? JSONListInsertion.appending(
                "{\"system\":\"\(Self.uriSystem)\",\"value\":\"urn:uuid:\(uuid)\"}", to: ["identifier"], in: body)
            : JSONListInsertion.appending("{\"system\":\"\(Self.tagSystem)\",\"code\":\"\(uuid)\"}", to: ["meta", "tag"], in: body)
        guard let added else { return nil }
        return (added, hasIdentifiers ? ["identifier": "\(Self.uriSystem)|urn:uuid:\(uuid)"] : ["_tag": "\(Self.tagSystem)|\(uuid)"])
    }
}
