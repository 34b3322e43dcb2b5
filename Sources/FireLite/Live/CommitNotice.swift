/// A commit as observers are to know it.
struct CommitNotice: Sendable {
    let commit: StoreCommit
    /// The names of the tables with changed rows; nil if any may have changed.
    let tables: [String]?
    /// Whether tables, columns or indexes were created or dropped.
    let changesCatalog: Bool

    /// The same, without the list of resources.
    var withoutResources: CommitNotice {
        CommitNotice(
            commit: StoreCommit(resources: [], typeNames: commit.typeNames, isComplete: false), tables: tables,
            changesCatalog: changesCatalog)
    }

    init(commit: StoreCommit, tables: [String]?, changesCatalog: Bool) {
        self.commit = commit
        self.tables = tables
        self.changesCatalog = changesCatalog
    }

    /// Everything may have changed.
    static let unknown = CommitNotice(commit: .unknown, tables: nil, changesCatalog: true)
}
