import FireLiteSQLite
import Foundation

/// A failed call of SQLite's C API.
public struct SQLiteError: LocalizedError, Sendable, CustomStringConvertible {
    /// The extended result code (<https://www.sqlite.org/rescode.html>).
    public let code: Int32
    /// SQLite's message.
    public let message: String
    /// The statement that failed, with `?` for values; nil if there was none.
    public let sql: String?

    /// Creates an error.
    public init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// The code without its extension: `SQLITE_IOERR` for `SQLITE_IOERR_READ`.
    public var primaryCode: Int32 { code & 0xFF }

    /// Whether the cause may be damage to the file, which recovery steps over.
    ///
    /// Statements fail with `SQLITE_ERROR` if a table's definition cannot be read.
    public var isDamage: Bool { [SQLITE_ERROR, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_TOOBIG, SQLITE_NOTADB].contains(primaryCode) }

    /// Whether SQLite finds no database in the file, which also happens with an encrypted one.
    public var isNoDatabase: Bool { primaryCode == SQLITE_NOTADB }

    /// Whether another connection holds a lock.
    public var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(primaryCode) }

    /// The description.
    public var errorDescription: String? { description }

    /// The code, SQLite's words and the statement.
    public var description: String {
        "SQLite error \(code): \(message)\(sql.map { " in \($0)" } ?? "")"
    }
}
