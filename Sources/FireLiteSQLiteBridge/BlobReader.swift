import FireLiteSQLite

/// Reads blobs of one column straight into memory (<https://www.sqlite.org/c3ref/blob_open.html>), without the copies that a row of a query takes.
/// Not thread-safe. It must not outlive its connection.
public final class BlobReader {
    private let connection: Connection
    private let table: String
    private let column: String
    private var handle: OpaquePointer?

    /// - Parameters:
    ///   - table: a table with an integer key, of the main database.
    ///   - column: the column with the blobs.
    public init(_ connection: Connection, table: String, column: String) {
        self.connection = connection
        self.table = table
        self.column = column
    }

    deinit { sqlite3_blob_close(handle) }

    /// Goes to the blob of a row.
    ///
    /// - Returns: the number of its bytes; nil if there is no such row, or no blob in it.
    /// - Throws: `SQLiteError`.
    public func move(to row: Int64) throws -> Int? {
        let code: Int32
        if let handle {
            code = sqlite3_blob_reopen(handle, row)
        } else {
            code = sqlite3_blob_open(connection.handle, "main", table, column, row, 0, &handle)
        }
        if code == SQLITE_OK { return handle.map { Int(sqlite3_blob_bytes($0)) } }
        let error = connection.error(code, sql: nil)
        // A handle that failed to move is of no more use.
        sqlite3_blob_close(handle)
        handle = nil
        // What SQLite says of a missing row, and of a value that is no blob.
        if code == SQLITE_ERROR { return nil }
        throw error
    }

    /// Reads the beginning of the blob, as many bytes as the memory has.
    ///
    /// - Precondition: `move` returned at least that number.
    /// - Throws: `SQLiteError`.
    public func read(into memory: UnsafeMutableRawBufferPointer) throws {
        guard memory.count > 0 else { return }
        let code = sqlite3_blob_read(handle, memory.baseAddress, Int32(memory.count), 0)
        guard code == SQLITE_OK else { throw connection.error(code, sql: nil) }
    }
}
