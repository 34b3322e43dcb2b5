/// What a write has done to one resource, for the modules that take part in it. A resource that the write added and deleted is not listed.
package struct WrittenResource: Sendable, Hashable {
    package let kind: ResourceChange.Kind
    /// FHIR's name of the resource type.
    package let typeName: String
    /// The logical id after the write, or the last one of a deleted resource.
    package let id: String?
    /// The logical id before the write; nil for an added resource.
    package let oldID: String?
    /// The resource's number, `root` of `_resource`. Numbers are never used again.
    package let root: Int64
    let givenPK: String?
    let identity: StoreIdentity
    /// The number of times the content was stored, with this write; 0 for a deleted resource.
    package let revision: Int64
    /// The last revision that the write itself saw: changes that it has written one after the other are one version in the end.
    package let counted: Int64
    /// The same before the write; 0 for an added resource.
    package let oldRevision: Int64
    /// What the store's witness has noted about the content (`ContentWitness`); nil without one, and for a deleted resource.
    package let note: [UInt8]?

    package var pk: String { givenPK ?? identity.pk(ofRoot: root) }
}
