import FireLiteSQLiteBridge

/// The place of a loop that reads a table from key to key.
///
/// In a damaged file rows may come in another order than that of their keys. The loop would go back with them and never end, so they are an error.
package struct RisingKeys {
    /// The last key so far.
    package private(set) var last: Int64
    private let table: String

    /// - Parameters:
    ///   - table: names the table in errors.
    ///   - last: the key after which the loop begins.
    package init(_ table: String, after last: Int64 = 0) {
        self.table = table
        self.last = last
    }

    /// Goes on to the key of a row.
    ///
    /// - Throws: `SQLiteError` with the code of a damaged file if it does not come after the last one.
    package mutating func advance(to key: Int64) throws {
        guard key > last else {
            throw SQLiteError(code: ResultCode.corrupt, message: "the rows of \(table) are not in the order of their keys")
        }
        last = key
    }
}
