import FireLiteCore

/// What an upsert of several resources did: the stored resources in the order of the arguments, and counts.
///
/// A stored resource that was there before is fetched when it is asked for, so a result that nobody looks at costs nothing.
public struct UpsertResult<Resource: FHIRResource> {
    private let store: FHIRStore
    private let outcomes: UpsertOutcomes

    init(store: FHIRStore, _ outcomes: UpsertOutcomes) {
        self.store = store
        self.outcomes = outcomes
    }

    /// How many resources were added, updated and so on.
    public var counts: UpsertCounts { outcomes.counts }
    /// How many resources were new.
    public var added: Int { counts.added }
    /// How many stored resources got other content.
    public var updated: Int { counts.updated }
    /// How many had the stored content already; no row was written for them.
    public var unchanged: Int { counts.unchanged }
    /// How many were older than the stored resource, which stayed as it is (`UpsertPolicy.keepNewer`).
    public var skipped: Int { counts.skipped }
    /// How many were not stored because a later one in the same upsert has their type and id. With the other counts, all resources.
    public var superseded: Int { counts.superseded }
    /// What a Bundle with the result of a search said about the search: OperationOutcomes, which are not stored.
    public internal(set) var searchOutcomes: [FHIRResource] = []
}

extension UpsertResult: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { outcomes.entries.count }

    /// The stored resource for the argument at `position`; `resource(at:)` throws what this traps on.
    ///
    /// - Precondition: it has not been deleted since, and the store can be read.
    public subscript(position: Int) -> Resource {
        do {
            return try resource(at: position)
        } catch {
            misuse("\(error): use resource(at:), which throws, where the store may have changed or may not be readable")
        }
    }

    /// The stored resource for the argument at `position`.
    ///
    /// - Throws: `FHIRStoreError`: `conflict` where it has been deleted since, and where the store cannot be read.
    public func resource(at position: Int) throws -> Resource {
        switch outcomes.entries[position] {
        case .object(let resource):
            guard let resource = resource as? Resource else {
                throw FHIRStoreError(.conflict, "the resource that was upserted is stored as a \(resource.layout.name)")
            }
            store.currentObjects?.hold(resource)
            return resource
        case .same(let index): return try resource(at: index)
        case .stored(let root):
            return try store.perform { transaction in
                guard let resource = try transaction.loader.resource(root: root) as? Resource else {
                    throw FHIRStoreError(
                        .conflict, "a resource that was upserted has been deleted since: look it up by its id, or store it again",
                        conflict: .deleted)
                }
                transaction.objects?.hold(resource)
                return resource
            }
        }
    }
}
