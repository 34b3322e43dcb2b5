import FireLite
import FireLiteCore
import Foundation

/// Chooses the changes that are sent next, in an order in which the targets of references come before what refers to them.
struct PushPlan {
    private struct Candidate {
        let change: WaitingChange
        let kind: PushEntry.Kind
        /// The content as JSON; nil of a deletion.
        let content: Data?
        let version: String?
        let pk: String?
        let references: [SyncKey]
        var isBlocked = false
    }

    private let journal: SyncJournal
    private let skipped: Set<Int64>
    /// Resources that cannot be read here.
    private var damaged: Set<SyncKey>
    private let limit: Int
    private let form: PushForm
    private var candidates: [Candidate] = []
    private var places: [SyncKey: Int] = [:]
    /// New resources that cannot be sent now.
    private var blocked: Set<SyncKey> = []
    private var withoutVersion: [SyncKey] = []
    /// The number of changes that cannot be sent at all.
    private var newlyParked = 0
    /// Resources of which this plan found that they cannot be read here.
    private var newlyDamaged: [SyncKey] = []
    /// Resources that the server has, of which a change is blocked as it cannot be read: what refers to them need not wait.
    private var damagedAtServer: Set<SyncKey> = []

    private static let notAddressable = OutcomeIssue(
        severity: "error", code: "value",
        diagnostics: "the id cannot be part of an address: it has 1 to 64 letters, digits, hyphens and dots, and is not '.' or '..'")
    /// Targets of references that need not be sent.
    private var there: Set<SyncKey> = []
    /// The contents of the changes that are loaded together, as the store has them; nil of those that it does not have.
    private var contents: [SyncKey: Stored?] = [:]

    /// What the store has, and its pk there.
    private typealias Stored = (content: SyncJournal.Content, pk: String?)
    /// A change with what is known of its resource at the server.
    private typealias Waiting = (change: WaitingChange, known: SyncJournal.Known?)

    /// The number of changes whose contents are read together at first; later as many as there is room for.
    private static let readFirst = 50

    init(_ journal: SyncJournal, skipped: Set<Int64>, damaged: Set<SyncKey> = [], limit: Int, form: PushForm) {
        self.journal = journal
        self.skipped = skipped
        self.damaged = damaged
        self.limit = limit
        self.form = form
    }

    // MARK: - Loading

    /// Loads changes until a Bundle is full, with those that they depend on.
    mutating func load() throws {
        var last = Int64.min
        while true {
            let rows = try journal.waiting(after: last, limit: max(limit, 16))
            guard !rows.isEmpty else { break }
            var (count, size) = ready
            var readEnd = 0
            for (place, row) in rows.enumerated() where count < limit && size < journal.configuration.maximumBundleSize {
                last = row.change.number
                if place == readEnd {
                    readEnd = min(place + min(roomForReading(count, size), limit - count), rows.count)
                    try read(rows[place..<readEnd])
                }
                guard places[row.change.key] == nil else { continue }
                let first = candidates.count
                try load(row)
                count += candidates.count - first
                for index in first..<candidates.count { size += candidates[index].content?.count ?? 0 }
            }
            spreadBlocks()
            (count, size) = ready
            if count >= limit || size >= journal.configuration.maximumBundleSize { break }
        }
    }

    /// How many more changes are read together. The more there are, the less each costs; those that do not fit would be read again.
    private func roomForReading(_ count: Int, _ size: Int) -> Int {
        count == 0 ? Self.readFirst : max((journal.configuration.maximumBundleSize - size) / (size / count + 1), 1)
    }

    /// The number and size of the changes that can be sent.
    private var ready: (count: Int, size: Int) {
        candidates.reduce((0, 0)) { $1.isBlocked ? $0 : ($0.0 + 1, $0.1 + ($1.content?.count ?? 0)) }
    }

    /// Reads the contents of changes together, which costs less than one by one.
    private mutating func read(_ rows: ArraySlice<Waiting>) throws {
        contents.removeAll(keepingCapacity: true)
        // What is skipped may be what cannot be read.
        let rows = rows.filter { !skipped.contains($0.change.number) && !damaged.contains($0.change.key) }
        for (typeName, rows) in Dictionary(grouping: rows, by: { $0.change.key.typeName }) {
            guard journal.isType(typeName) else { continue }
            do { try read(rows, typeName) } catch  where error.isAboutOneResource {
                // Each is read by itself, which shows which it is.
                for row in rows { contents.removeValue(forKey: row.change.key) }
            }
        }
    }

    private mutating func read(_ rows: [Waiting], _ typeName: String) throws {
        for row in rows { contents[row.change.key] = .some(nil) }
        let ids = rows.map(\.change.key.id)
        var others = Array(ids.indices)
        // Only an object has a pk.
        if form.newIDs == .client {
            var local: [Int] = []
            others = try journal.tx.forEachJSON(typeName: typeName, ids: ids) { place, json in
                guard let content = journal.content(ofRows: json) else { return local.append(place) }
                contents[rows[place].change.key] = .some((content, nil))
            }
            others += local
        }
        for resource in try journal.tx.resources(typeName: typeName, ids: others.map { ids[$0] }) {
            guard let id = resource.id else { continue }
            contents[SyncKey(typeName: typeName, id: id)] = .some(try stored(resource))
        }
    }

    private func stored(_ resource: FHIRResource) throws -> Stored {
        (try journal.content(ofStored: resource), form.newIDs == .server ? resource.pk : nil)
    }

    private func stored(_ key: SyncKey) throws -> Stored? {
        if let loaded = contents[key] { return loaded }
        return try journal.tx.resource(typeName: key.typeName, id: key.id).map { try stored($0) }
    }

    /// Whether a content is that of the server, apart from what servers add.
    private func isSame(_ content: Data, asBaseOf change: WaitingChange) throws -> Bool {
        guard let base = change.base else { return false }
        if content.elementsEqual(base.utf8) { return true }
        guard let before = try journal.base(change) else { return false }
        return try journal.resource(content).isSame(atServerAs: before)
    }

    /// What a change sends, and the pk of the stored resource; nil for a deletion.
    private func content(_ change: WaitingChange) throws -> (content: SyncJournal.Content?, pk: String?) {
        guard journal.isType(change.key.typeName) else { throw SyncJournal.damage("_sync_change", change.number, "type") }
        if change.isEach {
            let text = change.content
            // What is not in the store has no digest.
            let version = try change.resource(text, "content", journal.tx.store.release)
            // A last version that deletes what the store has is none.
            if try version == nil && journal.isRefuted(change) { throw SyncJournal.damage("_sync_change", change.number, "content") }
            return (text.map { journal.content(Data($0.utf8)) }, nil)
        }
        return try stored(change.key).map { ($0.content, $0.pk) } ?? (nil, nil)
    }

    /// Notes that a change cannot be sent, as it cannot be read here.
    private mutating func block(_ change: WaitingChange, _ known: SyncJournal.Known?, _ error: any Error) throws {
        try journal.noteDamage(change, error)
        damaged.insert(change.key)
        newlyDamaged.append(change.key)
        blocked.insert(change.key)
        if known != nil { damagedAtServer.insert(change.key) }
    }

    private mutating func load(_ row: Waiting) throws {
        var queue = [row]
        while let (row, known) = queue.popLast() {
            guard places[row.key] == nil, !blocked.contains(row.key) else { continue }
            let key = row.key
            if damaged.contains(key) {
                blocked.insert(key)
                if known != nil { damagedAtServer.insert(key) }
                continue
            }
            var first = row
            if row.isEach {
                // One version after the other.
                guard let begin = try journal.changes(of: key).first, begin.state == .waiting else { blocked.insert(key); continue }
                first = begin
            }
            if skipped.contains(first.number) { blocked.insert(key); continue }
            let (content, pk): (SyncJournal.Content?, String?)
            let isUnchanged: Bool
            do {
                (content, pk) = try self.content(first)
                isUnchanged = try content.map { try !first.isUncertain && known != nil && isSame($0.json, asBaseOf: first) } ?? false
            } catch  where error.isAboutOneResource {
                try block(first, known, error)
                continue
            }
            if content == nil, known == nil, !first.isUncertain {
                // Added and deleted before it was sent.
                try journal.remove(first)
                continue
            }
            if isUnchanged {
                // As it was.
                try journal.remove(first)
                continue
            }
            if !FHIRRequest.isAddressable(key.id), known != nil || form.newIDs == .client || content == nil {
                // `DELETE Patient/.` is not the deletion of a patient.
                try journal.setAside(first.number, .parked, status: nil, issues: [Self.notAddressable])
                blocked.insert(key)
                newlyParked += 1
                continue
            }
            // What came from here may have been added to at the server: that is read before it is replaced.
            if let known, known.version == nil || known.isOwn && content != nil && !first.isEach {
                withoutVersion.append(key)
                blocked.insert(key)
                continue
            }
            let references = content?.references ?? []
            let kind: PushEntry.Kind = content == nil ? .delete : known == nil ? .create : .update
            places[key] = candidates.count
            candidates.append(
                Candidate(
                    change: first, kind: kind, content: content?.json, version: known?.version, pk: pk, references: references))
            for target in references where places[target] == nil && target != key && !there.contains(target) {
                guard try journal.known(target) == nil, let waiting = try journal.changes(of: target).first else {
                    there.insert(target)
                    continue
                }
                if waiting.state == .waiting, !skipped.contains(waiting.number) {
                    queue.append((waiting, nil))
                } else {
                    blocked.insert(target)
                }
            }
        }
    }

    /// What refers to a new resource that cannot be sent waits with it.
    private mutating func spreadBlocks() {
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in candidates.indices where !candidates[index].isBlocked {
                guard candidates[index].references.contains(where: { blocked.contains($0) && isNew($0) }) else { continue }
                candidates[index].isBlocked = true
                if candidates[index].kind == .create { blocked.insert(candidates[index].change.key) }
                hasChanged = true
            }
        }
    }

    /// Blocked resources that are already on the server do not block others.
    private func isNew(_ key: SyncKey) -> Bool {
        if let place = places[key] { return candidates[place].kind == .create }
        return !withoutVersion.contains(key) && !damagedAtServer.contains(key)
    }

    // MARK: - Ordering

    /// The first components that fit into a Bundle.
    ///
    /// - Throws: `SyncError` if the content of a new resource cannot be read, so that it would be sent without its tag.
    func next() throws -> NextPush {
        let ready = candidates.indices.filter { !candidates[$0].isBlocked }
        var positions: [SyncKey: Int] = [:]
        for (position, index) in ready.enumerated() { positions[candidates[index].change.key] = position }
        var targets = [[Int]](repeating: [], count: ready.count)
        for (position, index) in ready.enumerated() {
            let candidate = candidates[index]
            for key in candidate.references {
                guard let target = positions[key], target != position, candidates[ready[target]].kind == .create else { continue }
                targets[position].append(target)
            }
            // What no longer refers to a resource comes before its deletion.
            guard candidate.kind != .create, let base = candidate.change.base else { continue }
            for key in ReferenceScan.keys(in: base, base: journal.base) {
                guard let target = positions[key], target != position, candidates[ready[target]].kind == .delete else { continue }
                targets[target].append(position)
            }
        }
        var push = NextPush()
        push.withoutVersion = withoutVersion
        push.newlyParked = newlyParked
        push.newlyDamaged = newlyDamaged
        var (count, size) = (0, 0)
        var included: Set<Int> = []
        for component in PushOrder(targets).components {
            // The entries of a batch are done in any order.
            if form.separatesDependents, component.contains(where: { targets[$0].contains { included.contains($0) } }) { break }
            included.formUnion(component)
            let entries = component.map { entry(candidates[ready[$0]]) }
            let bytes = entries.reduce(0) { $0 + $1.size }
            guard count == 0 || (count + entries.count <= limit && size + bytes <= journal.configuration.maximumBundleSize) else { break }
            push.bundle.components.append(entries)
            count += entries.count
            size += bytes
        }
        if form.newIDs == .server { try linkNewResources(&push.bundle) }
        return push
    }

    // MARK: - Requests

    private func entry(_ candidate: Candidate) -> PushEntry {
        let (key, change) = (candidate.change.key, candidate.change)
        var fields: HTTPFields = [:]
        fields["If-Match"] = candidate.version.map(FHIRRequest.entityTag)
        var request = FHIRRequest(.delete, key.path, fields: fields)
        if let content = candidate.content {
            fields = FHIRRequest.contentFields(form.release)
            fields["If-Match"] = candidate.version.map(FHIRRequest.entityTag)
            if candidate.kind == .create { fields["If-None-Match"] = "*" }
            request = FHIRRequest(.put, key.path, fields: fields, body: content)
            if candidate.kind == .update { patch(&request, change, content) }
        }
        request.isRepeatable = false
        return PushEntry(
            number: change.number, key: key, sequence: change.sequence, kind: candidate.kind, content: candidate.content,
            wasSent: change.isSent, entry: FHIRBundleEntry(request))
    }

    private func patch(_ request: inout FHIRRequest, _ change: WaitingChange, _ content: Data) {
        guard form.updateFormat != .whole, let base = change.base else { return }
        let patch: Data?
        do {
            // Of what is no state of the resource there is no patch.
            guard let before = try journal.base(change) else { return }
            patch =
                form.updateFormat == .jsonPatch
                ? JSONPatch.patch(from: base, to: String(decoding: content, as: UTF8.self))
                : FHIRPathPatch.patch(from: before, to: try journal.resource(content))
        } catch { patch = nil }
        guard let body = patch else { return }
        request.method = .patch
        request.body = body
        if form.updateFormat == .jsonPatch { request.fields["Content-Type"] = MediaType.jsonPatch }
    }

    /// New resources are created with POST, on condition that none has their tag; references within the Bundle are those of its entries.
    private func linkNewResources(_ bundle: inout PushBundle) throws {
        var addresses: [SyncKey: String] = [:]
        for entry in bundle.entries where entry.kind == .create {
            addresses[entry.key] = "urn:uuid:00000000-0000-4000-8000-" + entry.number.padded(12, radix: 16)
        }
        for first in bundle.components.indices {
            for second in bundle.components[first].indices {
                var entry = bundle.components[first][second]
                guard var content = entry.content.map({ String(decoding: $0, as: UTF8.self) }) else { continue }
                if entry.entry.request.method != .patch { content = ReferenceScan.replacing(addresses, in: content, base: journal.base) }
                if entry.kind == .create, let place = places[entry.key] {
                    let tag = "urn:uuid:\(candidates[place].pk ?? entry.key.id)"
                    content = try tagged(content, tag, entry.key)
                    var fields = FHIRRequest.contentFields(form.release)
                    fields["If-None-Exist"] = FHIRParameters([.init(name: "_tag", value: "\(Self.tagSystem)|\(tag)")]).query
                    entry.entry = FHIRBundleEntry(
                        FHIRRequest(.post, entry.key.typeName, fields: fields, body: Data(content.utf8)),
                        fullUrl: addresses[entry.key])
                } else if entry.entry.request.method != .patch {
                    entry.entry.request.body = Data(content.utf8)
                }
                bundle.components[first][second] = entry
            }
        }
    }

    /// The system of the tags by which new resources are recognized.
    private static let tagSystem = "urn:ietf:rfc:3986"

    /// The content with a tag, and without the store's id.
    ///
    /// Without the tag, the condition of the create would never find it, and a repetition would make a second resource.
    private func tagged(_ content: String, _ tag: String, _ key: SyncKey) throws -> String {
        let resource: FHIRResource
        do { resource = try journal.resource(content) } catch is FHIRDecodingError {
            throw SyncError(
                .invalidArgument, "\(key.path) cannot be sent, as its content cannot be read: check the store, and restore a backup")
        }
        resource.id = nil
        guard let slot = resource.layout.element(named: "meta")?.slot, let layout = resource.layout.elements[slot].layout,
            let tags = layout.element(named: "tag"), let coding = tags.makeObject()
        else { throw SyncError(.invalidArgument, "\(key.path) cannot be sent: the release has no meta.tag to recognize it by") }
        let meta = resource.child("meta") ?? layout.makeObject()
        for (name, value) in [("system", Self.tagSystem), ("code", tag)] {
            if let slot = coding.layout.element(named: name)?.slot { coding._setString(slot, value) }
        }
        meta._setObjects(tags.slot, meta.children("tag") + [coding])
        resource._setObject(slot, meta)
        return FHIRJSON.string(resource)
    }
}
