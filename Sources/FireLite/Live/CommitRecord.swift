import FireLiteCore

/// What a write has changed so far, for observers. The writer keeps one and uses it for each write that somebody observes.
final class CommitRecord {
    /// The number of resources of one commit that are listed; of more only the types and tables are known.
    static let limit = 10_000
    /// Up to this number of resources they are looked for one by one, which takes no memory.
    private static let searched = 8

    /// Whether observers ask for the changed elements.
    @exclusivity(unchecked) private(set) var notesPaths = false
    /// Whether modules take part in the write, which get every change.
    @exclusivity(unchecked) private(set) var listsAll = false
    /// The module that notes something about the content of each resource that is written.
    @exclusivity(unchecked) private var witness: (any ContentWitness)?
    /// The types whose changes are listed; nil for all.
    @exclusivity(unchecked) private var wantedTypes: Set<String>?
    private let identity: StoreIdentity
    private let schema: StorageSchema
    private let numbers: TableNumbers
    // Exclusive access is not checked for these, as they are used for each resource or row, and nothing calls back into this type.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// The places of the entries by resource, if they are more than `searched` and not in the order of the resources' numbers.
    @exclusivity(unchecked) private var places: [Int64: Int] = [:]
    /// Whether the entries are in the order of the resources' numbers, as those of new resources are.
    @exclusivity(unchecked) private var isSorted = true
    /// The types with changes, as the store's numbers of their tables and as the indexes of these in the schema.
    @exclusivity(unchecked) private var types = TableSet()
    @exclusivity(unchecked) private var typeIndexes: [Int] = []
    /// The tables with new, changed or deleted rows.
    @exclusivity(unchecked) private var touched = TableSet()
    @exclusivity(unchecked) private var isOverflowing = false
    /// Whether rows of modules changed.
    @exclusivity(unchecked) private var hasModuleChange = false
    /// The number of entries at the savepoint, and what those that have changed since were.
    @exclusivity(unchecked) private var savedCount = 0
    @exclusivity(unchecked) private var journal: [(place: Int, entry: Entry)] = []
    /// The store's numbers of tables by their index in the schema, or -1.
    @exclusivity(unchecked) private var numberOfTable: [Int] = []
    /// The names of a commit's types where it has one: most have the same.
    @exclusivity(unchecked) private var lastType: (table: Int, names: Set<String>) = (-1, [])

    private struct Entry {
        let root: Int64
        var kind: ResourceChange.Kind
        var id: String?
        var pk: String?
        var revision: Int64
        /// The revision before the changes of the write were settled as one; nil if they were not.
        var counted: Int64?
        let table: Int
        var paths: [String]?
        /// The id and the revision before the write, for modules.
        var before: (id: String?, revision: Int64) = (nil, 0)
        /// What the witness has noted about the content.
        var note: [UInt8]?
        /// Whether the resource was added and deleted by this write.
        var isVoid = false
    }

    init(identity: StoreIdentity, schema: StorageSchema, numbers: TableNumbers) {
        self.identity = identity
        self.schema = schema
        self.numbers = numbers
    }

    /// Begins with nothing.
    ///
    /// - Parameter types: the types whose changes are listed; nil for all.
    func begin(notesPaths: Bool, listsAll: Bool, types wanted: Set<String>?, witness: (any ContentWitness)?) {
        self.witness = witness
        wantedTypes = wanted
        self.notesPaths = notesPaths
        self.listsAll = listsAll
        // The memory of a large write is returned.
        let isSmall = entries.count <= Self.searched
        entries.removeAll(keepingCapacity: isSmall)
        journal.removeAll(keepingCapacity: isSmall)
        if !isSmall { places.removeAll() }
        types = TableSet()
        touched = TableSet()
        typeIndexes.removeAll(keepingCapacity: true)
        isSorted = true
        isOverflowing = false
        hasModuleChange = false
        savedCount = 0
    }

    /// The store's number of a table.
    private func number(of table: Int) -> Int {
        if table < numberOfTable.count, numberOfTable[table] >= 0 { return numberOfTable[table] }
        while numberOfTable.count <= table { numberOfTable.append(-1) }
        let number = numbers.number(of: schema.tables[table].name)
        numberOfTable[table] = number
        return number
    }

    // MARK: - Noting

    func touch(_ table: Int32) { touched.insert(number(of: Int(table))) }

    func touch(_ tables: [TablePlan]) { for table in tables { touched.insert(number(of: table.index)) } }

    func touch(tablesOfModule names: [String]) {
        for name in names { touched.insert(numbers.number(of: name)) }
        hasModuleChange = true
    }

    func added(_ root: Int64, _ resource: FHIRResource, revision: Int64, _ table: TablePlan) throws {
        append(
            Entry(
                root: root, kind: .added, id: resource.id, pk: resource.objectExtras?.pk, revision: revision, table: table.index,
                note: try witness?.note(on: resource)))
    }

    /// - Parameter oldID: the id before this change, which only modules need.
    func updated(_ registration: Registration, _ resource: FHIRResource, _ table: TablePlan, paths: [String]?, oldID: String?) throws {
        let note = try witness?.note(on: resource)
        guard let place = place(of: registration.root) else {
            return append(
                Entry(
                    root: registration.root, kind: .updated, id: resource.id, pk: registration.pk, revision: registration.revision,
                    table: table.index, paths: paths, before: (oldID, registration.revision &- 1), note: note))
        }
        var known = entries[place]
        known.id = resource.id
        known.note = note
        known.revision = registration.revision
        known.counted = nil
        if let more = paths, known.kind == .updated { known.paths = known.paths.map { $0 + more } }
        replace(place, known)
    }

    /// A resource's changes were settled as one version.
    func settle(_ root: Int64, revision: Int64) {
        guard let place = place(of: root) else { return }
        var known = entries[place]
        known.counted = known.revision
        known.revision = revision
        replace(place, known)
    }

    func deleted(_ registration: Registration, id: String?, _ table: TablePlan) {
        guard let place = place(of: registration.root) else {
            return append(
                Entry(
                    root: registration.root, kind: .deleted, id: id, pk: registration.pk, revision: 0, table: table.index,
                    before: (id, registration.revision)))
        }
        var known = entries[place]
        known.isVoid = known.kind == .added
        known.kind = .deleted
        known.revision = 0
        known.note = nil
        known.paths = nil
        replace(place, known)
    }

    private func place(of root: Int64) -> Int? {
        guard entries.count > Self.searched else { return entries.firstIndex { $0.root == root } }
        guard isSorted else { return places[root] }
        // In a write that changes many resources in their order, none is there yet.
        guard let last = entries.last, last.root >= root else { return nil }
        var (low, high) = (0, entries.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].root < root { low = middle + 1 } else { high = middle }
        }
        return entries[low].root == root ? low : nil
    }

    private func append(_ entry: Entry) {
        let type = number(of: entry.table)
        if !types.contains(type) {
            types.insert(type)
            typeIndexes.append(entry.table)
        }
        guard !isOverflowing else { return }
        if let wantedTypes, !wantedTypes.contains(schema.tables[entry.table].name) { return }
        let wasSorted = isSorted
        if let last = entries.last, last.root >= entry.root { isSorted = false }
        entries.append(entry)
        if !isSorted, entries.count > Self.searched {
            if wasSorted || entries.count == Self.searched + 1 {
                for (place, entry) in entries.enumerated() { places[entry.root] = place }
            } else {
                places[entry.root] = entries.count - 1
            }
        }
        if entries.count > Self.limit, !listsAll { overflow() }
    }

    private func replace(_ place: Int, _ entry: Entry) {
        if place < savedCount { journal.append((place, entries[place])) }
        entries[place] = entry
    }

    private func overflow() {
        isOverflowing = true
        entries.removeAll()
        places.removeAll()
        journal.removeAll()
        savedCount = 0
    }

    // MARK: - Savepoints

    func beginSavepoint() {
        savedCount = entries.count
        journal.removeAll(keepingCapacity: true)
    }

    /// Discards the changes of resources since the savepoint; their tables stay noted, which costs observers at most a look.
    func rollBackToSavepoint() {
        guard !isOverflowing else { return }
        for (place, entry) in journal.reversed() { entries[place] = entry }
        journal.removeAll()
        if entries.count > Self.searched { for entry in entries[savedCount...] { places[entry.root] = nil } }
        entries.removeSubrange(savedCount...)
        if entries.count <= Self.searched { places.removeAll() }
    }

    // MARK: - The result

    /// What the write has done to resources so far, for modules.
    var written: [WrittenResource] {
        var written: [WrittenResource] = []
        written.reserveCapacity(entries.count)
        for entry in entries where !entry.isVoid {
            written.append(
                WrittenResource(
                    kind: entry.kind, typeName: schema.tables[entry.table].name, id: entry.id, oldID: entry.before.id, root: entry.root,
                    givenPK: entry.pk, identity: identity, revision: entry.revision, counted: entry.counted ?? entry.revision,
                    oldRevision: entry.before.revision, note: entry.note))
        }
        return written
    }

    /// What observers are to know; nil if nothing changed.
    ///
    /// - Parameter changesCatalog: whether tables, columns or indexes were created or dropped.
    func notice(changesCatalog: Bool) -> CommitNotice? {
        // Statements may read the registry, too.
        if isOverflowing || !entries.isEmpty || !typeIndexes.isEmpty { touched.insert(TableNumbers.registry) }
        // Who begins to observe during a write that lists some types only learns the types.
        guard !isOverflowing, entries.count <= Self.limit, wantedTypes == nil else {
            let names = Set(typeIndexes.map { schema.tables[$0].name })
            return CommitNotice(
                commit: StoreCommit(resources: [], typeNames: names, isComplete: false), tables: touched, types: types,
                changesCatalog: changesCatalog)
        }
        var resources: [ResourceChange] = []
        resources.reserveCapacity(entries.count)
        var types = TableSet()
        var table: Int?
        var isOneType = true
        for entry in entries where !entry.isVoid {
            types.insert(number(of: entry.table))
            isOneType = isOneType && table ?? entry.table == entry.table
            table = entry.table
            resources.append(
                ResourceChange(
                    kind: entry.kind, typeName: schema.tables[entry.table].name, id: entry.id, root: entry.root, revision: entry.revision,
                    oldRevision: entry.before.revision, paths: entry.paths, givenPK: entry.pk, identity: identity))
        }
        guard changesCatalog || hasModuleChange || !resources.isEmpty else { return nil }
        let names = isOneType ? table.map { namesOfOneType($0) } ?? [] : Set(resources.map(\.typeName))
        return CommitNotice(
            commit: StoreCommit(resources: resources, typeNames: names, isComplete: true), tables: touched, types: types,
            changesCatalog: changesCatalog)
    }

    private func namesOfOneType(_ table: Int) -> Set<String> {
        if lastType.table != table { lastType = (table, [schema.tables[table].name]) }
        return lastType.names
    }
}
