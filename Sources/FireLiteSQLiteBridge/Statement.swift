import FireLiteSQLite

/// A compiled statement. Bound values and results are valid until the next step or reset.
public final class Statement {
    @usableFromInline let handle: OpaquePointer
    private let connection: OpaquePointer
    /// The error of the last failed binding; a value that is too long must not be stored as the previously bound one.
    @exclusivity(unchecked) private var bindFailure: Int32 = 0

    init(_ handle: OpaquePointer, connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: - Running

    /// Steps to the next row; returns false at the end.
    ///
    /// - Throws: `SQLiteError`; the statement is then reset.
    public func step() throws -> Bool {
        if bindFailure != 0 { throw failure(bindFailure) }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code)
    }

    /// Runs the statement to its end and resets it.
    ///
    /// - Throws: `SQLiteError`.
    public func run() throws {
        if bindFailure != 0 { throw failure(bindFailure) }
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
        sqlite3_reset(handle)
    }

    @inline(never)
    private func failure(_ code: Int32) -> SQLiteError {
        let isBinding = bindFailure != 0
        let message = isBinding ? sqlite3_errstr(code) : sqlite3_errmsg(connection)
        let error = SQLiteError(code: code, message: message.map { String(cString: $0) } ?? "", sql: sql)
        bindFailure = 0
        sqlite3_reset(handle)
        return error
    }

    /// Makes the statement ready to run again, with its bound values.
    @inlinable
    public func reset() { sqlite3_reset(handle) }

    /// The statement's text, with `?` for values.
    public var sql: String { String(cString: sqlite3_sql(handle)) }

    /// The statement's text with its bound values as literals (`sqlite3_expanded_sql`); nil if it would be longer than SQLite's limit.
    public var expandedSQL: String? {
        guard let text = sqlite3_expanded_sql(handle) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }

    /// Whether the statement does not change the database.
    public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Binds NULL to all parameters.
    public func clearBindings() { sqlite3_clear_bindings(handle) }

    // MARK: - Values in, by number from 1

    /// Binds an integer.
    @inlinable
    public func bind(_ index: Int, _ value: Int64) { sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value) }

    /// Binds a number.
    @inlinable
    public func bind(_ index: Int, _ value: Double) { sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value) }

    /// Binds NULL.
    @inlinable
    public func bindNull(_ index: Int) { sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)) }

    /// Binds text without copying it: the bytes must stay valid until the statement is reset or the value is bound again.
    public func bind(_ index: Int, unownedText bytes: UnsafePointer<CChar>, _ length: Int) {
        // Beyond 2 GB the length wraps to a negative number, which for SQLite means a C string.
        let code = sqlite3_bind_text64(
            handle, Int32(truncatingIfNeeded: index), bytes, UInt64(length), nil, UInt8(SQLITE_UTF8))
        if code != SQLITE_OK { bindFailure = code }
    }

    /// Binds a copy of the text.
    public func bind(_ index: Int, _ text: String) {
        var text = text
        text.withUTF8 { bind(index, text: $0) }
    }

    /// Binds a copy of the text's UTF-8.
    public func bind(_ index: Int, text bytes: UnsafeBufferPointer<UInt8>) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let empty: StaticString = ""
        let base = UnsafeRawPointer(bytes.baseAddress ?? empty.utf8Start).assumingMemoryBound(to: CChar.self)
        let code = sqlite3_bind_text64(handle, Int32(truncatingIfNeeded: index), base, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        if code != SQLITE_OK { bindFailure = code }
    }

    /// Binds a copy of the bytes.
    public func bind(_ index: Int, blob bytes: [UInt8]) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        bytes.withUnsafeBytes {
            let code = sqlite3_bind_blob64(handle, Int32(index), $0.baseAddress, UInt64($0.count), transient)
            if code != SQLITE_OK { bindFailure = code }
        }
    }

    /// Binds bytes without copying them: they must stay valid until the statement has run and the value is bound again.
    public func bind(_ index: Int, unownedBlob bytes: UnsafeRawBufferPointer) {
        let code = sqlite3_bind_blob64(handle, Int32(index), bytes.baseAddress, UInt64(bytes.count), nil)
        if code != SQLITE_OK { bindFailure = code }
    }

    /// Binds 16 bytes without a heap allocation of their own.
    public func bind(_ index: Int, bytes value: (UInt64, UInt64)) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code = withUnsafeBytes(of: value) { sqlite3_bind_blob64(handle, Int32(index), $0.baseAddress, 16, transient) }
        if code != SQLITE_OK { bindFailure = code }
    }

    /// Binds a copy of another statement's result, of any type.
    public func bind(_ index: Int, column: Int, of row: Statement) {
        sqlite3_bind_value(handle, Int32(index), sqlite3_column_value(row.handle, Int32(column)))
    }

    /// The number of parameters of the statement.
    public var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    // MARK: - Values out, by number from 0

    /// The number of columns of the result.
    public var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name of a column.
    public func columnName(_ index: Int) -> String { sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? "" }

    /// The current row.
    @inlinable
    public var row: ResultRow { ResultRow(handle: handle) }

    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    @inlinable
    public func type(_ index: Int) -> ColumnType { row.type(index) }

    /// An integer column of the current row.
    @inlinable
    public func int(_ index: Int) -> Int64 { row.int(index) }

    /// A numeric column of the current row.
    @inlinable
    public func double(_ index: Int) -> Double { row.double(index) }

    /// The bytes of a text column; valid until the next step.
    @inlinable
    public func textBytes(_ index: Int) -> UnsafeBufferPointer<UInt8> { row.textBytes(index) }

    /// A text column; nil for NULL.
    public func text(_ index: Int) -> String? { row.text(index) }

    /// A column's bytes; empty for NULL.
    public func blob(_ index: Int) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, Int32(index)) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, Int32(index)))))
    }

    /// The 16 bytes of a blob column; zeros for others.
    @inlinable
    public func bytes16(_ index: Int) -> (UInt64, UInt64) {
        guard let bytes = sqlite3_column_blob(handle, Int32(truncatingIfNeeded: index)),
            sqlite3_column_bytes(handle, Int32(truncatingIfNeeded: index)) == 16
        else { return (0, 0) }
        return (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
}

/// A name as an SQL identifier: in double quotes, with those in it doubled (<https://www.sqlite.org/lang_keywords.html>).
///
/// The only way a name gets into a statement.
public func quoted(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"" + name + "\"" }
    return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}
