import FireLiteSQLiteBridge

/// What the SQLite library can do that the tests run with. SQLCipher 3 is of SQLite 3.15, and Debian's has neither FTS5 nor JSON.
enum Library {
    static let hasFullText = {
        do { return try Connection(path: ":memory:").hasModule("fts5") } catch { return false }
    }()
    static let hasJSON = Connection.hasJSON
    /// `SELECT … FROM pragma_table_info(…)`.
    static let hasPragmaFunctions = Connection.libraryNumber >= 3_016_000
    /// Before SQLite 3.35 the rows of a common table expression are computed again for each of its uses
    /// (<https://www.sqlite.org/lang_with.html#materialization_hints>); a walk by references uses one three times.
    static let keepsRowsOfExpressions = Connection.libraryNumber >= 3_035_000
    /// An index gives the order where missing values come last: `NULLS LAST`, which came with SQLite 3.30.
    static let sortsByIndexes = Connection.hasNullsOrder
    /// A statement has at most 32,766 parameters since SQLite 3.32, and 999 before (<https://www.sqlite.org/limits.html>).
    static let takesManyParameters = Connection.libraryNumber >= 3_032_000
    /// `sqlite3_hard_heap_limit64`.
    static let hasMemoryLimit = Connection.libraryNumber >= 3_031_000

    /// Whether new files get checksums of pages: the library can reserve room for them in a plain file.
    static let hasPageChecksums = Connection.libraryNumber >= 3_032_000
}
