/// Many values in one blob, for SQLite libraries without JSON functions: each is its kind, its length in ten digits, and its text.
struct PackedValues {
    private var bytes: [UInt8] = []

    init(_ values: [SQLValue]) {
        for value in values {
            switch value {
            case .null, .blob: continue
            case .integer(let value): append("n", "\(value)")
            case .real(let value): append("n", "\(value)")
            case .text(let value): append("t", value)
            }
        }
    }

    private mutating func append(_ kind: String, _ text: String) {
        bytes += Array((kind + "\(text.utf8.count)".leftPadded(10) + text).utf8)
    }

    /// A statement that returns the values as rows of one column `value`.
    ///
    /// Only positions go through the recursion: as a column, the blob would be copied for each row.
    var rows: SQLFragment {
        let all: SQLFragment = "\(bind: .blob(bytes))"
        func text(_ start: SQLFragment, _ length: SQLFragment) -> SQLFragment { "CAST(substr(\(all), \(start), \(length)) AS TEXT)" }
        func size(_ start: SQLFragment) -> SQLFragment { "CAST(\(text(start, "10")) AS INTEGER)" }
        return """
            WITH RECURSIVE place(kind, size) AS (SELECT 1, \(size("2")) UNION ALL
            SELECT kind + 11 + size, \(size("kind + 12 + size")) FROM place WHERE kind + 11 + size < length(\(all)))
            SELECT CASE substr(\(all), kind, 1) WHEN x'74' THEN \(text("kind + 11", "size")) \
            ELSE CAST(\(text("kind + 11", "size")) AS NUMERIC) END AS value FROM place
            """
    }
}
