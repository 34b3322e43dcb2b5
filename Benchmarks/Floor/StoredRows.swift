/// How many rows resources have in a file, counted table by table: what a floor must have read.
struct StoredRows {
    private var counts: [Int64: Int] = [:]

    init(_ path: String) throws {
        let database = try RawDatabase(path)
        for table in try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_*'").compactMap({ $0[0] }) {
            try database.forEachInteger("SELECT _k >> 24 FROM \"\(table)\"") { counts[$0, default: 0] += 1 }
        }
    }

    var total: Int { counts.values.reduce(0, +) }

    /// The rows of resources, one with a number that comes twice counting twice.
    func count(of roots: [Int64]) -> Int { roots.reduce(0) { $0 + counts[$1, default: 0] } }
}
