/// A pk as the `id` of `Identifiable`, and the key for an object in a set or dictionary.
///
/// Objects themselves are not `Hashable`: they are equal by content, which changes.
///
/// A type of its own, and not a `String`, so that `patient.id == "1"` can only mean FHIR's logical id.
public struct FHIRObjectID: Hashable, Sendable {
    /// The object's pk.
    public let pk: String

    /// The id of the object with this pk.
    public init(pk: String) { self.pk = pk }
}

/// Makes objects `Identifiable` by `pk`, although resources and datatypes have an element `id`.
///
/// The protocol's `id` is in an extension of a protocol, so that a class's own member of that name takes precedence. In `FHIRObject` it
/// would be ambiguous.
public protocol FHIRIdentifiable: Identifiable where ID == FHIRObjectID {
    /// The object's local key.
    var pk: String { get }
}

extension FHIRIdentifiable {
    /// The pk, as the `id` of `Identifiable`.
    public var id: FHIRObjectID { FHIRObjectID(pk: pk) }
}

extension FHIRObject: FHIRIdentifiable {}
