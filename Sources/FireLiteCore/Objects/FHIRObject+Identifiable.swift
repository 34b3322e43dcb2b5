/// A pk as `Identifiable` wants it.
///
/// A type of its own, and not a `String`, so that `patient.id == "1"` can only mean FHIR's logical id.
public struct FHIRObjectID: Hashable, Sendable {
    public let pk: String

    public init(pk: String) { self.pk = pk }
}

/// `Identifiable` by `pk`, beside the elements `id` that resources and datatypes have.
///
/// The `id` of the protocol stands in an extension of a protocol: a class's own member of that name goes before it, whereas it would be
/// ambiguous with one of `FHIRObject`.
public protocol FHIRIdentifiable: Identifiable where ID == FHIRObjectID {
    var pk: String { get }
}

extension FHIRIdentifiable {
    public var id: FHIRObjectID { FHIRObjectID(pk: pk) }
}

extension FHIRObject: FHIRIdentifiable {}
