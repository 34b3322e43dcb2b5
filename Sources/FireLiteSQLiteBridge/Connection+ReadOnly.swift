import FireLiteSQLite

extension Connection {
    /// Whether the file was opened without the right to write (<https://www.sqlite.org/c3ref/db_readonly.html>).
    public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

    /// The URI of an immutable file (<https://www.sqlite.org/uri.html>).
    static func immutableName(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var name = Array((path.hasPrefix("/") ? "file://" : "file:").utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self) + "?immutable=1"
    }

    /// Whether `keepLogWhenClosed` has an effect: `SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE` came with SQLite 3.16. Before it, only a connection
    /// without the right to write leaves the log as it is.
    public static var canKeepLogWhenClosed: Bool { libraryNumber >= 3_016_000 }

    /// Keeps the write-ahead log when this connection is the last one to close. Without effect before SQLite 3.16.
    public func keepLogWhenClosed() {
        // SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, which the headers of older libraries lack.
        _ = firelite_db_config_int(handle, 1006, 1)
    }

    /// Compiles one statement that only reads; nil for one that writes, for several, and for none.
    ///
    /// An authorizer (<https://www.sqlite.org/c3ref/set_authorizer.html>) refuses every write, and also actions that
    /// `sqlite3_stmt_readonly` counts as reading: attaching files, starting or ending transactions, changing settings, loading code.
    /// - Throws: `SQLiteError`.
    public func prepareReadOnly(_ sql: String) throws -> Statement? {
        let authorizer = beginAuthorizing(.refusing)
        defer { authorizer.end() }
        var statement: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        var isSingle = true
        let code = sql.withCString { text in
            let code = sqlite3_prepare_v3(handle, text, -1, 0, &statement, &tail)
            if let tail { isSingle = String(cString: tail).allSatisfy { $0.isWhitespace || $0 == ";" } }
            return code
        }
        if authorizer.refusals > 0 {
            sqlite3_finalize(statement)
            return nil
        }
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
        guard let statement else { return nil }
        let result = Statement(statement, connection: handle)
        return isSingle && result.isReadOnly ? result : nil
    }

    /// The names of the tables and views that a statement reads; nil if it cannot be compiled alone.
    public func tablesRead(by sql: String) -> Set<String>? {
        guard let named = tablesNamed(in: sql) else { return nil }
        if Self.libraryNumber >= 3_020_000 { return named }
        do { return named.union(try tablesOpened(by: sql)) } catch { return nil }
    }

    /// The tables with rows that a statement opens. Before 3.20 SQLite tells an authorizer of no table without a column in the statement, as in
    /// `SELECT count(*) FROM t`.
    private func tablesOpened(by sql: String) throws -> Set<String> {
        let program = try prepare("EXPLAIN " + sql)
        let owner = try prepare("SELECT tbl_name FROM sqlite_master WHERE rootpage = ?")
        var names: Set<String> = []
        // The columns are addr, opcode, p1, p2, p3: the page is p2, and the file p3, of which 0 is this one.
        while try program.step() {
            guard program.text(1) == "OpenRead", program.int(4) == 0 else { continue }
            owner.bind(1, program.int(3))
            if try owner.step(), let name = owner.text(0) { names.insert(name) }
            owner.reset()
        }
        return names
    }

    private func tablesNamed(in sql: String) -> Set<String>? {
        let authorizer = beginAuthorizing(.collecting)
        defer { authorizer.end() }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil)
        sqlite3_finalize(statement)
        return code == SQLITE_OK && statement != nil ? authorizer.names : nil
    }

    /// The connection's authorizer, which answers for a purpose until `end` is called.
    ///
    /// Setting one makes SQLite compile every other statement of the connection again at its next use, so it is set once.
    private func beginAuthorizing(_ purpose: Authorizer.Purpose) -> Authorizer {
        let known = self.authorizer
        let authorizer = known ?? Authorizer()
        authorizer.begin(purpose)
        if known != nil { return authorizer }
        self.authorizer = authorizer
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, _, _ in
                guard let context else { return SQLITE_DENY }
                return Unmanaged<Authorizer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.answer(action, first, second) }
            }, Unmanaged.passUnretained(authorizer).toOpaque())
        return authorizer
    }

    fileprivate static func isReading(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Bool {
        func name(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0).lowercased() } ?? "" }
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return true
        case SQLITE_FUNCTION: return name(second) != "load_extension"
        case SQLITE_PRAGMA: return describingPragmas.contains(name(first)) || second == nil && settings.contains(name(first))
        // Virtual tables declare their columns this way. A statement that really creates a table is not read-only.
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_VTABLE: return true
        case SQLITE_INSERT, SQLITE_UPDATE: return ["sqlite_master", "sqlite_schema", "sqlite_temp_master"].contains(name(first))
        default: return false
        }
    }

    /// Pragmas that describe tables and indexes; an argument names one.
    private static let describingPragmas: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "function_list",
        "module_list",
        "compile_options", "collation_list", "database_list", "page_count", "freelist_count", "data_version",
    ]

    /// Settings that can be read; with an argument they would be changed.
    private static let settings: Set<String> = ["page_size", "encoding", "schema_version", "user_version", "application_id"]
}

/// Answers SQLite's questions about the statement that is being compiled. Used by the connection's thread alone.
final class Authorizer {
    /// What the statement is compiled for.
    enum Purpose {
        /// To be run by the library itself, which may do everything.
        case running
        /// To be run for an app if it only reads.
        case refusing
        /// To learn its tables.
        case collecting
    }

    private var purpose = Purpose.running
    /// The number of actions that were refused.
    private(set) var refusals = 0
    /// The tables that the statement reads.
    private(set) var names: Set<String> = []

    func begin(_ purpose: Purpose) { (self.purpose, refusals, names) = (purpose, 0, []) }

    func end() { begin(.running) }

    func answer(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Int32 {
        switch purpose {
        case .running: return SQLITE_OK
        case .refusing:
            if Connection.isReading(action, first, second) { return SQLITE_OK }
            refusals += 1
            return SQLITE_DENY
        case .collecting:
            if action == SQLITE_READ, let first { names.insert(String(cString: first)) }
            return SQLITE_OK
        }
    }
}
