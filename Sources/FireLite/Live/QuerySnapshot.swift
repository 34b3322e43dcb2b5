import FireLiteCore

/// A query's results at one moment: which resources, in which order, in which revision.
struct ResultKey: Sendable, Hashable {
    let root: Int64
    let revision: Int64
}

/// The results of an observed query, with the objects that the observer does not have yet.
struct QuerySnapshot<Resource: FHIRResource> {
    let keys: [ResultKey]
    let read: [Int64: Resource]
}

extension FHIRQuery {
    /// The results now.
    ///
    /// - Parameters:
    ///   - old: the results before, whose objects the observer has; these are not read again.
    ///   - announced: the number of commits announced before the transaction began.
    ///   - isFirst: whether it reads for the first time.
    func snapshot(
        _ transaction: ReadTransaction, besides old: [ResultKey], since announced: Int, isFirst: Bool, _ check: () throws -> Void
    ) throws -> QuerySnapshot<Resource> {
        if request.restriction != nil { throw FHIRStoreError.notInRestrictedView }
        let keys = try store.sharedResults.keys(of: request, transaction, since: announced, isFirst: isFirst, check)
        let type = request.layout.name
        for key in keys { transaction.access.region?.insert(root: key.root, type) }
        let known = Set(old)
        let roots = keys.filter { !known.contains($0) }.map(\.root)
        var read: [Int64: Resource] = [:]
        for resource in try transaction.loader.resources(roots: roots, check) {
            guard let resource = resource as? Resource, let tie = resource.objectExtras as? StoreTie else { continue }
            read[tie.root] = resource
        }
        // One snapshot has a row for each number of the registry.
        for root in roots where read[root] == nil { throw transaction.loader.damaged(root) }
        return QuerySnapshot(keys: keys, read: read)
    }
}

extension ReadTransaction {
    /// The numbers and revisions of a query's results, in their order.
    func keys(_ request: QueryRequest, _ check: () throws -> Void) throws -> [ResultKey] {
        try roots(request).compactMap { root in
            try check()
            return try access.registry.registration(root: root).map { ResultKey(root: root, revision: $0.revision) }
        }
    }
}
