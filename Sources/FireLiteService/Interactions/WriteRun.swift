import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// Interactions that change the store, in one write: of a single request, or of an entry of a Bundle.
struct WriteRun {
    let service: FHIRService
    let call: ServiceCall
    let transaction: WriteTransaction

    var store: FHIRStore { service.store }
    var release: FHIRRelease { service.release }
    var content: ContentReader { ContentReader(service: service) }

    init(_ service: FHIRService, _ call: ServiceCall, _ transaction: WriteTransaction) {
        self.service = service
        self.call = call
        self.transaction = transaction
    }

    /// Does what a request for one resource asks for.
    func answer() throws -> WriteOutcome {
        let fields = call.request.fields
        switch (call.route, call.request.method) {
        case (.type(let type), .post):
            // Some clients put the condition into the address.
            let condition =
                try fields["If-None-Exist"].map { try QueryItems(condition: $0) }
                ?? (call.query.conditions.isEmpty ? nil : call.query)
            return try create(try content.resource(type, of: call.request), unless: condition)
        case (.instance(let type, let id), .put):
            let resource = try content.resource(type, of: call.request, id: id)
            try checkID(of: resource, id)
            return try update(resource, type: type, id: id, conditions: Preconditions(fields))
        case (.type(let type), .put):
            let resource = try content.resource(type, of: call.request)
            return try update(resource, type: type, where: call.query, conditions: Preconditions(fields))
        case (.instance(let type, let id), .patch):
            return try patch(try PatchDocument(call.request, service), type: type, id: id, conditions: Preconditions(fields))
        case (.type(let type), .patch):
            return try patch(try PatchDocument(call.request, service), type: type, where: call.query, conditions: Preconditions(fields))
        case (.instance(let type, let id), .delete): return try delete(type, id, Preconditions(fields))
        case (.type(let type), .delete): return try delete(type, where: call.query, Preconditions(fields))
        default: throw ServiceFault(405, "not-supported", "the path has no such method")
        }
    }

    /// The conditions on the version of a resource.
    struct Preconditions {
        var ifMatch: String?
        var ifNoneMatch: String?

        init(_ fields: HTTPFields) {
            ifMatch = fields["If-Match"]
            ifNoneMatch = fields["If-None-Match"]
        }

        init(ifMatch: String?, ifNoneMatch: String?) {
            self.ifMatch = ifMatch
            self.ifNoneMatch = ifNoneMatch
        }

        /// - Throws: `ServiceFault` if they are not met: 412, or 409 as DSTU2 has it.
        func check(_ existing: FHIRResource?, _ release: FHIRRelease) throws {
            let version = existing.flatMap { FHIRStore.revision(of: $0) }
            if let ifMatch, !EntityTag.matches(ifMatch, version) {
                let status = release.name == "DSTU2" ? 409 : 412
                throw ServiceFault(
                    status, "conflict", "the resource has another version than If-Match names: read it again", at: "http.If-Match")
            }
            if let ifNoneMatch, EntityTag.matches(ifNoneMatch, version) {
                throw ServiceFault(412, "conflict", "the resource exists already, which If-None-Match excludes", at: "http.If-None-Match")
            }
        }
    }

    // MARK: - Creating

    /// `create`, also conditional (FHIR, RESTful API).
    func create(_ resource: FHIRResource, unless condition: QueryItems? = nil) throws -> WriteOutcome {
        try call.require(.create, resource.resourceType)
        if let condition, let existing = try match(resource.resourceType, condition, "If-None-Exist") { return try unchanged(existing) }
        return try add(resource, id: newID(resource.resourceType))
    }

    /// The outcome of a write that leaves a resource as it is, which another client may have stored.
    func unchanged(_ existing: FHIRResource) throws -> WriteOutcome {
        var outcome = WriteOutcome(200, existing, shown: try service.shown(existing, to: call.access, transaction))
        outcome.isReadable = try existing.id.map { try mayRead(existing.resourceType, $0) } ?? true
        return outcome
    }

    /// The id of a new resource.
    ///
    /// - Throws: `ServiceFault` with status 500 if the source of ids gives only ids that cannot be used.
    func newID(_ type: String) throws -> String {
        guard let makeID = service.configuration.makeID else { return ResourceID.make() }
        for _ in 0..<Self.mostIDs {
            let id = makeID()
            if ResourceID.isValid(id), try transaction.resource(typeName: type, id: id) == nil { return id }
        }
        throw ServiceFault(500, "exception", "the configuration of the server gives no ids that are free")
    }

    /// How many ids of an own source are tried.
    private static let mostIDs = 10_000

    /// Stores a new resource under an id.
    func add(_ resource: FHIRResource, id: String) throws -> WriteOutcome {
        try prepareNew(resource, id)
        let stored = try transaction.upsert(resource)
        try checkPermitted(stored, .create)
        try noteSubscription(stored)
        return WriteOutcome(201, stored)
    }

    /// Checks a new resource and gives it its id.
    private func prepareNew(_ resource: FHIRResource, _ id: String) throws {
        try call.require(.create, resource.resourceType)
        try content.check(resource)
        resource.id = id
        try prepareSubscription(resource)
        resource.setServerMeta(version: "1", updated: FHIRInstant(call.now))
    }

    // MARK: - Updating

    private func checkID(of resource: FHIRResource, _ id: String) throws {
        guard let own = resource.id else {
            throw ServiceFault(400, "required", "the resource has no id: it must be that of the address", at: "\(resource.resourceType).id")
        }
        guard own == id else {
            throw ServiceFault(400, "invalid", "the id of the resource is not that of the address", at: "\(resource.resourceType).id")
        }
    }

    /// `update`, which creates the resource if there is none (FHIR, RESTful API, Update as Create).
    func update(_ resource: FHIRResource, type: String, id: String, conditions: Preconditions) throws -> WriteOutcome {
        let existing = try transaction.resource(typeName: type, id: id)
        try require(existing, type, id)
        try conditions.check(existing, release)
        guard let existing else { return try add(resource, id: id) }
        try content.check(resource)
        return try replace(existing, by: resource, id)
    }

    /// Stores the content of a resource instead of an existing one. The same content is no new version.
    private func replace(_ existing: FHIRResource, by resource: FHIRResource, _ id: String) throws -> WriteOutcome {
        resource.id = id
        let meta = existing.child("meta")
        resource.setServerMeta(version: meta?.text("versionId"), updated: meta?.instant("lastUpdated"))
        if resource == existing { return WriteOutcome(200, existing) }
        let earlier = (topic: service.topicName(of: existing), status: existing.text("status"))
        try prepareSubscription(resource)
        let version = FHIRStore.revision(of: existing).map { String($0 &+ 1) }
        resource.setServerMeta(version: version, updated: FHIRInstant(call.now))
        let stored = try transaction.upsert(resource)
        try checkPermitted(stored, .update)
        try noteSubscription(stored, after: earlier)
        return WriteOutcome(200, stored)
    }

    /// Conditional update: of the one resource that matches, or a new one.
    func update(_ resource: FHIRResource, type: String, where items: QueryItems, conditions: Preconditions) throws -> WriteOutcome {
        if let existing = try match(type, items, nil), let id = existing.id {
            guard resource.id == nil || resource.id == id else {
                throw ServiceFault(400, "invalid", "the id of the resource is not that of the resource that matches", at: "\(type).id")
            }
            return try update(resource, type: type, id: id, conditions: conditions)
        }
        guard let id = resource.id else {
            try call.require(.create, type)
            try conditions.check(nil, release)
            return try add(resource, id: newID(type))
        }
        try checkUnused(id, type)
        return try update(resource, type: type, id: id, conditions: conditions)
    }

    /// Refuses an id that a resource brings along for a conditional update without a match, if another one has it.
    func checkUnused(_ id: String, _ type: String) throws {
        guard ResourceID.isValid(id) else { throw ServiceFault(400, "value", "the id of the resource is not valid", at: "\(type).id") }
        try call.require(.create, type)
        guard try transaction.resource(typeName: type, id: id) != nil else { return }
        // What the client may not see has no conflict that it may learn of.
        guard try visible(type, id, .update) != nil else { throw ServiceCall.forbidden(type) }
        throw ServiceFault(409, "duplicate", "no resource matches, but one has the id of the resource", at: "\(type).id")
    }

    // MARK: - Patching

    /// `patch` (FHIR, RESTful API).
    func patch(_ document: PatchDocument, type: String, id: String, conditions: Preconditions) throws -> WriteOutcome {
        let existing = try changeable(type, id)
        try conditions.check(existing, release)
        let mayRead = try mayRead(type, id)
        guard mayRead || !document.readsValues else {
            throw ServiceFault(403, "forbidden", "a patch that tests values needs a token that may read the resource")
        }
        // What the client may not see, it may not take over either.
        let patched = try document.applied(to: try service.shown(try transaction.whole(existing), to: call.access, transaction))
        guard patched.resourceType == type, patched.id == id else {
            throw ServiceFault(422, "business-rule", "a patch cannot change the type or id of a resource")
        }
        try content.check(patched)
        var outcome = try replace(existing, by: patched, id)
        outcome.isReadable = mayRead
        return outcome
    }

    /// A resource that the client may change. One that its scopes do not reach is not there.
    func changeable(_ type: String, _ id: String) throws -> FHIRResource {
        try call.require(.update, type)
        if let existing = try visible(type, id, .update) { return existing }
        guard call.access.scopes == nil, try ResourceHistory(store: store, transaction: transaction, type: type, id: id).isDeleted else {
            throw ServiceFault.notFound
        }
        throw ServiceFault.gone
    }

    /// Whether the client may see a resource that it may change.
    func mayRead(_ type: String, _ id: String) throws -> Bool {
        guard call.access.scopes != nil else { return true }
        do { try call.require(.read, type) } catch { return false }
        return try visible(type, id, .read) != nil
    }

    func patch(_ document: PatchDocument, type: String, where items: QueryItems, conditions: Preconditions) throws -> WriteOutcome {
        guard let id = try match(type, items, nil)?.id else { throw ServiceFault(404, "not-found", "no resource matches") }
        return try patch(document, type: type, id: id, conditions: conditions)
    }

    // MARK: - Deleting

    /// `delete`; what is not there counts as deleted.
    func delete(_ type: String, _ id: String, _ conditions: Preconditions) throws -> WriteOutcome {
        try call.require(.delete, type)
        guard let existing = try visible(type, id, .delete) else {
            if conditions.ifMatch != nil { try conditions.check(nil, release) }
            return WriteOutcome(deleted: type, id)
        }
        try conditions.check(existing, release)
        try transaction.delete(typeName: type, id: id)
        try forgetSubscription(type, id)
        return WriteOutcome(deleted: type, id)
    }

    func delete(_ type: String, where items: QueryItems, _ conditions: Preconditions) throws -> WriteOutcome {
        try delete(type, try deleted(type, items), conditions)
    }

    /// Deletes what the condition of a deletion matches.
    func delete(_ type: String, _ ids: [String], _ conditions: Preconditions) throws -> WriteOutcome {
        for id in ids { _ = try delete(type, id, conditions) }
        return WriteOutcome(deleted: type, service.configuration.conditionalDeletions > 1 ? nil : ids.first)
    }

    /// The ids of the resources that a conditional deletion is about.
    func deleted(_ type: String, _ items: QueryItems) throws -> [String] {
        try call.require(.delete, type)
        let limit = service.configuration.conditionalDeletions
        guard limit > 1 else { return try (match(type, items, nil)?.id).map { [$0] } ?? [] }
        // With `_count` a client says itself how many it means.
        let count = items.last("_count").map { Int($0) } ?? limit
        guard let count, count > 0 else { throw ServiceFault(400, "value", "_count is a number, 1 or more", at: "http._count") }
        let found = try matches(type, items, nil, limit: min(count, limit) + 1)
        guard items.last("_count") != nil || found.count <= limit else {
            throw ServiceFault(412, "multiple-matches", "more than \(limit) resources match: add conditions, or _count")
        }
        return found.prefix(min(count, limit)).compactMap(\.id)
    }

    // MARK: - Conditions

    /// The one resource that meets the conditions of a conditional interaction; nil if none does.
    ///
    /// - Throws: `ServiceFault` with status 412 if several do, and 400 for conditions that are missing or not understood.
    func match(_ type: String, _ items: QueryItems, _ field: String?) throws -> FHIRResource? {
        let found = try matches(type, items, field, limit: 2)
        guard found.count < 2 else {
            throw ServiceFault(412, "multiple-matches", "several resources match", at: field.map { "http.\($0)" })
        }
        return found.first
    }

    /// The first resources that meet the conditions of a conditional interaction.
    func matches(_ type: String, _ items: QueryItems, _ field: String?, limit: Int) throws -> [FHIRResource] {
        try call.require(.search, type)
        var request = SearchRequest(type: type).count(limit)
        for criterion in try MatchCriteria(type, items, in: field).parameters { request = request.where(criterion.name, criterion.value) }
        var options = SearchOptions()
        options.handling = .strict
        options.countsTotal = false
        options.timeZone = service.configuration.timeZone
        options.now = call.now
        options.base = service.base
        options.codesInValueSet = service.configuration.codesInValueSet
        options.relatedCodes = service.configuration.relatedCodes
        func search() throws -> [FHIRResource] { try transaction.search(request, options: options).matches }
        return try call.restriction(for: .search).map { try transaction.restricted(by: $0, search) } ?? search()
    }

    // MARK: - Scopes

    private func visible(_ type: String, _ id: String, _ permission: SMARTScope.Permission) throws -> FHIRResource? {
        guard let restriction = call.restriction(for: permission) else { return try transaction.resource(typeName: type, id: id) }
        return try transaction.restricted(by: restriction) { try transaction.resource(typeName: type, id: id) }
    }

    /// Refuses to change a resource that the scopes do not reach.
    private func require(_ existing: FHIRResource?, _ type: String, _ id: String) throws {
        guard call.access.scopes != nil else { return }
        try call.require(existing == nil ? .create : .update, type)
        if existing != nil, try visible(type, id, .update) == nil { throw ServiceCall.forbidden(type) }
    }

    /// Refuses content that the scopes would not reach once it is stored. The write is rolled back then.
    func checkPermitted(_ stored: FHIRResource, _ permission: SMARTScope.Permission) throws {
        guard call.access.scopes != nil, let id = stored.id else { return }
        try checkSearchParameter(stored)
        guard try visible(stored.resourceType, id, permission) != nil else { throw ServiceCall.forbidden(stored.resourceType) }
    }

    /// Refuses a search by the header fields of hooks, which would reveal them, whatever answers mask.
    func checkSearchParameter(_ stored: FHIRResource) throws {
        guard call.access.scopes != nil, stored.resourceType == "SearchParameter" else { return }
        guard !stored.texts("base").contains(where: { ["Subscription", "Resource", "DomainResource"].contains($0) }) else {
            throw ServiceFault(403, "forbidden", "a search parameter of subscriptions needs a token that permits everything")
        }
    }

    /// Whether the scopes reach stored resources of a type, in the order of their ids.
    func arePermitted(_ type: String, _ ids: [String], _ permission: SMARTScope.Permission) throws -> [Bool] {
        guard let restriction = call.restriction(for: permission) else { return ids.map { _ in true } }
        return try transaction.restricted(by: restriction) { try transaction.arePermitted(typeName: type, ids: ids) }
    }
}
