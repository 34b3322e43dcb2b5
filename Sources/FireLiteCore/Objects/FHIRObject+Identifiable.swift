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
/// The `id` of the protocol is in an extension of a protocol: a class's own member of that name has precedence over it, whereas it would be
/// ambiguous with one of `FHIRObject`.
public protocol FHIRIdentifiable: Identifiable where ID == FHIRObjectID {
    /// The object's local key.
    var pk: String { get }
}

extension FHIRIdentifiable {
    /// The pk, as `Identifiable` wants it.
    public var id: FHIRObjectID { FHIRObjectID(pk: pk) }
}

extension FHIRObject: FHIRIdentifiable {}
