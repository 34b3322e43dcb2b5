import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// The writes of a transaction: deletions, creations, updates and patches, with the references between its entries (FHIR, RESTful API, Transaction
/// Processing Rules). One failure undoes all, as it ends the store's write.
///
/// A step is done for all entries before the next one begins. Steps that concern an entry alone are shared by several threads if there are many.
struct TransactionRun {
    private let run: WriteRun
    private let requests: [BundleRequest]
    /// Here and below, the place is that of the entry.
    private var outcomes: [WriteOutcome?]
    /// The ids under which the resources of entries are stored.
    private var ids: [String?]
    /// The resources of entries, until they are stored.
    private var resources: [FHIRResource?]
    /// Creations that their condition made superfluous.
    private var existing: Set<Int> = []
    /// The entry that creates what the same condition would find.
    private var creating: [ExactText: Int] = [:]
    private var repeated: [Int: Int] = [:]
    /// The resources that entries delete, create, update and patch, by condition too: each may be there once.
    private var changed: Set<Key> = []
    /// The resources that entries create, by type.
    private var created: [String: Set<String>] = [:]
    /// The criteria of updates that match nothing.
    private var unmatched: Set<ExactText> = []
    /// A resource of a type.
    private struct Key: Hashable {
        let type: String
        let id: String
    }

    /// Conditional references that find nothing before the transaction, and may find what it stores.
    private var pending: [(request: BundleRequest, reference: FHIRObject)] = []
    /// What conditional references led to that the transaction may have changed, and the first entry that has each.
    private var led: [ExactText: (target: String, request: BundleRequest)] = [:]

    init(_ run: WriteRun, _ requests: [BundleRequest]) {
        self.run = run
        self.requests = requests
        outcomes = [WriteOutcome?](repeating: nil, count: requests.count)
        ids = [String?](repeating: nil, count: requests.count)
        resources = [FHIRResource?](repeating: nil, count: requests.count)
    }

    /// Does all of them.
    ///
    /// - Returns: the outcomes in the order of the entries; nil for those that read.
    mutating func write() throws -> [WriteOutcome?] {
        try refuseRepetitions()
        for request in requests where request.method == .delete { try inside(request) { outcomes[request.index] = try delete(request) } }
        for request in requests where request.method == .post { try inside(request) { try assignCreated(request) } }
        for request in requests where request.method == .put { try inside(request) { try assignUpdated(request) } }
        try resolve()
        let fresh = try create()
        // Conditional references are resolved after everything else (FHIR, RESTful API, Transaction Processing Rules).
        let waiting = Set(pending.map(\.request.index))
        for request in requests where request.method == .put && !waiting.contains(request.index) { try update(request) }
        for request in requests where request.method == .patch {
            try inside(request) {
                let outcome = try run.perform(request, resources[request.index])
                if case .type(let type) = request.route, let id = outcome.id { try note(type, id) }
                outcomes[request.index] = outcome
            }
        }
        try resolvePending()
        for request in requests where request.method == .put && waiting.contains(request.index) { try update(request) }
        try checkConditions()
        try checkStored(fresh, waiting)
        for (index, first) in repeated { outcomes[index] = outcomes[first]?.found }
        return outcomes
    }

    /// Does an update of a resource that is there; a new one is created already.
    private mutating func update(_ request: BundleRequest) throws {
        guard outcomes[request.index] == nil, let resource = resources[request.index], let type = request.type, let id = ids[request.index]
        else { return }
        outcomes[request.index] = try inside(request) { try run.update(resource, type: type, id: id, conditions: request.conditions) }
        resources[request.index] = nil
    }

    private mutating func delete(_ request: BundleRequest) throws -> WriteOutcome {
        guard case .type(let type) = request.route else { return try run.perform(request, nil) }
        let found = try run.deleted(type, request.query)
        for id in found { try note(type, id) }
        return try run.delete(type, found, request.conditions)
    }

    private func inside<Value>(_ request: BundleRequest, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw ServiceFault(error).inside(request.place) }
    }

    /// A resource may be in a transaction once.
    private mutating func refuseRepetitions() throws {
        var urls: Set<ExactText> = []
        for request in requests where !request.isRead {
            try inside(request) {
                if case .instance(let type, let id) = request.route { try note(type, id) }
                guard request.method != .delete, let name = request.entryName else { return }
                guard urls.insert(text: name) else {
                    throw ServiceFault(
                        400, "duplicate", "an earlier entry has the same fullUrl, so that references to it could mean either")
                }
            }
        }
    }

    private mutating func note(_ type: String, _ id: String) throws {
        guard changed.insert(Key(type: type, id: id)).inserted else {
            throw ServiceFault(400, "duplicate", "the transaction changes the resource more than once")
        }
    }

    // MARK: - Ids

    private mutating func assignCreated(_ request: BundleRequest) throws {
        guard let type = request.type, let resource = request.resource else { return }
        if let condition = request.ifNoneExist {
            if let found = try run.match(type, condition, "If-None-Exist") {
                existing.insert(request.index)
                ids[request.index] = found.id
                resource.id = found.id
                outcomes[request.index] = try run.unchanged(found)
                return
            }
            let key = try MatchCriteria(type, condition, in: "If-None-Exist").key
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
        try note(type, id)
        created[type, default: []].insert(id)
    }

    private mutating func assignUpdated(_ request: BundleRequest) throws {
        guard let resource = request.resource else { return }
        if case .instance(_, let id) = request.route {
            ids[request.index] = id
            return
        }
        guard case .type(let type) = request.route else { return }
        let id: String
        if let found = try run.match(type, request.query, nil), let known = found.id {
            guard resource.id == nil || resource.id == known else {
                throw ServiceFault(400, "invalid", "the id of the resource is not that of the resource that matches")
            }
            id = known
        } else {
            guard unmatched.insert(try MatchCriteria(type, request.query, in: nil).key).inserted else {
                throw ServiceFault(400, "duplicate", "another entry updates what meets the same criteria, which nothing does")
            }
            if let own = resource.id { try run.checkUnused(own, type) }
            id = try resource.id ?? run.newID(type)
            created[type, default: []].insert(id)
        }
        ids[request.index] = id
        resource.id = id
        try note(type, id)
    }

    /// Refuses conditional updates that would be of what the transaction creates, and conditional references whose target it has changed.
    private func checkConditions() throws {
        for request in requests where request.method == .put {
            guard case .type(let type) = request.route, let id = ids[request.index], let others = created[type], others != [id] else {
                continue
            }
            try inside(request) {
                let found = try run.matches(type, request.query, nil, limit: others.count + 2).compactMap(\.id)
                guard !found.contains(where: { $0 != id && others.contains($0) }) else {
                    throw ServiceFault(400, "duplicate", "the transaction creates what meets the criteria of the update")
                }
            }
        }
        for (text, reference) in led.sorted(by: { $0.value.request.index < $1.value.request.index }) {
            try inside(reference.request) {
                guard try target(of: text.text) == reference.target else {
                    throw ServiceFault(
                        412, "conflict", "a conditional reference finds something else after the transaction than before: change that first"
                    )
                }
            }
        }
    }

    // MARK: - References

    /// Takes the resources out of their entries, and resolves the references between them and conditional references.
    private mutating func resolve() throws {
        var unpacker = BundleUnpacker(release: run.release)
        var links = NarrativeLinks()
        for request in requests where request.method == .post || request.method == .put {
            guard let fullUrl = request.fullUrl, let resource = request.resource else { continue }
            unpacker.note(fullUrl: fullUrl, type: resource.resourceType, id: resource.id)
            if let type = request.type, let id = ids[request.index] { links.add(fullUrl, "\(type)/\(id)") }
        }
        for request in requests where request.method != .delete && !request.isRead { resources[request.index] = request.takeResource() }
        let conditions = conditionalReferences(unpacker, links)
        let written = Set(requests.filter { !$0.isRead }.compactMap(\.type))
        var found: [ExactText: String] = [:]
        for request in requests {
            // What a condition made superfluous is not stored.
            guard !existing.contains(request.index), repeated[request.index] == nil else { continue }
            for reference in conditions[request.index] { try inside(request) { try resolve(reference, request, written, &found) } }
        }
    }

    /// Rewrites the references between entries.
    ///
    /// - Returns: the references with a search in the resources that are created or updated.
    private func conditionalReferences(_ unpacker: BundleUnpacker, _ links: NarrativeLinks) -> [[FHIRObject]] {
        let finder = ConditionalReferences(release: run.release)
        return EntryWork.results(requests) { request in
            guard let resource = resources[request.index] else { return [] }
            guard request.method != .patch else {
                // A FHIRPath Patch has values; the content of a JSON Patch is not looked at.
                if resource.resourceType == "Parameters" { unpacker.rewrite(resource, fullUrl: request.fullUrl) }
                return []
            }
            unpacker.rewrite(resource, fullUrl: request.fullUrl)
            links.rewrite(resource)
            return finder.references(in: resource)
        }
    }

    /// Replaces a reference such as `Patient?identifier=…` by that to the one resource that matches.
    ///
    /// - Parameter written: the types that the transaction writes.
    private mutating func resolve(
        _ reference: FHIRObject, _ request: BundleRequest, _ written: Set<String>, _ found: inout [ExactText: String]
    ) throws {
        guard let text = reference.text("reference"), let condition = condition(text) else { return }
        if let known = found[text] { return reference.setText("reference", known) }
        // What the transaction changes may meet the condition afterwards, or meet it no more; so may what a chain leads to.
        let mayChange = written.contains(condition.type) || condition.query.contains(".") || condition.query.contains("_has")
        let target: String?
        do { target = try self.target(of: text) } catch let fault as ServiceFault where fault.status == 412 && mayChange { target = nil }
        guard let target else { return pending.append((request, reference)) }
        reference.setText("reference", target)
        found[text] = target
        if mayChange { led[ExactText(text)] = (target, request) }
    }

    /// The type and the parameters of a conditional reference, relative or with the server's own address; nil for any other.
    private func condition(_ text: String) -> (type: String, query: Substring)? {
        guard let mark = text.firstIndex(of: "?") else { return nil }
        let (address, base) = (text[..<mark], run.service.base + "/")
        let type = String(address.hasPrefix(base) ? address.dropFirst(base.count) : address)
        return run.release.hasResourceType(named: type) ? (type, text[text.index(after: mark)...]) : nil
    }

    private func target(of text: String) throws -> String? {
        guard let condition = condition(text) else { return nil }
        guard let match = try run.match(condition.type, try QueryItems(condition.query), nil), let id = match.id else { return nil }
        return "\(condition.type)/\(id)"
    }

    /// Resolves what was stored meanwhile.
    private mutating func resolvePending() throws {
        var found: [ExactText: String] = [:]
        for (request, reference) in pending {
            guard let text = reference.text("reference") else { continue }
            try inside(request) {
                guard let target = try found[text] ?? target(of: text) else {
                    throw ServiceFault(412, "not-found", "a conditional reference finds no resource")
                }
                found[text] = target
                reference.setText("reference", target)
                if led[ExactText(text)] == nil { led[ExactText(text)] = (target, request) }
            }
        }
    }

    // MARK: - Creating

    /// The number of resources that are stored with one call, after which their memory is free.
    private static let portion = 256
    /// The number of resources that get what the server decides together: enough for several threads.
    private static let stampedTogether = 2_048
    /// The types whose resources something notes once they are stored.
    private static let notedTypes: Set<String> = ["SearchParameter", "Subscription"]

    /// Stores what is new: what is created, and what is updated and not there.
    ///
    /// - Returns: the entries with it.
    private mutating func create() throws -> [BundleRequest] {
        let (fresh, refusal) = try newEntries()
        try check(fresh)
        // Of all refusals the one of the first entry counts.
        if let refusal { throw refusal }
        let waiting = Set(pending.map(\.request.index))
        for start in stride(from: 0, to: fresh.count, by: Self.stampedTogether) {
            let some = Array(fresh[start..<min(start + Self.stampedTogether, fresh.count)])
            let digests = stamp(some)
            for next in stride(from: 0, to: some.count, by: Self.portion) {
                let places = next..<min(next + Self.portion, some.count)
                // What changes after it is stored, or is noted then, is an object of the store.
                let isManaged = some[places].contains { waiting.contains($0.index) || Self.notedTypes.contains($0.type ?? "") }
                try store(Array(some[places]), digests: isManaged ? nil : Array(digests[places]))
            }
        }
        return fresh
    }

    /// The entries whose resources are new, up to the first one that is refused, and why it is.
    private func newEntries() throws -> (fresh: [BundleRequest], refusal: (any Error)?) {
        let stored = try areStored()
        var fresh: [BundleRequest] = []
        for request in requests where request.method == .post || request.method == .put {
            guard resources[request.index] != nil, let type = request.type, ids[request.index] != nil, !stored[request.index],
                !existing.contains(request.index), repeated[request.index] == nil
            else { continue }
            do {
                try inside(request) {
                    try run.call.require(.create, type)
                    if request.method == .put { try request.conditions.check(nil, run.release) }
                }
            } catch { return (fresh, error) }
            fresh.append(request)
        }
        return (fresh, nil)
    }

    /// Whether there are the resources that entries update, by the place of the entry.
    private func areStored() throws -> [Bool] {
        var stored = [Bool](repeating: false, count: requests.count)
        for (type, places) in placesByType(requests.filter { $0.method == .put }) {
            let found = try run.transaction.areStored(typeName: type, ids: places.compactMap { ids[$0] })
            for (place, isStored) in zip(places, found) { stored[place] = isStored }
        }
        return stored
    }

    /// The places of entries with an id, by the type of their resource.
    private func placesByType(_ requests: [BundleRequest]) -> [String: [Int]] {
        var places: [String: [Int]] = [:]
        for request in requests {
            if let type = request.type, ids[request.index] != nil { places[type, default: []].append(request.index) }
        }
        return places
    }

    /// Checks new resources.
    private func check(_ fresh: [BundleRequest]) throws {
        let content = run.content
        let faults = EntryWork.results(fresh) { request -> (any Error)? in
            do { if let resource = resources[request.index] { try content.check(resource) } } catch { return error }
            return nil
        }
        for (request, fault) in zip(fresh, faults) {
            guard let resource = resources[request.index] else { continue }
            try inside(request) {
                if let fault { throw fault }
                try run.prepareSubscription(resource)
            }
        }
    }

    /// Sets what the server decides of new resources.
    ///
    /// - Returns: their digests.
    private func stamp(_ fresh: [BundleRequest]) -> [ContentDigest.Value] {
        let (store, updated) = (run.store, FHIRInstant(run.call.now))
        return EntryWork.results(fresh) { request in
            guard let resource = resources[request.index] else { return (0, 0) }
            resource.setServerMeta(version: "1", updated: updated)
            return store.digest(of: resource)
        }
    }

    /// - Parameter digests: the digests of the resources; nil if they are to be objects of the store.
    private mutating func store(_ entries: [BundleRequest], digests: [ContentDigest.Value]?) throws {
        let contents = entries.compactMap { resources[$0.index] }
        for request in entries { resources[request.index] = nil }
        guard let digests else {
            let stored = try run.transaction.upsert(contents)
            for (place, request) in entries.enumerated() { outcomes[request.index] = WriteOutcome(201, try stored.resource(at: place)) }
            return
        }
        let versions = try run.transaction.addUnmanaged(contents, digests: digests)
        let (time, isShown) = (FHIRInstant(run.call.now).literal, run.call.presentation.content == .representation)
        for (place, request) in entries.enumerated() {
            guard let type = request.type, let id = ids[request.index] else { continue }
            if let version = versions[place] {
                outcomes[request.index] = WriteOutcome(
                    created: type, id, version: version, at: time, content: isShown ? contents[place] : nil)
            } else {
                // A source of ids of the configuration gave one twice.
                outcomes[request.index] = try run.transaction.resource(typeName: type, id: id).map { WriteOutcome(201, $0) }
            }
        }
    }

    /// Refuses what the scopes do not reach once everything is stored, and notes subscriptions.
    ///
    /// - Parameter waiting: entries whose references were resolved after they were checked.
    private func checkStored(_ fresh: [BundleRequest], _ waiting: Set<Int>) throws {
        let hidden = try hiddenEntries(fresh)
        for request in fresh {
            guard let type = request.type else { continue }
            try inside(request) {
                let resource = outcomes[request.index]?.resource
                if waiting.contains(request.index), let resource { try run.content.check(resource) }
                if let resource { try run.checkSearchParameter(resource) }
                if hidden.contains(request.index) { throw ServiceCall.forbidden(type) }
                if let resource { try run.noteSubscription(resource) }
            }
        }
    }

    /// The entries with resources that the scopes do not reach.
    private func hiddenEntries(_ fresh: [BundleRequest]) throws -> Set<Int> {
        var hidden: Set<Int> = []
        guard run.call.access.scopes != nil else { return hidden }
        for (type, places) in placesByType(fresh) {
            var next = 0
            while next < places.count {
                let some = places[next..<min(next + Self.portion, places.count)]
                let permitted = try run.arePermitted(type, some.compactMap { ids[$0] }, .create)
                for (place, isPermitted) in zip(some, permitted) where !isPermitted { hidden.insert(place) }
                next += some.count
            }
        }
        return hidden
    }
}

/// Finds references with a search, such as `Patient?identifier=…`, in resources.
private struct ConditionalReferences {
    private let reference: UnsafePointer<LayoutTable>?
    private let slot: Int

    init(release: FHIRRelease) {
        let layout = release.layout(named: "Reference")
        reference = layout?.table
        slot = layout?.element(named: "reference")?.slot ?? -1
    }

    /// The objects of the class `Reference`, in the order of the elements.
    func references(in object: FHIRObject) -> [FHIRObject] {
        var found: [FHIRObject] = []
        collect(from: object, &found)
        return found
    }

    private func collect(from object: FHIRObject, _ found: inout [FHIRObject]) {
        for place in object.slotRun {
            switch place.value {
            case .word, .text, .texts: continue
            case .object(let child): collect(from: child, &found)
            case .objects(let children): for child in children { collect(from: child, &found) }
            case .annotated, .annotatedTexts: place.value.forEachChild { collect(from: $0, &found) }
            }
        }
        guard object.layoutTable == reference, let text = object._string(slot), text.utf8.contains(UInt8(ascii: "?")) else { return }
        found.append(object)
    }
}
