import FireLiteCore

/// A resource that is being edited: a value of its own, which knows the state that it was made from.
///
/// ```swift
/// var draft = Draft(patient)
/// draft.active = false
/// draft[\.name[0].family] = "Jones"
/// draft = try await store.save(draft)
/// ```
/// A draft holds no store and no object that others have, so it can be edited for as long as it takes, copied, and sent to any actor. Saving
/// it merges: an element that only the draft has changed gets the draft's value, and one that only others have changed since keeps theirs. If both
/// have changed an element in different ways, saving throws ``FHIRStoreError/Code/conflict`` with ``FHIRStoreError/clashes`` and stores nothing.
///
/// Texts, numbers, dates and codes are read and set as properties, or by a key path. Everything else is changed in ``change(_:)``, and read in
/// a ``copy()``.
@dynamicMemberLookup
public struct Draft<Resource: FHIRResource>: Sendable {
    private var content: DraftContent<Resource>
    /// The state that the draft was made from; nil for a new resource.
    private let origin: Origin?

    /// A stored state of a resource.
    struct Origin: Sendable {
        let identity: StoreIdentity
        let root: Int64
        let revision: Int64
    }

    private let base: DraftContent<Resource>

    /// A draft of a resource. For an object of a store, saving the draft changes the stored resource; for one that is not stored, it adds one.
    ///
    /// - Complexity: O(n) in the size of the resource, which is copied.
    public init(_ resource: Resource) {
        let content = DraftContent(copying: resource)
        self.content = content
        base = content
        origin = (resource.objectExtras as? StoreTie).map {
            Origin(identity: $0.store.identity, root: $0.root, revision: $0.revision)
        }
    }

    /// How often the resource had been stored when the draft was made, as its versions in the history are numbered; nil for a new resource.
    public var baseVersion: Int? { origin.map { Int($0.revision) } }

    /// FHIR's name of the resource's type: `Patient`.
    public var resourceType: String { content.object.resourceType }

    /// The elements that the draft has changed, in the order of FHIR's definitions. Empty if there are none.
    public var differences: [ElementDifference] { base.object.differences(to: content.object) }

    // MARK: - Editing

    /// A text, number, date or code, by the name of its element.
    ///
    /// - Complexity: O(n) in the size of the resource.
    public subscript<Value: Sendable>(dynamicMember path: ReferenceWritableKeyPath<Resource, Value>) -> Value {
        get { self[path] }
        set { self[path] = newValue }
    }

    /// A text, number, date or code, by a key path: `draft[\.name[0].family]`.
    ///
    /// - Precondition: as for the same path on an object: positions of lists exist.
    /// - Complexity: O(n) in the size of the resource.
    public subscript<Value: Sendable>(path: ReferenceWritableKeyPath<Resource, Value>) -> Value {
        get { copy()[keyPath: path] }
        set { change { $0[keyPath: path] = newValue } }
    }

    /// A value by a key path that only reads: `draft[\.name.first?.family]`.
    ///
    /// - Complexity: O(n) in the size of the resource.
    public subscript<Value: Sendable>(path: KeyPath<Resource, Value>) -> Value { copy()[keyPath: path] }

    /// Changes the content.
    ///
    /// - Parameter body: receives an object with the content, whose changes the draft takes over.
    /// - Throws: errors of `body`; the draft is as before then.
    public mutating func change(_ body: (Resource) throws -> Void) rethrows {
        let object = copy()
        try body(object)
        // Copied again, as the block may have kept the object.
        content = DraftContent(copying: object)
    }

    /// The content as an object that nobody else has: unmanaged, with new pks.
    public func copy() -> sending Resource { content.object.copy() }

    // MARK: - Saving

    /// The merge of the draft with the stored state.
    func merged(with stored: Resource, preferring side: ThreeWayMerge.Side?) -> ThreeWayMerge {
        ThreeWayMerge(
            base: base.object, local: content.object, remote: stored, preferring: side ?? .remote, remoteDecidesVersions: false)
    }

    /// - Throws: `FHIRStoreError.invalidArgument` for a draft of another store's resource.
    func origin(in store: FHIRStore) throws -> Origin? {
        guard let origin else { return nil }
        guard origin.identity == store.identity else {
            throw FHIRStoreError(
                .invalidArgument,
                "the draft was made from a \(content.object.layout.name) of another store: save it there, or make a draft of this store's resource"
            )
        }
        return origin
    }
}

/// The content of a draft.
///
/// `@unchecked Sendable` without a lock: the object is copied for it, nobody else ever has it, and nothing changes it.
private final class DraftContent<Resource: FHIRResource>: @unchecked Sendable {
    let object: Resource

    init(copying object: Resource) { self.object = object.copy() }
}
