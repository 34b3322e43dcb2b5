import FireLite
import FireLiteSearch
import FireLiteTrust

/// Hides from a request the resources that its token's scopes do not permit, by the mechanism of restricted views: below searches, so that
/// counts, chains, includes and pages reveal nothing either.
final class ScopeRestriction: QueryRestriction {
    private let access: ServiceAccess
    private let scopes: [SMARTScope]

    /// - Parameters:
    ///   - access: what the bearer may do, with scopes.
    ///   - permission: the interaction for which scopes count.
    init(_ access: ServiceAccess, for permission: SMARTScope.Permission) {
        self.access = access
        scopes = (access.scopes ?? []).filter { $0.permissions.contains(permission) }
    }

    /// The scopes that count for a type.
    func scopes(for type: String) -> [SMARTScope] { scopes.filter { $0.type == nil || $0.type == type } }

    func condition(on layout: Layout, in transaction: ReadTransaction) throws -> Predicate {
        var alternatives: [Predicate] = []
        for scope in scopes(for: layout.name) {
            var parts: [Predicate] = []
            if scope.context == .patient {
                guard let patient = access.patient else { continue }
                parts.append(try transaction.compartmentCondition("Patient", patient, on: layout))
            }
            if !scope.conditions.isEmpty {
                // A type without the parameter has no resources that meet it.
                guard let condition = try transaction.searchCondition(scope.conditions, on: layout) else { continue }
                parts.append(condition)
            }
            if parts.isEmpty { return .constant(true) }
            alternatives.append(.and(parts))
        }
        return alternatives.isEmpty ? .constant(false) : .or(alternatives)
    }

    /// Whether a version of a resource that is not stored may be seen. What only the store could decide may not.
    func permits(version resource: FHIRResource, in transaction: ReadTransaction) throws -> Bool {
        for scope in scopes(for: resource.resourceType) where scope.conditions.isEmpty {
            if scope.context != .patient { return true }
            guard let patient = access.patient else { continue }
            if try transaction.isInCompartment(resource, of: "Patient", ids: [patient]) { return true }
        }
        return false
    }

    var lasting: any QueryRestriction { self }

    func sealed(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor { try seal.sealed(cursor, in: store) }

    func opened(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor { try seal.opened(cursor, in: store) }

    private var seal: CursorSeal { CursorSeal("FireLite service \(access.subject) \(access.patient ?? "")") }

    func reading<Value>(
        _ typeName: String, in store: FHIRStore, _ body: (@escaping (FHIRResource) -> Void) throws -> Value
    ) throws -> Value { try body { _ in } }
}
