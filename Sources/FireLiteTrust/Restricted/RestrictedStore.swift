import FireLite
import FireLiteSearch
import Foundation

/// A store as an actor may see it: it has the store's reading calls and queries, and hides resources that the permissions do not permit.
///
/// SQL leaves out hidden resources, so counts, aggregates and pages do not reveal them. Each read applies the permissions in force at that
/// moment. The view offers no writes, no observation and no SQL. It is not a security boundary: code with the store itself sees everything.
///
/// While the store is audited, each read appends rows to the trail before it returns, and throws if it cannot. It must then not be inside
/// another read of the store.
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
            try store.readWithoutRecord { try RestrictedTransaction.run($0, restriction: restriction, reads: reads, body: body) }
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
                try store.readWithoutRecord { try RestrictedTransaction.run($0, restriction: restriction, reads: reads, body: body) }
            }
        }
    }

    // MARK: - Queries

    /// A query for the resources of a type. It refuses calls that write, observe or show SQL.
    ///
    /// - Precondition: the class belongs to the store's release.
    public func query<Resource: FHIRResource>(_ type: Resource.Type) -> FHIRQuery<Resource> {
        store.query(type).restricted(by: restriction)
    }

    /// Searches by FHIR's search parameters.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError`.
    public func search(_ address: String, options: SearchOptions = SearchOptions()) throws -> SearchResult {
        try read { try $0.search(address, options: options) }
    }

    /// Searches by FHIR's search parameters, without blocking the caller.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError`; `CancellationError`.
    public func search(_ address: String, options: SearchOptions = SearchOptions()) async throws -> sending SearchResult {
        try await read { try $0.search(address, options: options) }
    }

    // MARK: - Reading in one call

    /// The visible resource with this type and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        try read { try $0.resource(type, id: id) }
    }

    /// The visible resource with this type name and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resource(typeName: String, id: String) throws -> FHIRResource? { try read { try $0.resource(typeName: typeName, id: id) } }

    /// The visible resources with these ids, in the order of the ids.
    ///
    /// - Throws: `FHIRStoreError`.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        try read { try $0.resources(type, ids: ids) }
    }

    /// The number of visible resources of a type.
    ///
    /// - Throws: `FHIRStoreError`.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int { try read { try $0.count(type) } }

    /// The types of visible resources, by name, and the number of each.
    ///
    /// - Throws: `FHIRStoreError`.
    public func counts() throws -> [TypeCount] { try read { try $0.counts() } }
}

extension FHIRStore {
    /// The store as an actor may see it: forbidden resources are invisible.
    ///
    /// ```swift
    /// let view = store.restricted(to: practice, purpose: "TREAT")
    /// let count = try view.query(Observation.self).count()
    /// ```
    /// - Parameters:
    ///   - actor: the identity that reads.
    ///   - purpose: the code of its purpose, such as `TREAT`; nil for none.
    ///   - now: returns the time at which permissions must hold; called at each read.
    public func restricted(to actor: String, purpose: String? = nil, now: @escaping @Sendable () -> Date = FHIRClock.system.now)
        -> RestrictedStore
    {
        keepPermissions()
        return RestrictedStore(store: self, restriction: PermissionRestriction(actor: actor, purpose: purpose, now: now))
    }
}
