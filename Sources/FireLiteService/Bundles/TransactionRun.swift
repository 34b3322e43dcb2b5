import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// The writes of a transaction: deletions, creations, updates and patches, with the references between its entries (FHIR, RESTful API, Transaction
/// Processing Rules). One failure undoes all, as it ends the store's write.
struct TransactionRun {
    private let run: WriteRun
    private let requests: [BundleRequest]
    private var outcomes: [Int: WriteOutcome] = [:]
    /// The ids under which the resources of entries are stored.
    private var ids: [Int: String] = [:]
    /// Creations that their condition made superfluous.
    private var existing: [Int: FHIRResource] = [:]
    /// The entry that creates what the same condition would find.
    private var creating: [String: Int] = [:]
    private var repeated: [Int: Int] = [:]
    /// The resources that entries update, by condition too.
    private var updated: Set<String> = []
    /// Conditional references that find nothing before the transaction, and may find what it creates.
    private var pending: [(request: BundleRequest, reference: FHIRObject)] = []

    init(_ run: WriteRun, _ requests: [BundleRequest]) {
        self.run = run
        self.requests = requests
    }

    /// Does all of them.
    ///
    /// - Returns: the outcomes by the index of the entry.
    mutating func write() throws -> [Int: WriteOutcome] {
        try refuseRepetitions()
        for request in requests where request.method == .delete {
            outcomes[request.index] = try inside(request) { try run.perform(request, nil) }
        }
        for request in requests where request.method == .post { try inside(request) { try assignCreated(request) } }
        for request in requests where request.method == .put { try inside(request) { try assignUpdated(request) } }
        let resources = try resolved()
        try create(resources)
        try resolvePending()
        for request in requests where request.method == .put && outcomes[request.index] == nil {
            guard let resource = resources[request.index], let type = request.type, let id = ids[request.index] else { continue }
            outcomes[request.index] = try inside(request) {
                try run.update(resource, type: type, id: id, conditions: request.conditions)
            }
        }
        for request in requests where request.method == .patch {
            outcomes[request.index] = try inside(request) { try run.perform(request, resources[request.index]) }
        }
        for (index, first) in repeated { outcomes[index] = outcomes[first]?.resource.map { WriteOutcome(200, $0) } }
        return outcomes
    }

    private func inside<Value>(_ request: BundleRequest, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw ServiceFault(error).inside(request.place) }
    }

    /// A resource may be in a transaction once.
    private func refuseRepetitions() throws {
        var seen: Set<String> = []
        for request in requests where !request.isRead {
            guard case .instance(let type, let id) = request.route else { continue }
            guard seen.insert("\(type)/\(id)").inserted else {
                throw ServiceFault(400, "duplicate", "the transaction changes the resource more than once").inside(request.place)
            }
        }
    }

    // MARK: - Ids

    private mutating func assignCreated(_ request: BundleRequest) throws {
        guard let type = request.type, let resource = request.resource else { return }
        if let condition = request.ifNoneExist {
            if let found = try run.match(type, condition, "If-None-Exist") {
                existing[request.index] = found
                ids[request.index] = found.id
                resource.id = found.id
                outcomes[request.index] = try run.unchanged(found)
                return
            }
            let key = type + "?" + QueryItems.encoded(condition.all)
            if let first = creating[key] {
                repeated[request.index] = first
                ids[request.index] = ids[first]
                resource.id = ids[first]
                return
            }
            creating[key] = request.index
        }
        let id = try run.newID(type)
        ids[request.index] = id
        resource.id = id
    }

    private mutating func assignUpdated(_ request: BundleRequest) throws {
        guard let resource = request.resource else { return }
        if case .instance(let type, let id) = request.route {
            ids[request.index] = id
            return try noteUpdated(type, id)
        }
        guard case .type(let type) = request.route else { return }
        let id: String
        if let found = try run.match(type, request.query, nil), let known = found.id {
            guard resource.id == nil || resource.id == known else {
                throw ServiceFault(400, "invalid", "the id of the resource is not that of the resource that matches")
            }
            id = known
        } else if let own = resource.id {
            guard ResourceID.isValid(own) else { throw ServiceFault(400, "value", "the id of the resource is not valid") }
            guard try run.transaction.resource(typeName: type, id: own) == nil else {
                throw ServiceFault(409, "duplicate", "no resource matches, but one has the id of the resource")
            }
            id = own
        } else {
            id = try run.newID(type)
        }
        ids[request.index] = id
        resource.id = id
        try noteUpdated(type, id)
    }

    private mutating func noteUpdated(_ type: String, _ id: String) throws {
        guard updated.insert("\(type)/\(id)").inserted else {
            throw ServiceFault(400, "duplicate", "the transaction changes the resource more than once")
        }
    }

    // MARK: - References

    /// The resources of all entries, with the references between them and conditional references resolved.
    private mutating func resolved() throws -> [Int: FHIRResource] {
        var unpacker = BundleUnpacker(release: run.release)
        var links = NarrativeLinks()
        for request in requests where request.method == .post || request.method == .put {
            unpacker.note(request.entry)
            if let fullUrl = request.entry.text("fullUrl"), let type = request.type, let id = ids[request.index] {
                links.add(fullUrl, "\(type)/\(id)")
            }
        }
        var resources: [Int: FHIRResource] = [:]
        var found: [ExactText: String] = [:]
        for request in requests where request.method != .delete && !request.isRead {
            let isPatch = request.method == .patch
            if isPatch {
                resources[request.index] = request.takeResource()
                continue
            }
            guard case .resource(let resource)? = unpacker.take(from: request.entry) else { continue }
            do { try resolveConditions(in: resource, request, &found) } catch { throw ServiceFault(error).inside(request.place) }
            links.rewrite(resource)
            resources[request.index] = resource
        }
        return resources
    }

    /// Replaces references such as `Patient?identifier=…` by those to the one resource that matches.
    private mutating func resolveConditions(in object: FHIRObject, _ request: BundleRequest, _ found: inout [ExactText: String]) throws {
        for slot in object.slotRun { try slot.value.forEachChild { try resolveConditions(in: $0, request, &found) } }
        guard object.layout.name == "Reference", let text = object.text("reference"), text.contains("?") else { return }
        if let known = found[text] {
            object.setText("reference", known)
        } else if let target = try target(of: text) {
            object.setText("reference", target)
            found[text] = target
        } else if condition(text) != nil {
            pending.append((request, object))
        }
    }

    /// The type and the parameters of a conditional reference; nil for any other.
    private func condition(_ text: String) -> (type: String, query: Substring)? {
        guard let mark = text.firstIndex(of: "?"), run.release.hasResourceType(named: String(text[..<mark])) else { return nil }
        return (String(text[..<mark]), text[text.index(after: mark)...])
    }

    private func target(of text: String) throws -> String? {
        guard let condition = condition(text) else { return nil }
        guard let match = try run.match(condition.type, try QueryItems(condition.query), nil), let id = match.id else { return nil }
        return "\(condition.type)/\(id)"
    }

    /// Resolves what was created meanwhile.
    private func resolvePending() throws {
        var found: [ExactText: String] = [:]
        for (request, reference) in pending {
            guard let text = reference.text("reference") else { continue }
            try inside(request) {
                guard let target = try found[text] ?? target(of: text) else {
                    throw ServiceFault(412, "not-found", "a conditional reference finds no resource")
                }
                found[text] = target
                reference.setText("reference", target)
            }
        }
    }

    // MARK: - Creating

    /// Stores what is new in one call: what is created, and what is updated and not there.
    private mutating func create(_ resources: [Int: FHIRResource]) throws {
        var fresh: [(request: BundleRequest, resource: FHIRResource)] = []
        for request in requests {
            guard let resource = resources[request.index], let type = request.type, let id = ids[request.index],
                existing[request.index] == nil, repeated[request.index] == nil
            else { continue }
            if request.method == .put {
                guard try run.transaction.resource(typeName: type, id: id) == nil else { continue }
                try inside(request) { try request.conditions.check(nil, run.release) }
            } else if request.method != .post {
                continue
            }
            try inside(request) { try run.prepareNew(resource, id) }
            fresh.append((request, resource))
        }
        let stored = try run.transaction.upsert(fresh.map(\.resource))
        for (place, item) in fresh.enumerated() {
            let resource = try stored.resource(at: place)
            try inside(item.request) {
                try run.checkPermitted(resource, .create)
                try run.noteSubscription(resource)
            }
            outcomes[item.request.index] = WriteOutcome(201, resource)
        }
    }
}
