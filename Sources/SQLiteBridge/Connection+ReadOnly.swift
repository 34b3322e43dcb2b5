import CSQLite

extension Connection {
    /// Compiles one statement that only reads; nil for one that would write, for several, and for none.
    ///
    /// An authorizer (<https://www.sqlite.org/c3ref/set_authorizer.html>) refuses, beside every write, what `sqlite3_stmt_readonly` calls
    /// reading and is not: to attach files, begin or end transactions, change settings, load code.
    /// - Throws: `SQLiteError`.
    public func prepareReadOnly(_ sql: String) throws -> Statement? {
        sqlite3_set_authorizer(
            handle,
            { _, action, first, second, _, _ in
                switch action {
                case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return SQLITE_OK
                case SQLITE_FUNCTION:
                    return second.map { String(cString: $0).lowercased() } == "load_extension" ? SQLITE_DENY : SQLITE_OK
                case SQLITE_PRAGMA:
                    let name = first.map { String(cString: $0).lowercased() } ?? ""
                    let isAsked = Connection.describingPragmas.contains(name) || second == nil && Connection.settings.contains(name)
                    return isAsked ? SQLITE_OK : SQLITE_DENY
                default: return SQLITE_DENY
                }
            }, nil)
        defer { sqlite3_set_authorizer(handle, nil, nil) }
        var statement: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        var isSingle = true
        let code = sql.withCString { text in
            let code = sqlite3_prepare_v3(handle, text, -1, 0, &statement, &tail)
            if let tail { isSingle = String(cString: tail).allSatisfy { $0.isWhitespace || $0 == ";" } }
            return code
        }
        if code == SQLITE_AUTH {
            sqlite3_finalize(statement)
            return nil
        }
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
        guard let statement else { return nil }
        let result = Statement(statement, connection: handle)
        return isSingle && result.isReadOnly ? result : nil
    }

    /// What describes tables and indexes; an argument names one.
    private static let describingPragmas: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "function_list",
        "module_list",
        "compile_options", "collation_list", "database_list", "page_count", "freelist_count", "data_version",
    ]

    /// Settings that may be asked for; with an argument they would be set.
    private static let settings: Set<String> = ["page_size", "encoding", "schema_version", "user_version", "application_id"]
}
