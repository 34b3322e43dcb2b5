/// The rows of an SQL statement, read without blocking the caller: see ``FHIRStore/rows(_:arguments:)``.
public struct SQLRows: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = SQLRow

    /// The size in bytes of the rows that wait for a slow loop.
    private static let capacity = 1 << 20

    private let store: FHIRStore
    private let sql: String
    private let arguments: [SQLValue]

    init(store: FHIRStore, sql: String, arguments: [SQLValue]) {
        self.store = store
        self.sql = sql
        self.arguments = arguments
    }

    /// Reads the sequence, an element at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let rows: ReadAheadIterator<SQLRow>

        init(_ rows: ReadAheadIterator<SQLRow>) { self.rows = rows }

        /// The next row; nil at the end.
        ///
        /// - Throws: `FHIRStoreError` as `sql(_:arguments:)` does; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> SQLRow? { try await next(isolation: nil) }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> SQLRow? {
            try await rows.next(isolation: actor)
        }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            ReadAheadIterator { [self] in
                store.readAhead(capacity: Self.capacity) { put in
                    try store.forEachRow(sql, arguments: arguments) { try put($0, $0.size) }
                }
            })
    }
}

extension SQLRow {
    /// About the number of bytes in memory.
    fileprivate var size: Int {
        values.reduce(64) { size, value in
            switch value {
            case .text(let text): size + 32 + text.utf8.count
            case .blob(let bytes): size + 32 + bytes.count
            default: size + 32
            }
        }
    }
}

extension FHIRStore {
    /// The rows of an SQL statement that only reads, one by one, for `for try await`. <doc:FileFormat> describes the tables.
    ///
    /// ```swift
    /// for try await row in store.rows("SELECT id FROM Patient WHERE gender = ?", arguments: ["female"]) { print(row["id"]) }
    /// ```
    /// The statement runs once the loop asks for its first row, on a snapshot of that moment. Up to a megabyte of rows is read ahead on a
    /// thread and a connection of the store's own; a slow loop blocks nobody, but the write-ahead log cannot shrink meanwhile. A store in memory
    /// is copied first. The statement ends when the loop does, or when its task is cancelled.
    /// - Parameters:
    ///   - sql: the statement.
    ///   - arguments: the values of the parameters `?`, in their order.
    public func rows(_ sql: String, arguments: [SQLValue] = []) -> SQLRows { SQLRows(store: self, sql: sql, arguments: arguments) }
}

/// A row of a statement's result: values by column number or name.
public struct SQLRow: Sendable {
    /// The names of the columns, in their order.
    public let columns: [String]
    /// The values of the columns.
    public let values: [SQLValue]

    /// The value of a column by its number.
    ///
    /// - Precondition: there is such a column.
    public subscript(index: Int) -> SQLValue { values[index] }

    /// The value of the first column with that name; NULL if there is none.
    public subscript(name: String) -> SQLValue { columns.firstIndex(of: name).map { values[$0] } ?? .null }
}
