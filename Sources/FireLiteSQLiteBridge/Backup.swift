import FireLiteSQLite

/// Copies a database a few pages at a time (<https://www.sqlite.org/backup.html>).
///
/// If the source has an open read transaction, the copy is that snapshot, whatever is written meanwhile.
public final class Backup {
    private let source: Connection
    private let target: Connection
    private var handle: OpaquePointer?

    /// Starts copying the main database of `source` over that of `target`.
    ///
    /// - Throws: `SQLiteError`.
    public init(from source: Connection, to target: Connection) throws {
        self.source = source
        self.target = target
        if source.hasPageChecksums {
            target.reservePageChecksums()
            target.beginPageChecksums(pageSize: Int32(try source.integer("PRAGMA page_size") ?? 0))
        }
        handle = sqlite3_backup_init(target.handle, "main", source.handle, "main")
        if handle == nil { throw target.error(sqlite3_errcode(target.handle), sql: nil) }
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies up to that many more pages; returns false when all have been copied.
    ///
    /// - Throws: `SQLiteError`.
    public func step(pages: Int32) throws -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        if code == SQLITE_OK { return true }
        if code == SQLITE_DONE { return false }
        throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)))
    }

    /// The number of pages to copy, once a step was made.
    public var pages: Int { Int(sqlite3_backup_pagecount(handle)) }

    /// The number of pages copied so far.
    public var copiedPages: Int { pages - Int(sqlite3_backup_remaining(handle)) }
}
