import FireLiteCore
import Foundation

/// The server's answer to a write.
public struct FHIRWriteResult<Resource: FHIRResource> {
    /// The status: 201 if the resource was created.
    public let status: Int
    /// The resource as the server stored it; nil if the server returned none.
    public let resource: Resource?
    /// Its id at the server; nil if the server did not say.
    public let id: String?
    /// Its version; nil if the server did not say.
    public let version: String?
    /// When it was written, by the server's clock; nil if the server did not say.
    public let lastModified: Date?
    /// Warnings and information of the server.
    public let issues: [OutcomeIssue]

    /// Whether a resource was created. Of a conditional create, false means that one existed.
    public var isCreated: Bool { status == 201 }
}

extension FHIRResource {
    /// A copy without what servers add.
    package var withoutServerMeta: FHIRResource {
        let copy = self.copy()
        if let slot = copy.layout.element(named: "meta")?.slot, let meta = copy.child("meta") {
            for name in ["versionId", "lastUpdated", "source"] {
                guard let slot = meta.layout.element(named: name)?.slot else { continue }
                meta.store(nil, in: slot)
            }
            if !meta.hasContent { copy.store(nil, in: slot) }
        }
        return copy
    }
}
