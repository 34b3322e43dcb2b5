import FireLiteCore
import Foundation

/// A version in a history.
public struct FHIRHistoryEntry {
    /// How the version was made: POST, PUT, PATCH or DELETE; nil if the server does not say.
    public let method: HTTPMethod?
    /// The resource's type.
    public let typeName: String
    /// The resource's id.
    public let id: String
    /// The version's id; nil if the server does not say.
    public let version: String?
    /// When the version was made, by the server's clock; nil if the server does not say.
    public let lastModified: Date?
    /// The version; nil for a deletion.
    public let resource: FHIRResource?

    /// Whether the resource was deleted.
    public var isDeletion: Bool { method == .delete }

    package init?(_ entry: FHIRObject) {
        let request = entry.child("request")
        let response = entry.child("response")
        method = request?.text("method").map { HTTPMethod(rawValue: $0) }
        let resource = entry.takeResource("resource")
        let place =
            ResourceLocation(response?.text("location")) ?? ResourceLocation(request?.text("url"))
            ?? ResourceLocation(entry.text("fullUrl"))
        guard let typeName = resource?.resourceType ?? place?.typeName, let id = resource?.id ?? place?.id else { return nil }
        self.typeName = typeName
        self.id = id
        let meta = resource?.child("meta")
        version = meta?.text("versionId") ?? FHIRRequest.version(inEntityTag: response?.text("etag")) ?? place?.version
        lastModified = (meta?.instant("lastUpdated") ?? response?.instant("lastModified"))?.date
        self.resource = method == .delete ? nil : resource
    }
}
