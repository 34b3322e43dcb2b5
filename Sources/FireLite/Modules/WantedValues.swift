import FireLiteSQLiteBridge

/// Values for which a module's statement is run, several at a time: starting and ending a statement costs as much as looking up a row.
enum WantedValues {
    /// So many are bound at once.
    static let together = 32

    /// The beginning of a statement: a table of the values and their places, from 0. Values that are left over are NULL.
    static let clause = "WITH wanted(place, value) AS (VALUES \((0..<together).map { "(\($0), ?)" }.joined(separator: ", "))) "

    /// Binds the next values.
    ///
    /// - Parameters:
    ///   - start: the position of the first.
    ///   - count: the number of all values.
    ///   - bind: binds a parameter to the value at a position.
    static func bind(_ statement: Statement, from start: Int, count: Int, _ bind: (Statement, _ index: Int, _ position: Int) -> Void) {
        for place in 0..<together {
            if start + place < count { bind(statement, place + 1, start + place) } else { statement.bindNull(place + 1) }
        }
    }
}
