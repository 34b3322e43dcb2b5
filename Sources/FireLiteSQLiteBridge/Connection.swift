import FireLiteSQLite

/// A connection to a database file. Not thread-safe.
public final class Connection {
    @usableFromInline let handle: OpaquePointer
    private var cache: [String: Statement] = [:]
    private var busyWait: BusyWait?
    /// The handler of `withProgress`.
    var progress: ProgressBox?
    /// The handler of `observeStatements`.
    var statementWatch: StatementWatch?
    /// The handler of `prepareReadOnly` and `tablesRead`; nil until one of them is used.
    var authorizer: Authorizer?

    /// Opens a file, or an in-memory database for the path `:memory:`.
    ///
    /// - Parameters:
    ///   - isImmutable: whether the file is read without locks and without its log or journal, as one that nobody changes
    ///     (<https://www.sqlite.org/uri.html#uriimmutable>); implies `isReadOnly`. Default: false.
    ///   - pageChecksums: default: verified.
    ///   - isHardened: whether to restrict what a file made by somebody else can do. Default: true.
    /// - Throws: `SQLiteError`.
    public init(
        path: String, isReadOnly: Bool = false, isImmutable: Bool = false, createsFile: Bool = true,
        pageChecksums: PageChecksums = .verified, isHardened: Bool = true
    ) throws {
        var handle: OpaquePointer?
        var flags =
            isReadOnly || isImmutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (createsFile ? SQLITE_OPEN_CREATE : 0)
        flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (isImmutable ? SQLITE_OPEN_URI : 0)
        let name = isImmutable ? Self.immutableName(path) : path
        let code = sqlite3_open_v2(name, &handle, flags, try Self.vfs(pageChecksums))
        guard code == SQLITE_OK, let handle else {
            let message = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: message)
        }
        self.handle = handle
        // Libraries before SQLite 3.37 do not know the flag.
        sqlite3_extended_result_codes(handle, 1)
        if isHardened { harden() }
    }

    deinit {
        cache.removeAll()
        // A statement that outlives the connection keeps the handle open, and must not use released handlers.
        sqlite3_busy_handler(handle, nil, nil)
        sqlite3_trace_v2(handle, 0, nil, nil)
        sqlite3_set_authorizer(handle, nil, nil)
        sqlite3_close_v2(handle)
    }

    // MARK: - Statements

    /// Compiles a statement for one use, or for the caller to keep.
    ///
    /// - Throws: `SQLiteError`.
    public func prepare(_ sql: String) throws -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, sql: sql) }
        return Statement(statement, connection: handle)
    }

    /// Compiles a statement, or returns the cached one, reset.
    ///
    /// - Throws: `SQLiteError`.
    public func cached(_ sql: String) throws -> Statement {
        if let statement = cache[sql] {
            statement.reset()
            return statement
        }
        let statement = try prepare(sql)
        cache[sql] = statement
        return statement
    }

    /// Runs one or more statements that are constants of the program, so that no name or value from a file can add one.
    ///
    /// - Throws: `SQLiteError`.
    public func execute(_ script: StaticString) throws { try execute("\(script)") }

    /// Runs one or more statements composed by a test.
    ///
    /// - Throws: `SQLiteError`.
    @_spi(Testing) public func execute(_ script: String) throws {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql: script) }
    }

    /// Runs one statement without values, to its end. Names that are not constants must be `quoted`.
    ///
    /// - Throws: `SQLiteError`, with `SQLITE_MISUSE` if text follows the statement.
    public func run(_ sql: String) throws {
        var statement: OpaquePointer?
        var isSingle = true
        let code = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(handle, text, -1, 0, &statement, &tail)
            if let tail { isSingle = String(cString: tail).allSatisfy { $0.isWhitespace || $0 == ";" } }
            return code
        }
        guard code == SQLITE_OK, let statement else { throw error(code, sql: sql) }
        let compiled = Statement(statement, connection: handle)
        guard isSingle else { throw SQLiteError(code: SQLITE_MISUSE, message: "expected one statement, found several", sql: sql) }
        while try compiled.step() {}
    }

    /// The first column of the first row as an integer, or nil if there is no row.
    ///
    /// - Throws: `SQLiteError`.
    public func integer(_ sql: String) throws -> Int64? {
        let statement = try cached(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : nil
    }

    /// The first column of the first row as text, or nil if there is none.
    ///
    /// - Throws: `SQLiteError`.
    public func text(_ sql: String) throws -> String? {
        let statement = try cached(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    func error(_ code: Int32, sql: String?) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }

    // MARK: - State

    /// Whether a transaction is open.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the last call ran out of memory; a call that returned a value then returned an empty one.
    public var lacksMemory: Bool { sqlite3_errcode(handle) & 0xFF == SQLITE_NOMEM }

    /// Releases memory that the connection does not need.
    public func releaseMemory() {
        for statement in cache.values { statement.reset() }
        sqlite3_db_release_memory(handle)
    }

    /// The path of the file; empty for an in-memory database.
    public var path: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }

    /// The number of rows that INSERT, UPDATE and DELETE have changed since the connection was opened.
    public var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// The number of statements that are running: begun, but neither finished nor reset.
    public var busyStatements: Int {
        var count = 0
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { count += 1 }
            statement = sqlite3_next_stmt(handle, current)
        }
        return count
    }

    /// Waits up to that long for another connection's lock before it fails with `SQLITE_BUSY`.
    public func setBusyTimeout(milliseconds: Int) {
        let wait = BusyWait(milliseconds: milliseconds)
        wait.install(handle)
        busyWait = wait
    }

    /// Lowers the maximum size in bytes of a text, a blob or a row (`SQLITE_LIMIT_LENGTH`, <https://www.sqlite.org/limits.html>).
    public func setMaximumLength(_ bytes: Int) { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes)) }

    /// Runs `body` with a lower maximum size of a text, a blob or a row.
    ///
    /// - Parameter bytes: the maximum; nil to leave it as it is.
    public func withMaximumLength<Value>(_ bytes: Int?, _ body: () throws -> Value) rethrows -> Value {
        guard let bytes else { return try body() }
        let before = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes))
        defer { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, before) }
        return try body()
    }

    /// Ends the running statement of this connection with `SQLITE_INTERRUPT`. Can be called from any thread.
    public func interrupt() { sqlite3_interrupt(handle) }

    // MARK: - The library

    /// The version of the SQLite library.
    public static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    /// Whether the library has the JSON functions, which are built in by default since 3.38.
    public static let hasJSON =
        libraryNumber >= 3_038_000 ? sqlite3_compileoption_used("OMIT_JSON") == 0 : sqlite3_compileoption_used("ENABLE_JSON1") != 0

    /// Whether the library has `NULLS FIRST` and `NULLS LAST`.
    public static let hasNullsOrder = libraryNumber >= 3_030_000

    /// The version as one number: 3,040,001 for 3.40.1.
    public static var libraryNumber: Int { Int(sqlite3_libversion_number()) }

    /// Whether a virtual table module is available (`PRAGMA module_list`, which is empty before SQLite 3.16).
    ///
    /// - Throws: `SQLiteError`.
    public func hasModule(_ name: String) throws -> Bool {
        let statement = try prepare("PRAGMA module_list")
        while try statement.step() { if statement.text(0) == name { return true } }
        return false
    }
}
