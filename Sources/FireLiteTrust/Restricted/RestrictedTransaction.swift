import FireLite
import FireLiteSearch

/// A snapshot of a store as an actor may see it. Valid only inside `read`.
public struct RestrictedTransaction {
    private let transaction: ReadTransaction
    private let restriction: PermissionRestriction

    static func run<Value>(
        _ transaction: ReadTransaction, _ restriction: PermissionRestriction, _ reads: AuditedReads?,
        _ body: (RestrictedTransaction) throws -> Value
    ) throws -> Value {
        let restriction = try restriction.resolved(in: transaction, reads)
        return try transaction.restricted(by: restriction) {
            try body(RestrictedTransaction(transaction: transaction, restriction: restriction))
        }
    }

    /// Notes what is handed out.
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

    /// Notes a resource that is handed out. If there is none, nothing was seen.
    private func noting<Resource: FHIRResource>(_ resource: Resource?) -> Resource? {
        guard let resource else { return nil }
        resource.restrict(by: restriction)
        restriction.reads?.note(resource)
        return resource
    }

    /// A query for the resources of a type, on this snapshot.
    ///
    /// - Parameter type: the resource type.
    public func query<Resource: FHIRResource>(_ type: Resource.Type) -> FHIRQuery<Resource> {
        transaction.query(type).restricted(by: restriction)
    }

    /// Searches by FHIR's search parameters.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how it is understood.
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

    /// The resource with this type and logical id; nil if there is none to be seen.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - id: its id.
    /// - Throws: `FHIRStoreError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        noting(try transaction.resource(type, id: id))
    }

    /// The resource with this type name and logical id; nil if there is none to be seen.
    ///
    /// - Parameters:
    ///   - typeName: the name of the type.
    ///   - id: its id.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    public func resource(typeName: String, id: String) throws -> FHIRResource? {
        noting(try transaction.resource(typeName: typeName, id: id))
    }

    /// The resource with this pk; nil if there is none to be seen.
    ///
    /// - Parameter pk: the pk.
    /// - Throws: `FHIRStoreError`.
    public func resource(pk: String) throws -> FHIRResource? { noting(try transaction.resource(pk: pk)) }

    /// The resources with these ids that are to be seen, in the order of the ids.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - ids: the ids.
    /// - Throws: `FHIRStoreError`.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        let resources = try transaction.resources(type, ids: ids)
        for resource in resources { _ = noting(resource) }
        return resources
    }

    /// Calls `body` with every resource of a type that is to be seen, in the order they were stored.
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

    /// The resource that a reference leads to; nil if there is none to be seen.
    ///
    /// - Parameter reference: the reference.
    /// - Throws: `FHIRStoreError`.
    public func resolve(_ reference: some FHIRReference) throws -> FHIRResource? {
        noting(try reference.resolve(in: transaction.store))
    }

    // MARK: - Counts

    /// The number of resources of a type that are to be seen.
    ///
    /// - Parameter type: the resource type.
    /// - Throws: `FHIRStoreError`.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int {
        try noting(type._layout.name) {
            try transaction.count(type)
        } _: { _ in
            []
        }
    }

    /// The types of the resources that are to be seen, by name, and the number of each.
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
