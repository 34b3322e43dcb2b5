import FireLite
import FireLiteSearch

/// A snapshot of a store as an actor may see it. Valid only inside `read`.
public struct RestrictedTransaction {
    private let transaction: ReadTransaction
    private let restriction: PermissionRestriction

    static func run<Value>(
        _ transaction: ReadTransaction, restriction: PermissionRestriction, reads: AuditedReads?,
        body: (RestrictedTransaction) throws -> Value
    ) throws -> Value {
        let restriction = try restriction.resolved(in: transaction, reads)
        return try transaction.restricted(by: restriction) {
            try body(RestrictedTransaction(transaction: transaction, restriction: restriction))
        }
    }

    /// Records a read.
    private func noting<Value>(_ typeName: String?, _ read: () throws -> Value, _ resources: (Value) -> [FHIRResource]) rethrows -> Value {
        guard let reads = restriction.reads else {
            let value = try read()
            for resource in resources(value) { resource.restrict(by: restriction) }
            return value
        }
        return try reads.collecting(typeName) {
            let value = try read()
            for resource in resources(value) { _ = noting(resource) }
            return value
        }
    }

    /// Records a returned resource. Without a resource there is nothing to record.
    private func noting<Resource: FHIRResource>(_ resource: Resource?) -> Resource? {
        guard let resource else { return nil }
        resource.restrict(by: restriction)
        restriction.reads?.note(resource)
        return resource
    }

    /// A query for the resources of a type, on this snapshot.
    public func query<Resource: FHIRResource>(_ type: Resource.Type) -> FHIRQuery<Resource> {
        transaction.query(type).restricted(by: restriction)
    }

    /// Searches by FHIR's search parameters.
    ///
    /// - Parameters:
    ///   - address: a FHIR search, such as `Patient?name=joe`.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError`.
    public func search(_ address: String, options: SearchOptions = SearchOptions()) throws -> SearchResult {
        let request = try SearchRequest(address)
        return try noting(request.type) {
            try transaction.search(request, options: options)
        } _: {
            $0.stored
        }
    }

    // MARK: - Resources

    /// The visible resource with this type and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        noting(try transaction.resource(type, id: id))
    }

    /// The visible resource with this type name and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    public func resource(typeName: String, id: String) throws -> FHIRResource? {
        noting(try transaction.resource(typeName: typeName, id: id))
    }

    /// The visible resource with this pk; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource(pk: String) throws -> FHIRResource? { noting(try transaction.resource(pk: pk)) }

    /// The visible resources with these ids, in the order of the ids.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        let resources = try transaction.resources(type, ids: ids)
        for resource in resources { _ = noting(resource) }
        return resources
    }

    /// Calls `body` with every visible resource of a type, in the order they were stored.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - body: called with each.
    /// - Throws: errors of `body`; `FHIRStoreError`.
    public func forEach<Resource: FHIRResource>(_ type: Resource.Type, _ body: (Resource) throws -> Void) throws {
        try transaction.forEach(type) { resource in
            _ = noting(resource)
            try body(resource)
        }
    }

    /// The visible target of a reference; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resolve(_ reference: some FHIRReference) throws -> FHIRResource? {
        noting(try reference.resolve(in: transaction.store))
    }

    // MARK: - Counts

    /// The number of visible resources of a type.
    ///
    /// - Throws: `FHIRStoreError`.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int {
        try noting(type._layout.name) {
            try transaction.count(type)
        } _: { _ in
            []
        }
    }

    /// The types of visible resources, by name, and the number of each.
    ///
    /// - Throws: `FHIRStoreError`.
    public func counts() throws -> [TypeCount] {
        try noting(nil) {
            try transaction.counts()
        } _: { _ in
            []
        }
    }
}
