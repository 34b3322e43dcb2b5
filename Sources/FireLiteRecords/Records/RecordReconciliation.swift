import FireLiteCore

/// Updates rows of `_record` after writes by store objects without records.
struct RecordReconciliation {
    let keeper: RecordKeeper
    let tx: WriteTransaction

    func run() throws -> Int {
        // The tables must be there for the comparison.
        try tx.run(on: RecordTables.records.module, "UPDATE _record SET root = root WHERE 0")
        let time = keeper.now
        var count = 0
        for row in try rows(
            """
            SELECT root, type, id FROM _record WHERE deleted IS NULL AND root NOT IN (SELECT root FROM _resource)
            """)
        {
            try RecordTables.records.shred(row[0].integer ?? 0, tx)
            try tx.run(
                on: RecordTables.records.module, "UPDATE _record SET deleted = ?, updated = ?, revision = 0 WHERE root = ?",
                [.integer(time), .integer(time), row[0]])
            count += 1
        }
        count += try tx.run(
            on: RecordTables.records.module,
            """
            UPDATE _record SET updated = ?, version = version + 1, revision = (SELECT s.revision FROM _resource s WHERE s.root = _record.root)
            WHERE deleted IS NULL AND root NOT IN (SELECT owner FROM _record_key)
            AND revision <> (SELECT s.revision FROM _resource s WHERE s.root = _record.root)
            """, [.integer(time)])
        for row in try rows(
            """
            SELECT r.root, s.type, r.revision FROM _resource r JOIN _shape s USING (shape)
            WHERE r.root NOT IN (SELECT root FROM _record)
            """)
        {
            guard let root = row[0].integer, let type = row[1].text, let id = try id(root, type) else { continue }
            try keeper.begin(root, type: type, id: id, revision: row[2].integer ?? 1, time: time, tx: tx)
            count += 1
        }
        return count
    }

    private func rows(_ sql: String) throws -> [SQLRow] { try tx.rows(of: RecordTables.records.module, sql) }

    /// The id of a resource; nil if it has none.
    private func id(_ root: Int64, _ type: String) throws -> String? {
        guard tx.store.release.resourceLayout(named: type) != nil else { return nil }
        return try rows("SELECT id FROM \"\(type)\" WHERE _k = \(RowKey.key(root))").first?[0].text
    }
}
