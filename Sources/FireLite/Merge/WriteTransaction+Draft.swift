import FireLiteCore

extension WriteTransaction {
    /// Stores what a draft has changed, merged with what others have changed in the meantime.
    ///
    /// - Parameters:
    ///   - draft: the draft. One of a new resource adds it.
    ///   - side: the side whose value wins if both have changed an element: the draft's (`.local`) or the stored one (`.remote`). Default:
    ///     neither; such an element is a conflict.
    /// - Returns: the stored resource.
    /// - Throws: `FHIRStoreError`: `conflict` if both have changed an element in different ways (see `clashes`), or if the resource was deleted;
    ///   `duplicateID` for a new resource whose type and id are stored already; `invalidArgument` for a draft of another store.
    @discardableResult
    public func save<Resource: FHIRResource>(_ draft: Draft<Resource>, preferring side: ThreeWayMerge.Side? = nil) throws -> Resource {
        guard let origin = try draft.origin(in: store) else { return try add(draft) }
        return try perform {
            guard let registration = try access.registry.registration(root: origin.root) else {
                throw FHIRStoreError(
                    .conflict, "the resource was deleted since the draft was made", remedy: .acceptDeletion,
                    conflict: .deleted)
            }
            guard let stored = try loader.resource(registration) as? Resource else { throw loader.damaged(origin.root) }
            objects?.hold(stored)
            let merge = draft.merged(with: stored, preferring: side)
            guard side != nil || merge.clashes.isEmpty else {
                throw FHIRStoreError(
                    .conflict,
                    "the \(stored.layout.name) was changed since the draft was made, in the elements that the draft changes: "
                        + merge.conflicts.joined(separator: ", ") + ": show both values, and save with the preferred side",
                    conflict: .changed, clashes: merge.clashes)
            }
            stored.assign(from: merge.resource)
            try objects?.flush()
            return stored
        }
    }

    /// Adds a new resource, unless there is one with its id: a draft without a base has not seen that.
    private func add<Resource: FHIRResource>(_ draft: Draft<Resource>) throws -> Resource {
        let resource = draft.copy()
        if let id = resource.id, try perform({ try access.registry.root(of: table(of: resource.layout), id: id) }) != nil {
            throw FHIRStoreError(
                .duplicateID,
                "a new \(resource.layout.name) has the id of a stored one: give it another id, or make the draft of the stored resource")
        }
        try add(resource)
        return resource
    }
}

extension FHIRStore {
    /// Stores what a draft has changed, in a write of its own: see ``WriteTransaction/save(_:preferring:)``.
    ///
    /// - Returns: a draft of what is stored now, for further changes.
    /// - Precondition: not inside a transaction; there, use the transaction's `save(_:preferring:)`.
    /// - Throws: as the transaction's `save` does.
    @discardableResult
    public func save<Resource: FHIRResource>(
        _ draft: Draft<Resource>, preferring side: ThreeWayMerge.Side? = nil
    ) throws -> Draft<Resource> {
        try write { tx in Draft(try tx.save(draft, preferring: side)) }
    }

    /// `save` without blocking the caller, which may be on the main actor.
    ///
    /// ```swift
    /// draft = try await store.save(draft)
    /// ```
    /// - Returns: a draft of what is stored now, for further changes.
    /// - Throws: as the transaction's `save` does; `CancellationError`.
    @discardableResult
    public func save<Resource: FHIRResource>(
        _ draft: Draft<Resource>, preferring side: ThreeWayMerge.Side? = nil
    ) async throws -> Draft<Resource> {
        try await writing { try self.write { tx in Draft(try tx.save(draft, preferring: side)) } }
    }
}
