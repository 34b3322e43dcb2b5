import FireLiteCore

extension WriteTransaction {
    /// Deletes every result of a query with all its rows, without reading them.
    ///
    /// - Returns: the number of deleted resources.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func delete<Resource: FHIRResource>(_ query: FHIRQuery<Resource>) throws -> Int {
        misuse(unless: query.store === store, "the query belongs to another store: create it with the store that is written")
        if query.request.restriction != nil { throw FHIRStoreError.notInRestrictedView }
        return try perform {
            let roots = try self.roots(query.request)
            for root in roots {
                try Cancellation.check()
                try delete(root: root)
            }
            return roots.count
        }
    }

    /// Changes every result of a query.
    ///
    /// - Returns: the number of resources that `change` was called with; unchanged ones are not written.
    /// - Throws: errors of `change`; `FHIRStoreError`.
    @discardableResult
    public func update<Resource: FHIRResource>(_ query: FHIRQuery<Resource>, _ change: (Resource) throws -> Void) throws -> Int {
        misuse(unless: query.store === store, "the query belongs to another store: create it with the store that is written")
        if query.request.restriction != nil { throw FHIRStoreError.notInRestrictedView }
        return try perform {
            var count = 0
            try forEachBatch(query.request) { batch in
                for case let resource as Resource in batch where !resource.objectFlags.contains(.deleted) {
                    try change(resource)
                    count += 1
                }
                try objects?.flush()
            }
            return count
        }
    }
}

extension FHIRQuery {
    /// Deletes the results in one write.
    ///
    /// - Returns: the number of results.
    /// - Precondition: not inside a transaction; there, use the transaction's `delete(_:)`.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func delete() throws -> Int { try store.write { try $0.delete(self) } }

    /// Changes the results in one write.
    ///
    /// - Returns: the number of results.
    /// - Precondition: not inside a transaction; there, use the transaction's `update(_:_:)`.
    /// - Throws: errors of `change`; `FHIRStoreError`.
    @discardableResult
    public func update(_ change: (Resource) throws -> Void) throws -> Int { try store.write { try $0.update(self, change) } }
}
