import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// The new file that a damaged store's rows are copied to, with their keys, so that pks stay the same.
final class RecoveryTarget {
    let connection: Connection
    private var inserts: [Int: Statement] = [:]
    private let registry: Registry
    private let digestKey: UInt64

    /// Opens a new store's file and begins writing.
    ///
    /// - Throws: `SQLiteError`.
    init(path: String, key: Secret?, source: DamagedStore) throws {
        connection = try Connection.open(path, createsFile: false, key: key)
        try connection.execute("PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE")
        if let identity = source.identity {
            try connection.run("UPDATE _meta SET value = \(identity.high) WHERE key = 'identity'")
            try connection.run("UPDATE _meta SET value = \(identity.digestKey) WHERE key = 'digestKey'")
        }
        if !source.bases.isEmpty { try LocalBases.store(source.bases, connection) }
        for (table, count) in source.notedRows { try NotedRows.store(count, of: table, connection) }
        // Without these, nothing would notice that rows are lost.
        for (key, value) in source.moduleNotes {
            let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)")
            statement.bind(1, key)
            statement.bind(2, value)
            try statement.run()
        }
        registry = Registry(connection, schema: source.access.schema)
        digestKey = UInt64(bitPattern: try connection.integer("SELECT value FROM _meta WHERE key = 'digestKey'") ?? 0)
    }

    /// Copies a resource's rows and registers it.
    ///
    /// - Parameter leavesOutStrays: whether there are rows that are no part of the resource: their numbers have changed, or those of their owners.
    /// - Throws: `SQLiteError` of the new file.
    func add(_ root: Int64, _ resource: FHIRResource, _ shape: Shape, from source: DamagedStore, leavesOutStrays: Bool) throws {
        let owned = leavesOutStrays ? try Self.ownedNodes(root, shape, source) : nil
        var lastNode: Int64 = 0
        var filled: [TablePlan] = []
        for table in shape.tables {
            let insert = try insertStatement(table)
            _ = try source.access.reader.readTolerantly(table, root) { reader in
                let row = reader.statement
                if let owned, !owned.contains(Int64(RowKey.node(row.int(0)))) { return }
                for column in 0..<row.columnCount { insert.bind(column + 1, column: column, of: row) }
                lastNode = max(lastNode, Int64(RowKey.node(row.int(0))))
                if filled.last !== table { filled.append(table) }
                do {
                    try insert.run()
                } catch let error as SQLiteError {
                    // Not a read error, which would count as damage.
                    throw FHIRStoreError(error, path: "the new file")
                }
            }
        }
        let registration = source.registrations[root]
        let shape = try registry.shapeNumber(type: resource.layout.name, tables: filled.map(\.name))
        try registry.insert(1) { _ in
            Registration(
                root: root, shape: shape, revision: registration?.revision ?? 1,
                nodes: UInt32(clamping: max(Int64(registration?.nodes ?? 0), lastNode + 1)),
                digest: ContentDigest.digest(of: resource, key: digestKey), pk: registration?.pk)
        }
    }

    /// The row numbers of a resource whose owners lead to its own row.
    private static func ownedNodes(_ root: Int64, _ shape: Shape, _ source: DamagedStore) throws -> Set<Int64> {
        var rows: [Int64: (table: TablePlan, parent: Int64?)] = [:]
        for table in shape.tables {
            _ = try source.access.reader.readTolerantly(table, root) { reader in
                let parent = reader.row.value(1)
                rows[Int64(RowKey.node(reader.statement.int(0)))] = (table, parent.type == .null ? nil : parent.int)
            }
        }
        return Set(
            rows.keys.filter { node in
                var node = node
                for _ in 0..<ResourceAssembler.maximumDepth {
                    guard let row = rows[node] else { return false }
                    guard let parent = row.parent else { return node == 0 }
                    guard let owner = rows[parent], row.table.isResource || row.table.link(from: owner.table) != nil else { return false }
                    node = parent
                }
                return false
            })
    }

    /// Copies the readable part of what the damaged store has tracked, and its settings.
    ///
    /// - Returns: what cannot be read.
    func addChanges(from source: DamagedStore) throws -> [String] {
        guard try source.hasTracked else { return [] }
        var unreadable: [String] = []
        let known = try source.trackingSettings
        var settings = known ?? TrackingSettings()
        let table = ChangeTable(connection: connection)
        guard try source.hasChanges else {
            unreadable.append("_change: the table is lost, and with it what the store tracked")
            guard known != nil else { return unreadable }
            settings.next += 1
            settings.start = settings.next
            try table.create(forHistory: !settings.history.isEmpty)
            try settings.store(connection)
            return unreadable
        }
        let last = try source.lastChange ?? settings.next - 1
        if last >= settings.next {
            settings.next = min(last, TrackingSettings.limit - 1) + 1
            settings.mark = nil
            if known != nil { unreadable.append("_meta: the number of the next change is lower than those in use; it was counted again") }
        }
        if known == nil {
            // Recording goes on, as nobody has said otherwise; whoever reads the log begins at its start.
            settings.history = .all
            settings.start = settings.next
            unreadable.append(
                "_meta: what the store tracks is lost: its changes were copied, and the new store keeps the history of all types")
        }
        settings.start = min(settings.start, settings.next)
        try table.create(forHistory: !settings.history.isEmpty)
        var unverified = 0
        var (rows, gaps, doubtful) = try source.changes(before: settings.next)
        if let doubtful {
            unreadable.append("_change: \(doubtful) changes that were copied are on pages that do not match their checksums")
        }
        var previous: Int64 = 0
        for var row in rows {
            // Two rows of one number, or one whose number nobody has given: it has changed.
            guard row.sequence > previous, row.sequence < settings.next else {
                gaps.append(row.sequence...row.sequence)
                continue
            }
            previous = row.sequence
            if source.identity == nil, let content = row.content {
                // Without the store's own numbers, digests say nothing.
                if let resource = try? FHIRJSON.resource(from: Data(content.utf8), release: source.access.schema.release) {
                    row.digest = ContentDigest.digest(of: resource, key: digestKey)
                    unverified += 1
                }
            }
            guard row.verified(release: source.access.schema.release, digestKey: digestKey) != nil else {
                // Its content is not what was stored.
                gaps.append(row.sequence...row.sequence)
                continue
            }
            try table.insert(row)
        }
        if unverified > 0 { unreadable.append("_change: \(unverified) changes were copied without comparing them with their digests") }
        if let readers = try source.changeReaders() {
            for (name, sequence) in readers { try table.setPlace(of: name, sequence) }
        } else {
            unreadable.append("_change_reader: what readers of the log have seen cannot be read: they begin at its start")
        }
        if let lost = try settings.mark?.lost(in: settings.start..<settings.next, table), let last = lost.last {
            // Readers that have not seen what is lost must read everything again.
            settings.start = last.upperBound + 1
            unreadable += lost.filter { range in !gaps.contains { $0.overlaps(range) } }.map {
                "_change: the changes \($0.lowerBound) to \($0.upperBound) are missing"
            }
        }
        try settings.store(connection)
        return unreadable
            + gaps.map { "_change: the changes \($0.lowerBound) to \($0.upperBound), if there are any, cannot be read" }
    }

    private func insertStatement(_ table: TablePlan) throws -> Statement {
        if let known = inserts[table.index] { return known }
        let columns = table.columns.prefix(table.fileColumns)
        try connection.run(table.creation(columns: table.fileColumns))
        if table.isResource { try connection.run(table.idIndexCreation) }
        // In the order of `RowColumns`.
        let names = columns.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { "," + $0.quotedName }.joined()
        let values = String(repeating: ",?", count: columns.count)
        let statement = try connection.prepare("INSERT INTO \(table.quotedName)(_k,_parent,_ord\(names)) VALUES (?,?,?\(values))")
        inserts[table.index] = statement
        return statement
    }

    /// Indexes the words of one table of a full-text index.
    private func buildFullText(_ declaration: DeclaredIndexes.Declaration, _ schema: StorageSchema) throws {
        let index = FullTextIndex(type: declaration.type, connection: connection)
        try index.create()
        guard let table = schema.table(named: declaration.table) else { return }
        try index.watch(table, declaration.columns)
        try index.fill(table, declaration.columns)
    }

    /// Declares and builds the indexes, and ends writing.
    ///
    /// - Throws: `SQLiteError`; `FHIRStoreError.invalidArgument` for a full-text index if the SQLite library does not support them.
    func finish(nextRoot: Int64, release: FHIRRelease, keepsIDsUnique: Bool, _ declarations: [DeclaredIndexes.Declaration]) throws {
        try connection.run("UPDATE _meta SET value = \(nextRoot) WHERE key = 'nextRoot'")
        let schema = try StorageSchema(release: release)
        try schema.refresh(connection)
        // The damaged store may have had two resources with one id.
        let unique = UniqueIDs(schema: schema, connection: connection)
        if keepsIDsUnique, try unique.duplicates().isEmpty { try unique.promise() }
        let indexes = DeclaredIndexes(schema: schema, connection: connection)
        for declaration in declarations {
            try indexes.declare(declaration)
            if declaration.kind == .fullText { try buildFullText(declaration, schema) }
            for build in indexes.builds(declaration, on: schema.storedTables) { try connection.run(build.sql) }
        }
        try PayloadInventory.restoreTables(connection, schema)
        try PayloadInventory.noteLostTables(connection, schema)
        try connection.execute("COMMIT")
        inserts.removeAll()
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
