import FireLiteCore
import FireLiteSQLiteBridge

/// The rows of a file's catalog that define tables, triggers and views, as they are in the file.
struct CatalogRows: Sendable, Equatable {
    enum Kind: Sendable {
        case table, trigger, view
    }

    /// The positions of a row's texts in `bytes`.
    struct Row: Sendable, Equatable {
        let kind: Kind
        let name: Range<Int>
        let sql: Range<Int>
    }

    private(set) var rows: [Row] = []
    private var bytes: [UInt8] = []

    private static let usualSize = 16_384
    private static let usualRows = 64

    /// The number of bytes in memory, about.
    var size: Int { bytes.count + rows.count * MemoryLayout<Row>.stride }

    /// Reads the catalog, without the tables of SQLite's own.
    ///
    /// - Throws: `SQLiteError`.
    init(_ connection: Connection) throws {
        let statement = try connection.cached("SELECT type, name, sql FROM sqlite_master")
        defer { statement.reset() }
        bytes.reserveCapacity(Self.usualSize)
        rows.reserveCapacity(Self.usualRows)
        while try statement.step() {
            let row = statement.row
            guard let kind = Self.kind(row.textBytes(0)), row.type(1) != .null, row.type(2) != .null else { continue }
            let name = row.textBytes(1)
            if Self.isOfSQLite(name) { continue }
            let nameRange = add(name)
            rows.append(Row(kind: kind, name: nameRange, sql: add(row.textBytes(2))))
        }
    }

    /// The kind that a row's type names; nil for an index, of which most rows are.
    private static func kind(_ type: UnsafeBufferPointer<UInt8>) -> Kind? {
        if type.isText("table") { return .table }
        if type.isText("trigger") { return .trigger }
        return type.isText("view") ? .view : nil
    }

    private static func isOfSQLite(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let prefix: StaticString = "sqlite_"
        guard name.count >= prefix.utf8CodeUnitCount else { return false }
        // SQLite reserves the prefix in any case.
        for index in 0..<prefix.utf8CodeUnitCount {
            let byte = name[index]
            let isCapital = byte &- UInt8(ascii: "A") < 26
            if (isCapital ? byte | 0x20 : byte) != prefix.utf8Start[index] { return false }
        }
        return true
    }

    private mutating func add(_ text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: text)
        return start..<bytes.count
    }

    /// A row's text.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    static func == (left: Self, right: Self) -> Bool {
        guard left.rows == right.rows, left.bytes.count == right.bytes.count else { return false }
        return left.bytes.withUnsafeBufferPointer { left in
            right.bytes.withUnsafeBufferPointer { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return sameBytes(first, second, left.count)
            }
        }
    }
}
