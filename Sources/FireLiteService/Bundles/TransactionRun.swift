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
    private var creating: [String: Int] = [:]
    private var repeated: [Int: Int] = [:]
    /// The resources that entries update, by condition too.
    private var updated: Set<Key> = []
    /// A resource of a type.
    private struct Key: Hashable {
        let type: String
        let id: String
    }

    /// Conditional references that find nothing before the transaction, and may find what it creates.
    private var pending: [(request: BundleRequest, reference: FHIRObject)] = []

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
        for request in requests where request.method == .delete {
            outcomes[request.index] = try inside(request) { try run.perform(request, nil) }
        }
        for request in requests where request.method == .post { try inside(request) { try assignCreated(request) } }
        for request in requests where request.method == .put { try inside(request) { try assignUpdated(request) } }
        try resolve()
        try create()
        try resolvePending()
        for request in requests where request.method == .put && outcomes[request.index] == nil {
            guard let resource = resources[request.index], let type = request.type, let id = ids[request.index] else { continue }
            outcomes[request.index] = try inside(request) {
                try run.update(resource, type: type, id: id, conditions: request.conditions)
            }
            resources[request.index] = nil
        }
        for request in requests where request.method == .patch {
            outcomes[request.index] = try inside(request) { try run.perform(request, resources[request.index]) }
        }
        for (index, first) in repeated { outcomes[index] = outcomes[first]?.found }
        return outcomes
    }

    private func inside<Value>(_ request: BundleRequest, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw ServiceFault(error).inside(request.place) }
    }

    /// A resource may be in a transaction once.
    private func refuseRepetitions() throws {
        var seen: Set<Key> = []
        for request in requests where !request.isRead {
            guard case .instance(let type, let id) = request.route else { continue }
            guard seen.insert(Key(type: type, id: id)).inserted else {
                throw ServiceFault(400, "duplicate", "the transaction changes the resource more than once").inside(request.place)
            }
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
        guard updated.insert(Key(type: type, id: id)).inserted else {
            throw ServiceFault(400, "duplicate", "the transaction changes the resource more than once")
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
        var found: [ExactText: String] = [:]
        for request in requests {
            for reference in conditions[request.index] { try inside(request) { try resolve(reference, request, &found) } }
        }
    }

    /// Rewrites the references between entries.
    ///
    /// - Returns: the references with a search in the resources that are created or updated.
    private func conditionalReferences(_ unpacker: BundleUnpacker, _ links: NarrativeLinks) -> [[FHIRObject]] {
        let finder = ConditionalReferences(release: run.release)
        return EntryWork.results(requests) { request in
            guard request.method != .patch, let resource = resources[request.index] else { return [] }
            unpacker.rewrite(resource, fullUrl: request.fullUrl)
            links.rewrite(resource)
            return finder.references(in: resource)
        }
    }

    /// Replaces a reference such as `Patient?identifier=…` by that to the one resource that matches.
    private mutating func resolve(_ reference: FHIRObject, _ request: BundleRequest, _ found: inout [ExactText: String]) throws {
        guard let text = reference.text("reference") else { return }
        if let known = found[text] {
            reference.setText("reference", known)
        } else if let target = try target(of: text) {
            reference.setText("reference", target)
            found[text] = target
        } else if condition(text) != nil {
            pending.append((request, reference))
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

    /// The number of resources that are stored with one call, after which their memory is free.
    private static let portion = 256
    /// The number of resources that get what the server decides together: enough for several threads.
    private static let stampedTogether = 2_048
    /// The types whose resources something notes once they are stored.
    private static let notedTypes: Set<String> = ["SearchParameter", "Subscription"]

    /// Stores what is new: what is created, and what is updated and not there.
    private mutating func create() throws {
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
        try checkStored(fresh)
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
                    if request.method == .put { try request.conditions.check(nil, run.release) }
                    try run.call.require(.create, type)
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
    private func checkStored(_ fresh: [BundleRequest]) throws {
        let hidden = try hiddenEntries(fresh)
        for request in fresh {
            guard let type = request.type else { continue }
            try inside(request) {
                let resource = outcomes[request.index]?.resource
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
