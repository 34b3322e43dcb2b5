import FireLiteSQLite

/// The current row of a statement, without reference counting: valid until the statement is stepped, reset or freed.
@frozen public struct ResultRow {
    @usableFromInline let handle: OpaquePointer

    @inlinable
    init(handle: OpaquePointer) { self.handle = handle }

    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    @inlinable
    public func type(_ index: Int) -> ColumnType {
        ColumnType(rawValue: sqlite3_column_type(handle, Int32(truncatingIfNeeded: index))) ?? .null
    }

    /// An integer column; other values are converted as SQLite does.
    @inlinable
    public func int(_ index: Int) -> Int64 { sqlite3_column_int64(handle, Int32(truncatingIfNeeded: index)) }

    /// A numeric column; other values are converted as SQLite does.
    @inlinable
    public func double(_ index: Int) -> Double { sqlite3_column_double(handle, Int32(truncatingIfNeeded: index)) }

    /// The bytes of a text column.
    @inlinable
    public func textBytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let bytes = sqlite3_column_text(handle, Int32(truncatingIfNeeded: index))
        return UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, Int32(truncatingIfNeeded: index))))
    }

    /// A text column; nil for NULL.
    @inlinable
    public func text(_ index: Int) -> String? {
        type(index) == .null ? nil : String(decoding: textBytes(index), as: UTF8.self)
    }
}

extension ResultRow {
    /// A value of the row, looked up once for all later uses.
    @inlinable
    public func value(_ index: Int) -> ResultValue {
        ResultValue(handle: sqlite3_column_value(handle, Int32(truncatingIfNeeded: index)).unsafelyUnwrapped)
    }
}

/// A value of the current row of a statement: valid until the statement is stepped, reset or freed.
///
/// Connections are used by one thread at a time, so SQLite can be called without locks
/// (<https://www.sqlite.org/c3ref/value.html>).
@frozen public struct ResultValue {
    @usableFromInline let handle: OpaquePointer

    @inlinable
    init(handle: OpaquePointer) { self.handle = handle }

    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    @inlinable
    public var type: ColumnType { ColumnType(rawValue: sqlite3_value_type(handle)) ?? .null }

    /// The value as an integer.
    @inlinable
    public var int: Int64 { sqlite3_value_int64(handle) }

    /// The value as a number.
    @inlinable
    public var double: Double { sqlite3_value_double(handle) }

    /// The bytes of a text.
    @inlinable
    public var textBytes: UnsafeBufferPointer<UInt8> {
        let bytes = sqlite3_value_text(handle)
        return UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(handle)))
    }
}

/// The storage class of a value (<https://www.sqlite.org/datatype3.html>).
public enum ColumnType: Int32, Sendable {
    /// `SQLITE_INTEGER`.
    case integer = 1
    /// `SQLITE_FLOAT`.
    case float = 2
    /// `SQLITE_TEXT`.
    case text = 3
    /// `SQLITE_BLOB`.
    case blob = 4
    /// `SQLITE_NULL`.
    case null = 5
}
