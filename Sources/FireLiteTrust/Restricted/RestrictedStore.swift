import FireLite
import FireLiteSearch
import Foundation

/// A store as an actor may see it: it has the reading calls and the queries of the store, and hides what the permissions do not permit.
///
/// Resources are left out by SQL, so counts, aggregates and pages do not show that there are others. Each read sees the permissions as they are
/// then. It writes nothing, observes nothing and offers no SQL.
///
/// While the store is audited, each read appends what it hands out to the trail before it returns, and throws if it cannot. It must then not be
/// inside another read of the store.
public struct RestrictedStore: Sendable {
    private let store: FHIRStore
    private let restriction: PermissionRestriction

    init(store: FHIRStore, restriction: PermissionRestriction) {
        self.store = store
        self.restriction = restriction
    }

    // MARK: - Transactions

    /// Runs `body` on a snapshot of the store.
    ///
    /// - Parameter body: reads.
    /// - Throws: errors of `body`; ``TrustError/Code/release``; `FHIRStoreError`.
    public func read<Value>(_ body: (RestrictedTransaction) throws -> Value) throws -> Value {
        try restriction.audited(in: store) { reads in
            try store.readWithoutRecord { try RestrictedTransaction.run($0, restriction, reads, body) }
        }
    }

    /// Runs `body` on a snapshot of the store, without blocking the caller.
    ///
    /// - Parameter body: reads.
    /// - Throws: errors of `body`; ``TrustError/Code/release``; `FHIRStoreError`; `CancellationError`.
    public func read<Value>(_ body: sending @escaping (RestrictedTransaction) throws -> Value) async throws -> sending Value {
        let (store, restriction) = (store, restriction)
        return try await store.reading {
            try restriction.audited(in: store) { reads in
                try store.readWithoutRecord { try RestrictedTransaction.run($0, restriction, reads, body) }
            }
        }
    }

    // MARK: - Queries

    /// A query for the resources of a type. Its calls that write, observe or show SQL are refused.
    ///
    /// - Parameter type: the resource type.
    /// - Precondition: the class belongs to the store's release.
    public func query<Resource: FHIRResource>(_ type: Resource.Type) -> FHIRQuery<Resource> {
        store.query(type).restricted(by: restriction)
    }

    /// Searches by FHIR's search parameters.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how it is understood.
    /// - Throws: `SearchError`; `FHIRStoreError`.
    public func search(_ address: String, options: SearchOptions = SearchOptions()) throws -> SearchResult {
        try read { try $0.search(address, options: options) }
    }

    /// Searches by FHIR's search parameters, without blocking the caller.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how it is understood.
    /// - Throws: `SearchError`; `FHIRStoreError`; `CancellationError`.
    public func search(_ address: String, options: SearchOptions = SearchOptions()) async throws -> sending SearchResult {
        try await read { try $0.search(address, options: options) }
    }

    // MARK: - Reading in one call

    /// The resource with this type and logical id; nil if there is none to be seen.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - id: its id.
    /// - Throws: `FHIRStoreError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        try read { try $0.resource(type, id: id) }
    }

    /// The resource with this type name and logical id; nil if there is none to be seen.
    ///
    /// - Parameters:
    ///   - typeName: the name of the type.
    ///   - id: its id.
    /// - Throws: `FHIRStoreError`.
    public func resource(typeName: String, id: String) throws -> FHIRResource? { try read { try $0.resource(typeName: typeName, id: id) } }

    /// The resources with these ids that are to be seen, in the order of the ids.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - ids: the ids.
    /// - Throws: `FHIRStoreError`.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        try read { try $0.resources(type, ids: ids) }
    }

    /// The number of resources of a type that are to be seen.
    ///
    /// - Parameter type: the resource type.
    /// - Throws: `FHIRStoreError`.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int { try read { try $0.count(type) } }

    /// The types of the resources that are to be seen, by name, and the number of each.
    ///
    /// - Throws: `FHIRStoreError`.
    public func counts() throws -> [TypeCount] { try read { try $0.counts() } }
}

extension FHIRStore {
    /// The store as an actor may see it: what the permissions do not permit is not there.
    ///
    /// ```swift
    /// let view = store.restricted(to: practice, purpose: "TREAT")
    /// let count = try view.query(Observation.self).count()
    /// ```
    /// - Parameters:
    ///   - actor: the identity that reads.
    ///   - purpose: the code of its purpose, such as `TREAT`; nil for none.
    ///   - now: the time at which permissions must hold, asked for at each read.
    public func restricted(to actor: String, purpose: String? = nil, now: @escaping @Sendable () -> Date = FHIRClock.system.now)
        -> RestrictedStore
    {
        keepPermissions()
        return RestrictedStore(store: self, restriction: PermissionRestriction(actor: actor, purpose: purpose, now: now))
    }
}
