import FireLiteSQLite

/// Restrictions for files that somebody else may have made (<https://www.sqlite.org/security.html>).
extension Connection {
    /// The maximum size of a text, a blob or a row in bytes. SQLite's own limit is 1,000,000,000, of which a file could make the program
    /// allocate twice as much.
    public static let maximumLength: Int32 = 256 << 20

    /// Refuses corrupting writes to the schema and to shadow tables, functions and virtual tables with side effects in the schema, views,
    /// other database files, and texts in double quotes, which are names (<https://www.sqlite.org/quirks.html#dblquote>): a report of a
    /// statement hides its texts and shows its names.
    func harden() {
        setDefensive(true)
        setTrustedSchema(false)
        configure(Int32(FIRELITE_DBCONFIG_DQS_DML), false)
        configure(Int32(FIRELITE_DBCONFIG_DQS_DDL), false)
        configure(Int32(FIRELITE_DBCONFIG_ENABLE_VIEW), false)
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.maximumLength)
    }

    /// Whether corrupting writes to the schema are refused (<https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>).
    public func setDefensive(_ isOn: Bool) { configure(Int32(FIRELITE_DBCONFIG_DEFENSIVE), isOn) }

    /// Whether triggers and views may use virtual tables that are not marked as harmless, such as FTS5 before SQLite 3.41.
    public func setTrustedSchema(_ isOn: Bool) { configure(Int32(FIRELITE_DBCONFIG_TRUSTED_SCHEMA), isOn) }

    /// Libraries that do not know an option refuse it and have nothing to switch.
    private func configure(_ option: Int32, _ isOn: Bool) { _ = firelite_db_config_int(handle, option, isOn ? 1 : 0) }

    /// Runs `body` with other database files allowed, as `VACUUM` needs for its copy.
    public func withAttachedDatabases<Value>(_ count: Int32, _ body: () throws -> Value) rethrows -> Value {
        let before = sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, count)
        defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, before) }
        return try body()
    }

    /// Runs `body`, a user's statement, with the views of the file enabled.
    public func withViews<Value>(_ body: () throws -> Value) rethrows -> Value {
        configure(Int32(FIRELITE_DBCONFIG_ENABLE_VIEW), true)
        defer { configure(Int32(FIRELITE_DBCONFIG_ENABLE_VIEW), false) }
        return try body()
    }
}
