/// A commit as observers are to know it.
struct CommitNotice: Sendable {
    let commit: StoreCommit
    /// The tables with changed rows; nil if any may have changed.
    let tables: TableSet?
    /// The tables of the resource types with changes.
    let types: TableSet
    /// Whether tables, columns or indexes were created or dropped.
    let changesCatalog: Bool

    /// Whether rows of modules changed and nothing else, which observers of the tables see and `changes()` does not report.
    var isOfModulesOnly: Bool { commit.isComplete && commit.resources.isEmpty && !changesCatalog }

    /// The same, without the list of resources.
    var withoutResources: CommitNotice {
        CommitNotice(
            commit: StoreCommit(resources: [], typeNames: commit.typeNames, isComplete: false), tables: tables, types: types,
            changesCatalog: changesCatalog)
    }

    /// Everything may have changed.
    static let unknown = CommitNotice(commit: .unknown, tables: nil, types: TableSet(), changesCatalog: true)
}
