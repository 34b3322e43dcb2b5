/// What a read depends on: a commit that changes none of it cannot change the read's result.
struct ObservedRegion: Sendable {
    /// The tables that statements read.
    var tables: Set<String> = []
    /// Types of which any change counts.
    var types: Set<String> = []
    /// Resources of which any change counts, by type, by their numbers and by their ids.
    var roots: [String: Set<Int64>] = [:]
    var ids: [String: Set<String>] = [:]
    /// Whether everything counts, as for a statement whose tables are not known.
    var isEverything = false

    mutating func insert(root: Int64, _ type: String) { roots[type, default: []].insert(root) }

    /// Adds tables that a statement reads; nil for a statement whose tables are not known.
    mutating func insert(tables names: Set<String>?) {
        guard let names else {
            isEverything = true
            return
        }
        for name in names {
            // The rows of a full-text index come from any element of the type.
            if let type = FullTextIndex.type(ofTable: name) { types.insert(type) } else { tables.insert(name) }
        }
    }

    mutating func insert(id: String, _ type: String) { ids[type, default: []].insert(id) }

    /// The types of which some changes count.
    var allTypes: Set<String> { types.union(roots.keys).union(ids.keys) }

    mutating func formUnion(_ other: ObservedRegion) {
        tables.formUnion(other.tables)
        types.formUnion(other.types)
        roots.merge(other.roots) { $0.union($1) }
        ids.merge(other.ids) { $0.union($1) }
        isEverything = isEverything || other.isEverything
    }

    /// Whether a commit may have changed what was read. Commits that change the file's catalog always may: a missing table or column may now
    /// exist.
    func isAffected(by notice: CommitNotice) -> Bool {
        guard let tables = notice.tables, let typeNames = notice.commit.typeNames, !notice.changesCatalog, !isEverything else {
            return true
        }
        if tables.contains(where: self.tables.contains) || !types.isDisjoint(with: typeNames) { return true }
        return typeNames.contains { isAffected(type: $0, notice.commit) }
    }

    private func isAffected(type: String, _ commit: StoreCommit) -> Bool {
        let (roots, ids) = (roots[type], ids[type])
        guard roots != nil || ids != nil else { return false }
        guard commit.isComplete else { return true }
        return commit.resources.contains { change in
            guard change.typeName == type else { return false }
            return roots?.contains(change.root) ?? false || change.id.map { ids?.contains($0) ?? false } ?? false
        }
    }
}
