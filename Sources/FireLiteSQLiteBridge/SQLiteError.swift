import FireLiteSQLite
import Foundation

/// A failed call of SQLite's C API.
public struct SQLiteError: LocalizedError, Sendable, CustomStringConvertible {
    /// The extended result code (<https://www.sqlite.org/rescode.html>).
    public let code: Int32
    /// SQLite's words for it.
    public let message: String
    /// The statement that failed, with `?` for values; nil where there was none.
    public let sql: String?

    public init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// The code without its extension: `SQLITE_IOERR` for `SQLITE_IOERR_READ`.
    public var primaryCode: Int32 { code & 0xFF }

    /// Whether it may come from damage to the file: what recovering steps over.
    ///
    /// `SQLITE_ERROR` is what statements about a table fail with whose definition cannot be read.
    public var isDamage: Bool { [SQLITE_ERROR, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_TOOBIG, SQLITE_NOTADB].contains(primaryCode) }

    /// Whether SQLite finds no database in the file, which an encrypted one looks like.
    public var isNoDatabase: Bool { primaryCode == SQLITE_NOTADB }

    /// Whether another connection's lock is in the way.
    public var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(primaryCode) }

    /// The description.
    public var errorDescription: String? { description }

    /// The code, SQLite's words and the statement.
    public var description: String {
        "SQLite error \(code): \(message)\(sql.map { " in \($0)" } ?? "")"
    }
}
