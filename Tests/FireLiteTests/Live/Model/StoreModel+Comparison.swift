import FireLiteR4
import Testing

@testable import FireLite

extension StoreModel {
    /// Expects the store to have the model's resources, in the same revisions.
    func expectState(of store: FHIRStore) throws {
        try reading(store) { tx in
            var found: [Key: Text] = [:]
            for type in ["Patient", "Basic"] {
                try tx.forEach(typeName: type) { resource in
                    let revision = (resource.objectExtras as? StoreTie)?.revision ?? 0
                    found[Key(type: type, id: resource.id ?? "")] = "\(Self.text(resource)), \(revision)"
                }
            }
            try #require(found == stored.mapValues { "\($0.text), \($0.revision)" })
        }
    }

    // MARK: - The log

    private static func entry(_ change: Change, hasCurrent: Bool) -> String {
        "\(change.mark) \(change.base ?? "-") > \(hasCurrent ? change.current ?? "-" : "")"
    }

    private static func entry(_ change: LoggedChange, hasCurrent: Bool) throws -> String {
        let key = Key(type: change.typeName, id: change.resourceID ?? "")
        return entry(
            Change(
                kind: change.kind, key: key, identity: 0, base: try change.base.map { try text(json: $0) },
                current: try change.current.map { try text(json: $0) }, revision: 0), hasCurrent: hasCurrent)
    }

    /// Expects exactly the entries of the writes from `first` on, one by one, in the order of writes.
    ///
    /// - Parameter hasCurrent: whether the state after each is compared. The log of a type without a history does not know it after a change
    ///   by a server, nor anything of a resource that was added and that a server deleted.
    func expectLog(of store: FHIRStore, since sequence: Int64, first: Int, _ types: Set<String>, hasCurrent: Bool) throws {
        let changes = try reading(store) { try $0.changes(since: sequence, squashed: false) }
        var found = try changes.map { try Self.entry($0, hasCurrent: hasCurrent) }[...]
        for (number, all) in log(of: types)[first...].enumerated() {
            let expected = hasCurrent ? all : all.filter { !isForgotten($0, types) }
            try #require(
                found.prefix(expected.count).sorted() == expected.map { Self.entry($0, hasCurrent: hasCurrent) }.sorted(),
                "the entries of write \(first + number)")
            found = found.dropFirst(expected.count)
        }
        try #require(found.isEmpty)
        try #require(changes.map(\.sequence) == changes.map(\.sequence).sorted() && Set(changes.map(\.sequence)).count == changes.count)
    }

    /// Whether a resource was added, not changed by this side since, and deleted by a server.
    private func isForgotten(_ change: Change, _ types: Set<String>) -> Bool {
        change.kind == .added && stored[change.key]?.identity != change.identity
            && log(of: types).joined().count { $0.identity == change.identity } == 1
    }

    /// Expects the squashed changes of the writes from `first` on.
    func expectSquashedLog(of store: FHIRStore, since sequence: Int64, first: Int, _ types: Set<String>) throws {
        let found = try reading(store) { try $0.changes(since: sequence) }.map { try Self.entry($0, hasCurrent: true) }
        try #require(found.sorted() == squashed(since: first, of: types).map { Self.entry($0, hasCurrent: true) }.sorted())
    }

    // MARK: - The history

    /// Expects exactly the model's versions of a type and id.
    func expectHistory(of store: FHIRStore, _ key: Key) throws {
        let versions = try reading(store) { tx in
            try tx.history(typeName: key.type, id: key.id).map { version in
                let resource = try #require(try tx.resource(at: version))
                return "\(version.version) \(Self.text(resource)) \(version.isDeleted)"
            }
        }
        try #require(versions == history(of: key).map { "\($0.number) \($0.text) \($0.isDeleted)" })
    }

    func expectHistory(of store: FHIRStore, of types: Set<String>) throws {
        for key in holders.keys where types.contains(key.type) { try expectHistory(of: store, key) }
    }
}
