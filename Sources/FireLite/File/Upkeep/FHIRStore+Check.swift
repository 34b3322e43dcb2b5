import FireLiteCore
import FireLiteSQLiteBridge

extension FHIRStore {
    /// Looks for damage: SQLite's own integrity check, rows without an owner, registry and tables that disagree, and resources that
    /// differ from the digest they were stored with.
    ///
    /// - Returns: one line for each fault; empty where the store is sound.
    /// - Complexity: reads the whole file.
    /// - Throws: `FHIRStoreError` where the file cannot be read at all.
    public func check() throws -> [String] {
        try read { transaction in
            try transaction.store.mapping { try StoreCheck(transaction.access, digestKey: transaction.store.identity.digestKey).run() }
        }
    }

    /// The sizes of the store.
    ///
    /// - Complexity: counts the rows of every table.
    public func statistics() throws -> StoreStatistics {
        try read { transaction in
            try transaction.store.mapping {
                let connection = transaction.access.connection
                let pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
                let pages = Int(try connection.integer("PRAGMA page_count") ?? 0)
                var tables: [StoreStatistics.Table] = []
                for table in transaction.access.schema.tables where table.isInFile {
                    let rows = Int(try connection.integer("SELECT count(*) FROM \(table.quotedName)") ?? 0)
                    tables.append(StoreStatistics.Table(name: table.name, rows: rows, columns: table.fileColumns))
                }
                return StoreStatistics(
                    others: transaction.access.schema.others, tables: tables.sorted { $0.name < $1.name }, fileBytes: pageSize * pages,
                    resources: Int(try connection.integer("SELECT count(*) FROM _resource") ?? 0))
            }
        }
    }
}

/// How large a store and its tables are.
public struct StoreStatistics: Sendable {
    public struct Table: Sendable {
        public let name: String
        public let rows: Int
        /// Its columns beside the bookkeeping ones.
        public let columns: Int
    }

    /// What others keep in the file: views, and tables whose names begin with an underscore, such as `view families`. The store leaves them alone.
    public let others: [String]
    public let tables: [Table]
    /// The size of the database file, without the write-ahead log, in bytes.
    public let fileBytes: Int
    public let resources: Int
}

/// Finds faults of a store.
struct StoreCheck {
    private let access: StoreConnection
    private let connection: Connection
    private let digestKey: UInt64

    init(_ access: StoreConnection, digestKey: UInt64) {
        self.access = access
        self.digestKey = digestKey
        connection = access.connection
    }

    func run() throws -> [String] {
        var faults = try tolerant("the file") { try texts("PRAGMA integrity_check").filter { $0 != "ok" }.map { "SQLite: \($0)" } }
        faults += access.schema.unknownTables.map { "the table \($0) is none of FHIR \(access.schema.release.name)" }
        faults += try tolerant("_index") {
            let declared = DeclaredIndexes(schema: access.schema, connection: connection)
            let triggers = try declared.triggers().keys.filter { try !names("trigger").contains($0) }.sorted()
            return try declared.unknown().map { _ in "_index: a declaration is not one that this library writes" }
                + triggers.map { "the trigger \($0) of a full-text index is missing: create the index again" }
        }
        for table in access.schema.tables where table.isInFile { faults += try tolerant(table.name) { try orphans(table) } }
        faults += try tolerant("the tables of resources") { try shapes() }
        faults += try tolerant("_resource") { try contents() }
        faults += try tolerant("_meta") { try numbers() + duplicates() }
        return faults
    }

    /// What is too damaged to be looked through is a fault by itself.
    private func tolerant(_ part: String, _ body: () throws -> [String]) throws -> [String] {
        do {
            return try body()
        } catch let error as SQLiteError where error.isDamage {
            return ["\(part): cannot be read: \(error.isChecksumMismatch ? "a page is not what was written" : error.message)"]
        }
    }

    /// Resources that are not what was stored.
    private func contents() throws -> [String] {
        let statement = try connection.prepare("SELECT root, shape, digest FROM _resource")
        var damaged: [Int64] = []
        while try statement.step() {
            let root = statement.int(0)
            do {
                if let shape = try access.shape(statement.int(1)), let resource = try access.load(root: root, shape: shape),
                    ContentDigest.digest(of: resource, key: digestKey) == statement.bytes16(2)
                {
                    continue
                }
            } catch let error as SQLiteError where error.isDamage {
                // Its rows cannot be read at all.
            }
            damaged.append(root)
        }
        return damaged.map { "the rows of the resource with number \($0) are not what was stored" }
    }

    /// Ids that are there more than once, if the file keeps them unique.
    private func duplicates() throws -> [String] {
        let unique = UniqueIDs(access)
        guard try unique.isPromised else { return [] }
        return try unique.duplicates().map { "\($0.type): \($0.ids) ids are there more than once, and the store keeps them unique" }
    }

    /// Whether the next resource would get a number that is taken.
    private func numbers() throws -> [String] {
        guard let next = try RootNumbers.next(connection) else { return ["_meta: the number of the next resource is not valid"] }
        let greatest = try RootNumbers.greatest(connection)
        guard greatest >= next else { return [] }
        return ["_meta: the next resource would get the number \(next), and numbers up to \(greatest) are taken"]
    }

    /// The names of all that the catalog has of a type.
    private func names(_ type: String) throws -> Set<String> {
        let statement = try connection.cached("SELECT name FROM sqlite_master WHERE type = ?")
        statement.bind(1, type)
        defer { statement.reset() }
        var names: Set<String> = []
        while try statement.step() { if let name = statement.text(0) { names.insert(name) } }
        return names
    }

    private func texts(_ sql: String) throws -> [String] {
        let statement = try connection.prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0) ?? "") }
        return texts
    }

    /// Rows of a table that no resource, or no row of the tables it can be owned by, owns.
    private func orphans(_ table: TablePlan) throws -> [String] {
        var faults: [String] = []
        let name = table.quotedName
        let unregistered =
            try connection.integer(
                "SELECT count(*) FROM \(name) WHERE _k >> 24 NOT IN (SELECT root FROM _resource)") ?? 0
        if unregistered > 0 { faults.append("\(table.name): \(unregistered) rows belong to no resource") }
        // Nearly all rows are owned by rows of one table or, where elements recur, by others of the same; where tables are many, asking
        // each about each takes minutes.
        let likely = [table.owner, table].compactMap { $0 }
        let owners = likely + access.schema.tables.filter { other in !likely.contains { $0 === other } }
        // A row number is one row's alone in a resource, so no row is counted for two owners.
        var ownerless = try connection.integer("SELECT count(*) FROM \(name) WHERE _parent IS NOT NULL") ?? 0
        for owner in owners
        where ownerless > 0 && owner.isInFile && (table.isResource || table.link(from: owner) != nil) {
            ownerless -=
                try connection.integer(
                    """
                    SELECT count(*) FROM \(name) t CROSS JOIN \(owner.quotedName) o ON o._k = (t._k & ~16777215 | t._parent)
                    WHERE t._parent IS NOT NULL
                    """) ?? 0
        }
        if ownerless > 0 { faults.append("\(table.name): \(ownerless) rows have no owner") }
        if !table.isResource {
            let rootless = try connection.integer("SELECT count(*) FROM \(name) WHERE _parent IS NULL") ?? 0
            if rootless > 0 { faults.append("\(table.name): \(rootless) rows name no owner") }
        }
        return faults
    }

    /// Resources that have rows in a table their shape does not name, or none in one it does.
    private func shapes() throws -> [String] {
        var faults: [String] = []
        var shapes: [Int: [String]] = [:]
        for number in try texts("SELECT DISTINCT shape FROM _resource") {
            for table in try Int64(number).flatMap(access.shape)?.tables ?? [] { shapes[table.index, default: []].append(number) }
        }
        for table in access.schema.tables where table.isInFile {
            let list = shapes[table.index, default: []].joined(separator: ",")
            let extra =
                try connection.integer(
                    """
                    SELECT count(*) FROM (SELECT DISTINCT _k >> 24 AS root FROM \(table.quotedName)) JOIN _resource USING (root)
                    WHERE shape NOT IN (\(list))
                    """) ?? 0
            if extra > 0 { faults.append("\(table.name): \(extra) resources have rows that their list of tables does not name") }
            let missing =
                try connection.integer(
                    """
                    SELECT count(*) FROM _resource WHERE shape IN (\(list)) AND NOT EXISTS
                    (SELECT 1 FROM \(table.quotedName) WHERE _k BETWEEN root << 24 AND root << 24 | 16777215)
                    """) ?? 0
            if missing > 0 { faults.append("\(table.name): \(missing) resources have no row though their list of tables names it") }
        }
        let unlisted = try connection.integer("SELECT count(*) FROM _resource WHERE shape NOT IN (SELECT shape FROM _shape)") ?? 0
        if unlisted > 0 { faults.append("_resource: \(unlisted) resources have no list of tables") }
        return faults
    }
}
