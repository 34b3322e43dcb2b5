import FireLiteCore
import Foundation

/// One version of a resource: see `FHIRStore.history(of:id:)`.
public struct ResourceVersion: Sendable, Hashable {
    /// FHIR's name of the resource type.
    public let typeName: String
    /// The resource's logical id in this version; nil if it had none.
    public let id: String?
    /// The store's own key of the resource. A resource that was deleted and stored again has another one.
    public let pk: String
    /// The number of the version, which counts the times that the resource's content was stored, from 1, and goes on when a deleted resource is
    /// stored again. Not `meta.versionId`, which is the server's.
    public let version: Int64
    /// When it was stored; nil if that was before the history was kept.
    public let storedAt: Date?
    /// When another version replaced it, or it was deleted; nil for the current version.
    public let replacedAt: Date?
    /// Whether the resource was deleted in this version's place.
    public let isDeleted: Bool
    /// The number of the resource.
    let root: Int64

    /// Whether it is what the store has now.
    public var isCurrent: Bool { replacedAt == nil }
}
