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
    /// The tables as the store's numbers, and those of the types of which some changes count, for the announcer; see `number(by:)`.
    private(set) var tableSet = TableSet()
    private(set) var typeSet = TableSet()
    private var wholeTypes = TableSet()

    mutating func insert(root: Int64, _ type: String) { roots[type, default: []].insert(root) }

    /// Adds tables that a statement reads; nil for a statement whose tables are not known.
    mutating func insert(tables names: Set<String>?) {
        guard let names else {
            isEverything = true
            return
        }
        for name in names {
            // The rows of a full-text index come from any element of the type, and those of the change log from any resource.
            if let type = FullTextIndex.type(ofTable: name) {
                types.insert(type)
            } else {
                tables.insert(ChangeTable.tables.contains(name) || name == "_meta" ? "_resource" : name)
            }
        }
    }

    mutating func insert(id: String, _ type: String) { ids[type, default: []].insert(id) }

    /// Looks up the numbers of the tables and types, once all are known.
    mutating func number(by numbers: TableNumbers) {
        tableSet = numbers.set(of: tables)
        wholeTypes = numbers.set(of: types)
        typeSet = numbers.set(of: types.union(roots.keys).union(ids.keys))
    }

    /// Whether a commit may have changed what was read. Commits that change the file's catalog always may: a missing table or column may now
    /// exist.
    func isAffected(by notice: CommitNotice) -> Bool {
        guard let tables = notice.tables, !notice.changesCatalog, !isEverything else { return true }
        if !tables.isDisjoint(with: tableSet) || !notice.types.isDisjoint(with: wholeTypes) { return true }
        guard !notice.types.isDisjoint(with: typeSet) else { return false }
        guard notice.commit.isComplete else { return true }
        return notice.commit.resources.contains { change in
            roots[change.typeName]?.contains(change.root) ?? false
                || change.id.map { ids[change.typeName]?.contains($0) ?? false } ?? false
        }
    }
}
