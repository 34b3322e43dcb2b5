import FireLite
import FireLiteR4
import Foundation

@testable import CrashChild

/// What a store must have after the writes of a model, worked out without a store.
struct StoreModel {
    /// A resource's content as a text.
    typealias Text = String

    struct Resource {
        /// Counts the resources that were ever stored: one that is deleted and stored again is another.
        let identity: Int
        var text: Text
        /// The number of times that its content was stored.
        var revision = 1
    }

    struct Key: Hashable {
        let type: String
        let id: String
    }

    /// What one write did to one resource.
    struct Change: Hashable {
        let kind: ResourceChange.Kind
        let key: Key
        let identity: Int
        let base: Text?
        let current: Text?
        /// The resource's number of revisions afterwards.
        let revision: Int

        /// As `marks(_:)` has it.
        var mark: String { "\(kind == .added ? "+" : kind == .updated ? "~" : "-")\(key.type)/\(key.id)" }
    }

    /// One version, as the history has it.
    struct Version: Hashable {
        let number: Int
        let text: Text
        var isDeleted = false
    }

    /// The types with a history, which continues the versions of a resource that is stored again.
    private let kept: Set<String>

    private(set) var stored: [Key: Resource] = [:]
    private var patients: [String: ModelWrite.Content] = [:]
    private var identities = 0
    /// What each write did, in the order in which it began to.
    private(set) var commits: [(changes: [Change], isServers: Bool)] = []
    private(set) var versions: [Int: [Version]] = [:]
    /// The resources that have had a type and id, the oldest first.
    private(set) var holders: [Key: [Int]] = [:]

    init(kept: Set<String>) { self.kept = kept }

    // MARK: - Writing

    /// Does a write, and returns what observers must be given of it.
    @discardableResult
    mutating func apply(_ write: ModelWrite) -> [Change] {
        var changes: [Change] = []
        defer { commits.append((changes, write.isServers)) }
        guard !write.fails else { return changes }
        let before = stored
        var touched: [(identity: Int, key: Key)] = []
        for step in write.steps {
            switch step {
            case .put(let id, let content): set(Key(type: "Patient", id: id), Self.text(content), &touched)
            case .edit(let id, let edit):
                guard var content = patients[id] else { continue }
                edit.apply(to: &content)
                set(Key(type: "Patient", id: id), Self.text(content), &touched)
                patients[id] = content
            case .delete(let id): set(Key(type: "Patient", id: id), nil, &touched)
            case .note(let id, let language): set(Key(type: "Basic", id: id), language, &touched)
            }
            if case .put(let id, let content) = step { patients[id] = content }
            if case .delete(let id) = step { patients[id] = nil }
        }
        for (identity, key) in touched {
            let was = before[key].flatMap { $0.identity == identity ? $0 : nil }
            let now = stored[key].flatMap { $0.identity == identity ? $0 : nil }
            guard was != nil || now != nil else { continue }
            changes.append(
                Change(
                    kind: was == nil ? .added : now == nil ? .deleted : .updated, key: key, identity: identity, base: was?.text,
                    current: now?.text, revision: now?.revision ?? 0))
            if let now {
                versions[identity, default: []].append(Version(number: now.revision, text: now.text))
                if was == nil { holders[key, default: []].append(identity) }
            } else if let last = versions[identity]?.indices.last {
                versions[identity]?[last].isDeleted = true
            }
        }
        return changes
    }

    private mutating func set(_ key: Key, _ text: Text?, _ touched: inout [(identity: Int, key: Key)]) {
        var resource: Resource
        if let known = stored[key] {
            guard known.text != text else { return }
            resource = known
            // A file that tracks changes counts those of one write as one.
            if kept.isEmpty || !touched.contains(where: { $0.identity == known.identity }) { resource.revision += 1 }
            resource.text = text ?? ""
        } else {
            guard let text else { return }
            identities += 1
            resource = Resource(identity: identities, text: text)
            if kept.contains(key.type), let before = holders[key]?.last.flatMap({ versions[$0]?.last }) {
                resource.revision = before.number + 1
            }
        }
        stored[key] = text == nil ? nil : resource
        if !touched.contains(where: { $0.identity == resource.identity }) { touched.append((resource.identity, key)) }
    }

    // MARK: - Reading

    static func text(_ content: ModelWrite.Content) -> Text { "\(content.isActive) \(content.year) \(content.names)" }

    /// The text of a resource in a store.
    static func text(_ resource: FHIRResource) -> Text {
        (resource as? Patient).map { text(ModelWrite.Content($0)) } ?? (resource as? Basic)?.language ?? "?"
    }

    /// The text of a resource in the log.
    static func text(json: String) throws -> Text { text(try FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }

    var texts: [Key: Text] { stored.mapValues(\.text) }

    /// The results of `LiveSequenceTests.query`: their keys, identities and revisions.
    var results: [(id: String, resource: Resource)] {
        let found = patients.filter { $0.value.isActive }.sorted { ($1.value.year, $0.key) < ($0.value.year, $1.key) }
        return found.prefix(3).compactMap { id, _ in stored[Key(type: "Patient", id: id)].map { (id, $0) } }
    }

    /// The number of active patients with a name.
    var count: Int { patients.values.count { $0.isActive && !$0.names.isEmpty } }

    // MARK: - The log and the history

    /// The log's entries of each write.
    func log(of types: Set<String>) -> [[Change]] {
        commits.map { commit in commit.isServers ? [] : commit.changes.filter { types.contains($0.key.type) } }
    }

    /// The log's changes since before the write with the number `first`, squashed.
    func squashed(since first: Int, of types: Set<String>) -> Set<Change> {
        var bases: [Int: Change] = [:]
        for change in log(of: types)[first...].joined() where bases[change.identity] == nil { bases[change.identity] = change }
        return Set(
            bases.values.compactMap { change in
                let now = stored[change.key].flatMap { $0.identity == change.identity ? $0.text : nil }
                guard now != change.base else { return nil }
                return Change(
                    kind: change.base == nil ? .added : now == nil ? .deleted : .updated, key: change.key, identity: change.identity,
                    base: change.base, current: now, revision: 0)
            })
    }

    /// The versions that have had a type and id, the newest first.
    func history(of key: Key) -> [Version] { (holders[key] ?? []).reversed().flatMap { (versions[$0] ?? []).reversed() } }
}
