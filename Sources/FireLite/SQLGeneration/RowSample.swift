/// Estimates numbers of rows in a large file, where counting the rows of a table takes long and cannot be ended midway.
package enum RowSample {
    /// Up to this number of resources in the file, counting them takes no longer than a sample is worth.
    package static let leastSampled = 300_000
    /// The number of resources that are looked up.
    private static let size: Int64 = 500

    /// The statement that estimates the number of rows that resources have in a table: their keys have the resource's number in the upper bits, and of
    /// so many numbers in a row one, which the pattern of the numbers does not determine, is looked up.
    ///
    /// - Parameters:
    ///   - table: the table's name, quoted.
    ///   - newest: the number of the newest resource.
    ///   - areRoots: whether only the resources' own rows count.
    package static func statement(_ table: String, newest: Int64, areRoots: Bool) -> String {
        let step = max(1, newest / size)
        let probes = max(1, (newest + step - 1) / step)
        let rows = areRoots ? "t._k = p.root << 24 AND t._parent IS NULL" : "t._k BETWEEN p.root << 24 AND (p.root << 24) + 16777215"
        // The multiplier of Knuth's multiplicative hash (The Art of Computer Programming, 6.4).
        return """
            WITH RECURSIVE number(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i + 1 < \(probes)), \
            probe(root) AS (SELECT 1 + i * \(step) + i * 2654435761 % \(step) FROM number) \
            SELECT count(*) * \(step) FROM probe p CROSS JOIN \(table) t ON \(rows)
            """
    }
}
