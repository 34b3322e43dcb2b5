import FireLiteSQLite

/// A copy of a database that is made some pages at a time (<https://www.sqlite.org/backup.html>).
///
/// Where the source has a read transaction open, the copy is of that snapshot, whatever is written meanwhile.
public final class Backup {
    private let source: Connection
    private let target: Connection
    private var handle: OpaquePointer?

    /// Begins to copy the main database of `source` over that of `target`.
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

    /// Copies so many pages more; false when all have been.
    ///
    /// - Throws: `SQLiteError`.
    public func step(pages: Int32) throws -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        if code == SQLITE_OK { return true }
        if code == SQLITE_DONE { return false }
        throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)))
    }

    /// How much has been copied, from 0 to 1.
    public var fraction: Double {
        let total = Double(sqlite3_backup_pagecount(handle))
        return total > 0 ? 1 - Double(sqlite3_backup_remaining(handle)) / total : 1
    }
}
