import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

/// Says which conditions a content meets, which need not be stored: it is alone in a store in memory, so that searches and scopes mean what they mean
/// elsewhere. References to other resources can be compared, but not followed.
///
/// `@unchecked Sendable`: `lock` guards `resource` and the use of the store.
final class ContentProbe: @unchecked Sendable {
    private let lock = NSLock()
    private let store: FHIRStore
    /// The content in the store, and the object that it is a copy of.
    private var resource: (given: FHIRResource, type: String, id: String)?

    /// - Parameters:
    ///   - served: the store of the server, whose base addresses count here, too.
    ///   - base: the address of the server, under which references are to its own resources.
    init(for served: FHIRStore, base: String) throws {
        store = try FHIRStore.inMemory(release: served.release)
        for base in try served.bases() + [base] { try store.addBase(base) }
    }

    /// Refuses parameters that need more than the content itself, or that the type lacks.
    ///
    /// - Throws: `ServiceFault` with status 422; `SearchError`.
    func check(_ parameters: [SearchRequest.Parameter], on layout: Layout) throws {
        for parameter in parameters {
            let name = parameter.name.prefix { $0 != ":" }
            guard !name.contains("."), !parameter.name.contains(":") || !parameter.name.contains("."),
                !["_has", "_list", "_query", "_filter"].contains(String(name))
            else {
                throw ServiceFault(422, "not-supported", "a filter is a search parameter of the resource itself, not of others")
            }
            let condition = try store.read { try $0.searchCondition([parameter], on: layout) }
            guard condition != nil else {
                throw ServiceFault(422, "not-supported", "\(layout.name) has no search parameter \(ServiceFault.shown(String(name)))")
            }
        }
    }

    /// Whether a content meets search parameters.
    func meets(_ parameters: [SearchRequest.Parameter], _ resource: FHIRResource) throws -> Bool {
        try isFound(resource) { try $0.searchCondition(parameters, on: resource.layout) ?? .constant(false) }
    }

    /// Whether the bearer of a token may see a content.
    func permits(_ access: ServiceAccess, _ resource: FHIRResource) throws -> Bool {
        guard access.scopes != nil else { return true }
        let restriction = ScopeRestriction(access, for: .read)
        return try isFound(resource) { try restriction.condition(on: resource.layout, in: $0) }
    }

    private func isFound(_ given: FHIRResource, _ condition: (ReadTransaction) throws -> FireLite.Predicate) throws -> Bool {
        try lock.withLock {
            try load(given)
            return try store.read { transaction in
                var request = QueryRequest(given.layout)
                request.add(try condition(transaction))
                var isFound = false
                try transaction.forEachID(request) { _ in
                    isFound = true
                    return false
                }
                return isFound
            }
        }
    }

    private func load(_ given: FHIRResource) throws {
        if let resource, resource.given === given { return }
        guard let id = given.id else { throw ServiceFault(500, "exception", "a content without an id cannot be compared") }
        let earlier = resource
        let copy = given.copy()
        // If this fails, the earlier content is what the store still has: another one beside it would answer for this one.
        try store.write { transaction in
            if let earlier { try transaction.delete(typeName: earlier.type, id: earlier.id) }
            try transaction.upsert(copy)
        }
        resource = (given, given.resourceType, id)
    }
}
