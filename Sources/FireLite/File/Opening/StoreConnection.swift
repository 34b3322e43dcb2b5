import FireLiteCore
import FireLiteSQLiteBridge

/// One connection to the store's file with what reads and writes through it. Used by one thread at a time.
final class StoreConnection {
    let connection: Connection
    /// The file, if it is read without locks and may still change.
    var stillFile: StillFile?
    let schema: StorageSchema
    let clock: FHIRClock
    let registry: Registry
    let reader: ResourceReader
    let queries = QueryCache()
    /// The base addresses under which references are to the store's own resources.
    let bases: LocalBases
    /// What the current read depends on; nil if nobody wants to know.
    var region: ObservedRegion?
    private let beginStatement: Statement
    private let rollbackStatement: Statement
    private var dataVersionStatement: Statement?
    /// What modules have made of the file's content, and the state of the file then.
    private var memory: [String: (state: FileState, value: any Sendable)] = [:]
    private static let mostRemembered = 4_000

    /// What tells one state of the file from another, as this connection sees it.
    struct FileState: Equatable {
        fileprivate let dataVersion: Int64
        fileprivate let totalChanges: Int64
    }

    init(_ connection: Connection, release: FHIRRelease, bases: [String] = [], clock: FHIRClock = .system) throws {
        self.connection = connection
        self.clock = clock
        self.bases = LocalBases(given: bases)
        schema = try StorageSchema(release: release)
        registry = Registry(connection, schema: schema, clock: clock)
        reader = ResourceReader(connection, schema: schema, registry: registry)
        beginStatement = try connection.prepare("BEGIN")
        // Compiled while all is well: where memory has run out there would be none to compile it.
        rollbackStatement = try connection.prepare("ROLLBACK")
    }

    /// Begins a transaction and checks whether the file's tables have changed.
    func begin(isWrite: Bool = false) throws {
        if connection.isInTransaction { try rollbackStatement.run() }
        bases.forget()
        try (isWrite ? connection.cached("BEGIN IMMEDIATE") : beginStatement).run()
        do {
            try schema.refresh(connection)
        } catch {
            rollback()
            throw error
        }
    }

    func commit() throws { try connection.cached("COMMIT").run() }

    /// Rolls back the transaction. Does nothing if SQLite has already done so.
    func rollback() {
        guard connection.isInTransaction else { return }
        do {
            try rollbackStatement.run()
        } catch {
            // SQLite ends the transaction even if the disk failed. If memory has run out it may not: the connection then frees what it can,
            // and otherwise the next transaction tries again.
            guard connection.isInTransaction else { return }
            connection.releaseMemory()
            do { try rollbackStatement.run() } catch { return }
        }
    }

    /// The base addresses of this transaction: the statements that follow references need them.
    ///
    /// - Throws: `SQLiteError`.
    func localBases() throws -> LocalBases {
        try bases.load(connection)
        region?.insert(tables: [LocalBases.observedName])
        return bases
    }

    /// Prepares the connection for the statements of queries, and returns the base addresses of this transaction.
    ///
    /// - Throws: `SQLiteError`.
    func preparedForQueries(_ identity: StoreIdentity) throws -> LocalBases {
        let bases = try localBases()
        try queries.addFunctions(connection, identity, bases)
        try queries.indexes.refresh(connection, version: schema.version)
        return bases
    }

    /// A number that changes with commits of other connections: `PRAGMA data_version`.
    ///
    /// - Throws: `SQLiteError`.
    func dataVersion() throws -> Int64 {
        let statement = try dataVersionStatement ?? connection.prepare("PRAGMA data_version")
        dataVersionStatement = statement
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// The state of the file now.
    ///
    /// - Throws: `SQLiteError`.
    func fileState() throws -> FileState { FileState(dataVersion: try dataVersion(), totalChanges: connection.totalChanges) }

    /// A value that is made of the file's content, for a transaction that writes nothing. It is made once for each state of the file: a commit
    /// of another connection changes `data_version`, one of this connection the number of its changes.
    func remembered<Value: Sendable>(_ key: String, _ make: () throws -> Value) throws -> Value {
        let state = try fileState()
        if let known = memory[key], known.state == state, let value = known.value as? Value { return value }
        let value = try make()
        if memory.count >= Self.mostRemembered { memory.removeAll() }
        memory[key] = (state, value)
        return value
    }

    /// Discards what a rolled-back transaction had added.
    func forget() {
        reader.forget()
        registry.forget()
        queries.indexes.forget()
        queries.plans.forget()
        schema.forgetFile()
    }
}
