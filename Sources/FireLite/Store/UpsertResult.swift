import FireLiteCore

/// The result of an upsert of several resources: the stored resources in the order of the arguments, and counts.
///
/// A resource that was stored before is fetched lazily, so an unused result costs nothing.
public struct UpsertResult<Resource: FHIRResource> {
    private let store: FHIRStore
    private let outcomes: UpsertOutcomes

    init(store: FHIRStore, _ outcomes: UpsertOutcomes) {
        self.store = store
        self.outcomes = outcomes
    }

    /// The numbers of resources added, updated and so on.
    public var counts: UpsertCounts { outcomes.counts }
    /// The number of new resources.
    public var added: Int { counts.added }
    /// The number of stored resources whose content changed.
    public var updated: Int { counts.updated }
    /// The number of resources that were stored already with the same content; no row was written for them.
    public var unchanged: Int { counts.unchanged }
    /// The number of resources older than the stored one, which was kept (`UpsertPolicy.keepNewer`).
    public var skipped: Int { counts.skipped }
    /// The number of resources not stored because a later one in the same upsert has the same type and id. All counts add up to the number
    /// of resources.
    public var superseded: Int { counts.superseded }
    /// The OperationOutcomes about a search in a Bundle with its results, and R5's `Bundle.issues`; they are not stored.
    public internal(set) var searchOutcomes: [FHIRResource] = []
}

extension UpsertResult: RandomAccessCollection {
    /// The position of the first argument, 0.
    public var startIndex: Int { 0 }
    /// The number of arguments.
    public var endIndex: Int { outcomes.entries.count }

    /// The stored resource for the argument at `position`; `resource(at:)` throws errors instead of trapping.
    ///
    /// - Precondition: it has not been deleted since, and the store can be read.
    public subscript(position: Int) -> Resource {
        do {
            return try resource(at: position)
        } catch {
            misuse("\(error): if the store may have changed or may be unreadable, use resource(at:), which throws")
        }
    }

    /// The stored resource for the argument at `position`.
    ///
    /// - Throws: `FHIRStoreError`: `conflict` if it has been deleted since; other errors if the store cannot be read.
    public func resource(at position: Int) throws -> Resource {
        switch outcomes.entries[position] {
        case .object(let resource):
            guard let resource = resource as? Resource else {
                throw FHIRStoreError(.conflict, "the upserted resource is stored as a \(resource.layout.name)")
            }
            store.currentObjects?.hold(resource)
            return resource
        case .same(let index): return try resource(at: index)
        case .stored(let root, let isNewer):
            // Whoever stores a resource knows its content.
            return try store.perform(isRecorded: isNewer) { transaction in
                guard let resource = try transaction.loader.resource(root: root) as? Resource else {
                    throw FHIRStoreError(
                        .conflict, "an upserted resource has been deleted since: look it up by its id, or store it again",
                        conflict: .deleted)
                }
                transaction.objects?.hold(resource)
                return resource
            }
        }
    }
}
