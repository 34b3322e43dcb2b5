/// A change of one resource by a commit.
public struct ResourceChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: String, Sendable, CaseIterable {
        /// The store did not have the resource before.
        case added
        /// The store had the resource, and its content changed.
        case updated
        /// The store had the resource, and has it no more.
        case deleted
    }

    /// What happened. A resource that one write adds and changes is added; one that it adds and deletes is not listed.
    public let kind: Kind
    /// FHIR's name of the resource type: `Patient`.
    public let typeName: String
    /// The resource's logical id after the commit, or the last one of a deleted resource; nil if it has none.
    public let id: String?
    /// The number of the resource in the store.
    let root: Int64
    /// The number of times its content was stored, after the commit; 0 for a deleted resource.
    let revision: Int64
    /// The same before the commit, of an updated or deleted resource; 0 for an added one.
    let oldRevision: Int64
    /// The changed elements of an updated resource; nil if nobody asked for them.
    let paths: [String]?
    let givenPK: String?
    let identity: StoreIdentity

    /// The store's own key of the resource.
    public var pk: String { givenPK ?? identity.pk(ofRoot: root) }
}
