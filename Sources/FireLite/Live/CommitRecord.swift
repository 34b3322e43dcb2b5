import FireLiteCore

/// What a write has changed so far, for observers. There is none if nobody observes.
struct CommitRecord {
    /// The number of resources of one commit that are listed; of more only the types and tables are known.
    static let limit = 10_000

    /// Whether observers ask for the changed elements.
    let notesPaths: Bool
    private let identity: StoreIdentity
    private let schema: StorageSchema
    private var changes: [Int64: Entry] = [:]
    private var typeIndexes: Set<Int> = []
    private var isOverflowing = false
    /// The tables with new, changed or deleted rows, as bits.
    private var touched: [UInt64] = []
    /// What was known of the resources before they changed in the current savepoint.
    private var journal: [(root: Int64, entry: Entry?)] = []
    private var nextOrder = 0

    private struct Entry {
        var kind: ResourceChange.Kind
        var id: String?
        var pk: String?
        var revision: Int64
        let table: Int
        let order: Int
        var paths: [String]?
        /// Whether the resource was added and deleted by this write.
        var isVoid = false
    }

    init(notesPaths: Bool, identity: StoreIdentity, schema: StorageSchema) {
        self.notesPaths = notesPaths
        self.identity = identity
        self.schema = schema
    }

    // MARK: - Noting

    mutating func touch(_ table: Int32) {
        let word = Int(table) >> 6
        while touched.count <= word { touched.append(0) }
        touched[word] |= 1 << UInt64(table & 63)
    }

    mutating func touch(_ tables: [TablePlan]) { for table in tables { touch(Int32(truncatingIfNeeded: table.index)) } }

    mutating func added(_ root: Int64, _ resource: FHIRResource, revision: Int64, _ table: TablePlan) {
        note(
            root,
            Entry(
                kind: .added, id: resource.id, pk: resource.objectExtras?.pk, revision: revision, table: table.index, order: nextOrder))
    }

    mutating func updated(_ registration: Registration, _ resource: FHIRResource, _ table: TablePlan, paths: [String]?) {
        if var known = changes[registration.root] {
            known.id = resource.id
            known.revision = registration.revision
            if let more = paths, known.kind == .updated { known.paths = known.paths.map { $0 + more } }
            return note(registration.root, known)
        }
        note(
            registration.root,
            Entry(
                kind: .updated, id: resource.id, pk: registration.pk, revision: registration.revision, table: table.index,
                order: nextOrder, paths: paths))
    }

    mutating func deleted(_ registration: Registration, id: String?, _ table: TablePlan) {
        if var known = changes[registration.root] {
            known.isVoid = known.kind == .added
            known.kind = .deleted
            known.revision = 0
            known.paths = nil
            return note(registration.root, known)
        }
        note(
            registration.root,
            Entry(kind: .deleted, id: id, pk: registration.pk, revision: 0, table: table.index, order: nextOrder))
    }

    private mutating func note(_ root: Int64, _ entry: Entry) {
        typeIndexes.insert(entry.table)
        guard !isOverflowing else { return }
        journal.append((root, changes.updateValue(entry, forKey: root)))
        nextOrder += 1
        guard changes.count > Self.limit else { return }
        isOverflowing = true
        changes.removeAll()
        journal.removeAll()
    }

    // MARK: - Savepoints

    mutating func beginSavepoint() { journal.removeAll(keepingCapacity: true) }

    /// Discards the changes of resources since the savepoint; their tables stay noted, which costs observers at most a look.
    mutating func rollBackToSavepoint() {
        for (root, entry) in journal.reversed() { changes[root] = entry }
        journal.removeAll()
    }

    // MARK: - The result

    /// What observers are to know; nil if nothing changed.
    ///
    /// - Parameter changesCatalog: whether tables, columns or indexes were created or dropped.
    func notice(changesCatalog: Bool) -> CommitNotice? {
        let resources = changes.filter { !$0.value.isVoid }.sorted { $0.value.order < $1.value.order }.map { root, entry in
            ResourceChange(
                kind: entry.kind, typeName: schema.tables[entry.table].name, id: entry.id, root: root, revision: entry.revision,
                paths: entry.paths, givenPK: entry.pk, identity: identity)
        }
        guard isOverflowing || changesCatalog || !resources.isEmpty else { return nil }
        let typeNames = Set(
            isOverflowing ? typeIndexes.map { schema.tables[$0].name } : resources.map(\.typeName))
        // Statements may read the registry, too.
        var tables = ["_resource"]
        for (word, bits) in touched.enumerated() {
            var bits = bits
            while bits != 0 {
                tables.append(schema.tables[word << 6 | bits.trailingZeroBitCount].name)
                bits &= bits - 1
            }
        }
        let commit = StoreCommit(resources: resources, typeNames: typeNames, isComplete: !isOverflowing)
        return CommitNotice(commit: commit, tables: tables, changesCatalog: changesCatalog)
    }
}
