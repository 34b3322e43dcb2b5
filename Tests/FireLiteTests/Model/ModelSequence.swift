import FireLiteR4

@testable import FireLite
@testable import TestSupport

/// A random sequence of what users do to a store, run against the store and against a plain model of what should be in it.
///
/// After each step everything that is stored, and every object that is held, is compared with the model: content, order and pks.
final class ModelSequence {
    private struct Stop: Error {}

    private let seed: UInt64
    /// The path of the store's file; nil for one in memory, which cannot be reopened.
    private let path: String?
    private var store: FHIRStore
    private var editor: ModelEditor
    private var steps: [String] = []
    private var resources: [ModelResource] = []
    private var handles: [ModelHandle] = []
    private var nextKey = 0
    private let types: [FHIRResource.Type]
    /// Every pk of a resource or of an item of a list that was ever stored.
    private var seenPKs: Set<String> = []

    // Of the write that is going on.
    private var touched: [Int: FHIRResource] = [:]
    private var addedHere: [(object: FHIRResource, before: ModelNode)] = []
    private var deletedHere: [FHIRResource] = []
    private var expectsConflict = false

    private static let favorites: [FHIRResource.Type] = [
        Patient.self, Observation.self, Questionnaire.self, Bundle.self, Parameters.self, MedicationRequest.self, ValueSet.self,
    ]

    init(seed: UInt64, path: String?) throws {
        self.seed = seed
        self.path = path
        store = try FHIRStore(path: path ?? ":memory:", release: .r4)
        var random = RandomInstance(seed: seed)
        random.maximumDepth = 2
        types = [random.generator.pick(Self.favorites), random.generator.pick(FHIRRelease.r4.resourceTypes)]
        editor = ModelEditor(random: random)
    }

    private func int(_ range: ClosedRange<Int>) -> Int { editor.random.generator.int(range) }
    private func percent(_ chance: Int) -> Bool { editor.random.generator.percent(chance) }
    private func pick<Item>(_ items: [Item]) -> Item { editor.random.generator.pick(items) }
    private func note(_ step: String) { steps[steps.count - 1] += "; " + step }

    // MARK: - Running

    /// Runs the sequence.
    ///
    /// - Throws: `ModelFailure` with the seed and the steps so far.
    func run() throws {
        do {
            for _ in 0..<int(8...14) {
                if path != nil, percent(15) { try reopen() } else if percent(8) { try fetchOutside() } else { try write() }
                try compare()
            }
            let faults = try store.check()
            if !faults.isEmpty { throw fail("check: \(faults)") }
        } catch let failure as ModelFailure {
            throw failure
        } catch {
            throw fail("threw \(error)")
        }
    }

    private func fail(_ message: String) -> ModelFailure { ModelFailure(seed: seed, steps: steps, message: message) }

    private func reopen() throws {
        steps.append("reopen")
        handles.removeAll()
        store = try FHIRStore(path: path ?? ":memory:", release: .r4)
    }

    private func fetchOutside() throws {
        steps.append("fetch")
        guard !resources.isEmpty else { return }
        let resource = pick(resources)
        guard let pk = resource.node.pk, let object = try store.read({ try $0.resource(pk: pk) }) else {
            throw fail("the resource with pk \(resource.node.pk ?? "?") is not found")
        }
        handles.append(ModelHandle(object: object, key: resource.key, expected: resource.node))
    }

    private func write() throws {
        steps.append("write")
        let before = (resources, handles)
        let fails = percent(20)
        (touched, addedHere, deletedHere, expectsConflict) = ([:], [], [], false)
        do {
            try store.write { tx in
                for _ in 0..<int(1...3) where !expectsConflict { try operation(tx) }
                if fails, !expectsConflict {
                    if percent(50) { try tx.saveChanges() }
                    throw Stop()
                }
            }
            if expectsConflict { throw fail("no conflict, though the version was replaced") }
            if fails { throw fail("a write that threw returned") }
        } catch is Stop {
            note("throw")
            try rollBack(to: before)
        } catch let error as FHIRStoreError where error.code == .conflict && expectsConflict {
            note("conflict")
            try rollBack(to: before)
        }
    }

    private func rollBack(to before: ([ModelResource], [ModelHandle])) throws {
        (resources, handles) = before
        touched = [:]
        for (object, content) in addedHere where !deletedHere.contains(where: { $0 === object }) {
            if object.isManaged { throw fail("a resource is managed though its adding was rolled back") }
            if let difference = content.copied.difference(from: ModelNode(object), at: "added") {
                throw fail("not rolled back: \(difference)")
            }
        }
    }

    // MARK: - Operations

    private func operation(_ tx: WriteTransaction) throws {
        if resources.isEmpty { return try add(tx) }
        // Few resources meet more often.
        if resources.count > 5 { return try delete(tx) }
        switch int(0...99) {
        case 0..<14: try add(tx)
        case 14..<50: try edit(tx)
        case 50..<60: try populate(tx)
        case 60..<74: try upsertOne(tx)
        case 74..<86: try upsertMany(tx)
        case 86..<92: try delete(tx)
        case 92..<96: try fetchInside(tx)
        default:
            note("save")
            try tx.saveChanges()
        }
    }

    private func make() -> FHIRResource {
        let type = pick(types)
        let resource = (editor.random.object(of: type) as? FHIRResource) ?? Patient()
        resource.id = percent(85) ? pick(ModelEditor.ids) : nil
        if percent(20) { resource.pk = "own-\(seed)-\(steps.count)-\(int(0...999_999))" }
        if percent(20) { ModelSequence.readPKs(resource) }
        return resource
    }

    private static func readPKs(_ object: FHIRObject) {
        _ = object.pk
        object.forEachSlot { slot in slot.value.forEachChild { readPKs($0) } }
    }

    /// What a held object should be at this moment of a write.
    private func current(_ handle: ModelHandle) -> ModelNode {
        guard let key = handle.key, touched[key] === handle.object, let resource = resources.first(where: { $0.key == key }) else {
            return handle.expected
        }
        return resource.node
    }

    private func index(_ key: Int) -> Int { resources.firstIndex { $0.key == key } ?? -1 }

    /// An object of a stored resource: the one this write knows, one that is held, which may be stale, or a fetched one.
    private func object(of resource: ModelResource, _ tx: WriteTransaction) throws -> FHIRResource {
        if let known = touched[resource.key] { return known }
        let held = handles.filter { $0.key == resource.key }
        if !held.isEmpty, percent(80) { return pick(held).object }
        return try fetch(resource, tx)
    }

    private func fetch(_ resource: ModelResource, _ tx: WriteTransaction) throws -> FHIRResource {
        guard let pk = resource.node.pk ?? handles.first(where: { $0.key == resource.key })?.object.pk else {
            throw fail("a resource without a pk")
        }
        guard let object = try tx.resource(pk: pk) else { throw fail("\(pk) is not found in the write") }
        if let known = touched[resource.key], known !== object { throw fail("\(pk) is two objects in one write") }
        touch(object, resource.key)
        return object
    }

    private func touch(_ object: FHIRResource, _ key: Int) {
        touched[key] = object
        if !handles.contains(where: { $0.object === object }) {
            handles.append(ModelHandle(object: object, key: key, expected: ModelNode(object)))
        }
    }

    /// Runs a change of an object; true where that is a version that has been replaced, so that the write must fail if it has changed.
    private func change(_ object: FHIRResource, _ resource: ModelResource, _ body: () throws -> Void) rethrows -> Bool {
        let tie = object.objectExtras as? StoreTie
        let isStale = touched[resource.key] == nil && tie?.revision != resource.revision
        try body()
        let isChanged = tie?.isChanged == true
        if isStale {
            note(isChanged ? "(stale)" : "(stale, nothing to change)")
            expectsConflict = isChanged
            return true
        }
        if isChanged { touch(object, resource.key) }
        return false
    }

    private func append(_ object: FHIRResource, _ node: ModelNode) {
        resources.append(ModelResource(key: nextKey, node: node, revision: nil))
        touch(object, nextKey)
        nextKey += 1
    }

    private func add(_ tx: WriteTransaction) throws {
        var object = make()
        var origin = "new"
        let deleted = handles.indices.filter { handles[$0].key == nil && !handles[$0].object.isManaged }
        if percent(25), !deleted.isEmpty {
            let index = pick(deleted)
            object = handles[index].object
            handles.remove(at: index)
            origin = "deleted"
            // An element that had its pk from its place may have the same one again.
            if let pk = object.objectExtras?.pk { seenPKs = seenPKs.filter { !$0.hasPrefix(pk) } }
        } else if percent(25), let handle = handles.randomElement(using: &editor.random.generator) {
            object = (handle.object.copyObject() as? FHIRResource) ?? object
            origin = "copy"
            if let difference = current(handle).copied.difference(from: ModelNode(object), at: "copy") {
                throw fail("copied: \(difference)")
            }
        }
        note("add \(origin) \(object.resourceType) \(object.id ?? "-")")
        let node = ModelNode(object)
        try tx.add(object)
        addedHere.append((object, node))
        append(object, node)
    }

    private func edit(_ tx: WriteTransaction) throws {
        let resource = pick(resources)
        let object = try object(of: resource, tx)
        note("edit \(object.resourceType) \(resource.key):")
        for _ in 0..<int(1...4) {
            let isCurrent = touched[resource.key] != nil || (object.objectExtras as? StoreTie)?.revision == resource.revision
            // A replaced version may be built otherwise.
            var node = isCurrent ? resources[index(resource.key)].node : ModelNode(object)
            let isStale = change(object, resource) {
                note(editor.edit(object, &node, strangers: handles.map(\.object)))
            }
            if isStale { return }
            resources[index(resource.key)].node = node
        }
    }

    private func populate(_ tx: WriteTransaction) throws {
        let resource = pick(resources)
        let object = try object(of: resource, tx)
        var source = (editor.random.object(of: type(of: object)) as? FHIRResource) ?? object
        let others = handles.filter { type(of: $0.object) == type(of: object) && $0.object !== object }
        if percent(40), !others.isEmpty { source = pick(others).object }
        if percent(10) { source = type(of: object).init() }
        if percent(30) {
            source = (object.copyObject() as? FHIRResource) ?? source
            var node = ModelNode(source)
            _ = editor.edit(source, &node, strangers: [])
        }
        let content = ModelNode(source)
        note("populate \(object.resourceType) \(resource.key)")
        if try change(object, resource, { try object.populate(from: source) }) { return }
        let target = resources[index(resource.key)].node
        resources[index(resource.key)].node = target.populated(from: content)
        if let difference = content.difference(from: ModelNode(source), at: "source") {
            throw fail("populate changed its source: \(difference)")
        }
    }

    /// What arrives from elsewhere: new, or a changed or unchanged copy of what is stored.
    private func arrival() throws -> FHIRResource {
        guard percent(60), let resource = resources.randomElement(using: &editor.random.generator),
            let held = handles.first(where: { $0.key == resource.key })
        else { return make() }
        guard let copy = held.object.copyObject() as? FHIRResource else { return make() }
        var node = ModelNode(copy)
        if percent(70) { _ = editor.edit(copy, &node, strangers: []) }
        if percent(30) { Self.readPKs(copy) }
        return copy
    }

    /// The model's side of an upsert; returns the key of the resource.
    private func upsertModel(_ arrival: FHIRResource, _ node: ModelNode) -> Int {
        if let id = node.id, let found = resources.firstIndex(where: { $0.node.typeName == node.typeName && $0.node.id == id }) {
            resources[found].node = resources[found].node.populated(from: node)
            return resources[found].key
        }
        addedHere.append((arrival, node))
        resources.append(ModelResource(key: nextKey, node: node, revision: nil))
        nextKey += 1
        return nextKey - 1
    }

    private func take(_ result: FHIRResource, for arrival: FHIRResource, _ key: Int) throws {
        let isNew = addedHere.contains { $0.object === arrival }
        if isNew, result !== arrival { throw fail("an added resource is not the argument") }
        if !isNew, arrival.isManaged { throw fail("the argument of an upsert was adopted") }
        if let known = touched[key], known !== result { throw fail("an upsert returned a second object") }
        touch(result, key)
    }

    private func upsertOne(_ tx: WriteTransaction) throws {
        let arrival = try arrival()
        note("upsert \(arrival.resourceType) \(arrival.id ?? "-")")
        let key = upsertModel(arrival, ModelNode(arrival))
        try take(try tx.upsert(arrival), for: arrival, key)
    }

    private func upsertMany(_ tx: WriteTransaction) throws {
        var arrivals = try (0..<int(2...4)).map { _ in try arrival() }
        if percent(20), let managed = touched.values.min(by: { $0.pk < $1.pk }), managed.isManaged { arrivals.append(managed) }
        note(
            "upsert [" + arrivals.map { "\($0.resourceType) \($0.id ?? "-")\($0.isManaged ? " managed" : "")" }.joined(separator: ", ")
                + "]")
        var keys: [Int?] = []
        for (index, arrival) in arrivals.enumerated() {
            let isReplaced =
                arrival.id != nil
                && arrivals[(index + 1)...].contains {
                    $0.resourceType == arrival.resourceType && $0.id == arrival.id
                }
            if isReplaced {
                keys.append(nil)
            } else if let known = touched.first(where: { $0.value === arrival }) {
                keys.append(known.key)
            } else {
                keys.append(upsertModel(arrival, ModelNode(arrival)))
            }
        }
        let result = try tx.upsert(arrivals)
        if result.count != arrivals.count { throw fail("an upsert of \(arrivals.count) returned \(result.count)") }
        for (index, arrival) in arrivals.enumerated() {
            if let key = keys[index] {
                if arrival.isManaged, touched[key] === arrival { continue }
                try take(result[index], for: arrival, key)
            } else {
                let last = arrivals.lastIndex { $0.resourceType == arrival.resourceType && $0.id == arrival.id } ?? index
                if result[index] !== result[last] { throw fail("two slots of one id are two objects") }
            }
        }
    }

    private func delete(_ tx: WriteTransaction) throws {
        let resource = pick(resources)
        let type = resource.node.typeName
        note("delete \(type) \(resource.key)")
        if percent(40), let id = resource.node.id {
            let first = resources.firstIndex { $0.node.typeName == type && $0.node.id == id } ?? 0
            let key = resources[first].key
            if try !tx.delete(typeName: type, id: id) { throw fail("nothing to delete") }
            if let known = touched[key] { try gone(known, key) }
            remove(key)
        } else {
            let object = try object(of: resource, tx)
            try tx.delete(object)
            try gone(object, resource.key)
            remove(resource.key)
        }
    }

    private func remove(_ key: Int) {
        resources.removeAll { $0.key == key }
        touched[key] = nil
        for index in handles.indices where handles[index].key == key { handles[index].key = -1 }
    }

    /// A deleted object is unmanaged and keeps its content and pk.
    private func gone(_ object: FHIRResource, _ key: Int) throws {
        deletedHere.append(object)
        if object.isManaged { throw fail("a deleted resource is managed") }
        guard let index = handles.firstIndex(where: { $0.object === object }) else { return }
        var content = handles[index].expected
        if touched[key] === object, let resource = resources.first(where: { $0.key == key }) { content = resource.node }
        let pk = content.pk
        content = content.copied
        content.pk = pk
        handles.remove(at: index)
        handles.append(ModelHandle(object: object, key: nil, expected: content))
        if let difference = content.difference(from: ModelNode(object), at: "deleted") { throw fail(difference) }
    }

    private func fetchInside(_ tx: WriteTransaction) throws {
        let resource = pick(resources)
        note("fetch \(resource.node.typeName) \(resource.key)")
        guard resource.node.pk != nil else { return }
        let object = try fetch(resource, tx)
        if let difference = resource.node.difference(from: ModelNode(object), at: resource.node.typeName) {
            throw fail("fetched in the write: \(difference)")
        }
    }

    // MARK: - Comparing

    private func compare() throws {
        let fetched = try store.read { tx in
            var all: [String: [FHIRResource]] = [:]
            for name in try tx.counts().map(\.typeName) { try tx.forEach(typeName: name) { all[name, default: []].append($0) } }
            return all
        }
        let expected = Dictionary(grouping: resources.indices, by: { resources[$0].node.typeName })
        if Set(fetched.keys) != Set(expected.keys) {
            throw fail("stored types are \(fetched.keys.sorted()), not \(expected.keys.sorted())")
        }
        var live: Set<String> = []
        for (name, indexes) in expected {
            let stored = fetched[name] ?? []
            if stored.count != indexes.count { throw fail("\(stored.count) \(name) are stored, not \(indexes.count)") }
            for (index, object) in zip(indexes, stored) { try compare(index, with: object, &live) }
        }
        for index in handles.indices { try compareHandle(index) }
        touched = [:]
        while handles.count > 5 { handles.remove(at: int(0...handles.count - 1)) }
    }

    private func compare(_ index: Int, with object: FHIRResource, _ live: inout Set<String>) throws {
        let node = ModelNode(object)
        let path = "\(node.typeName) \(resources[index].key)"
        if let difference = resources[index].node.difference(from: node, at: path) { throw fail("stored: \(difference)") }
        var known: Set<String> = []
        resources[index].node.walk { node, _ in if let pk = node.pk { known.insert(pk) } }
        var problem: String?
        node.walk { node, isListed in
            guard let pk = node.pk else { return }
            if !live.insert(pk).inserted { problem = "\(path): the pk \(pk) is there twice" }
            if isListed, !seenPKs.insert(pk).inserted, !known.contains(pk) { problem = "\(path): the pk \(pk) was another's" }
        }
        if let problem { throw fail(problem) }
        resources[index].node = node
        resources[index].revision = (object.objectExtras as? StoreTie)?.revision
    }

    private func compareHandle(_ index: Int) throws {
        let handle = handles[index]
        if let key = handle.key, touched[key] === handle.object, let resource = resources.first(where: { $0.key == key }) {
            handles[index].expected = resource.node
        }
        let isUnmanaged = handle.key == nil
        if handle.object.isManaged == isUnmanaged { throw fail("a held \(handle.object.resourceType) is managed: \(!isUnmanaged)") }
        let node = ModelNode(handle.object)
        if let difference = handles[index].expected.difference(from: node, at: "held \(node.typeName) \(handle.key ?? -2)") {
            throw fail(difference)
        }
    }
}
