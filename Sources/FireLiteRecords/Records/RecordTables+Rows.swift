import Foundation

// The SQL that records and app data share.

extension RecordTables {
    // MARK: - Rows

    /// The row with a number; nil if there is none.
    func row(_ number: Int64, _ tx: ReadTransaction) throws -> RecordRow? {
        try tx.rows(of: module, "SELECT \(key), \(RecordRow.columns) FROM \(name) WHERE \(key) = ?", [.integer(number)]).first
            .map { RecordRow($0) }
    }

    /// What tables have about a record that was not deleted.
    struct Parts {
        var row: RecordRow
        let isSealed: Bool
        /// In the clear, sorted.
        var annotations: [String]
    }

    /// The parts of the records with these numbers, by number; none for those without a row.
    func parts(_ numbers: some Sequence<Int64>, _ tx: ReadTransaction) throws -> [Int64: Parts] {
        let numbers = ValueList.rows(numbers.map { .integer($0) })
        let rows = try tx.rows(
            of: module,
            """
            SELECT r.\(raw: key), \(raw: RecordRow.columns), k.owner FROM \(raw: name) r
            LEFT JOIN \(raw: name)_key k ON k.owner = r.\(raw: key) WHERE r.\(raw: key) IN (\(numbers))
            """)
        var parts: [Int64: Parts] = [:]
        parts.reserveCapacity(rows.count)
        for row in rows {
            parts[row[0].integer ?? 0] = Parts(row: RecordRow(row), isSealed: row[RecordRow.width] != .null, annotations: [])
        }
        // By themselves, as a join would repeat the record's columns for each.
        let texts = try tx.rows(
            of: module,
            "SELECT owner, text FROM \(raw: name)_annotation WHERE owner IN (\(numbers)) AND keyed = 0 ORDER BY owner, text")
        for row in texts { if let text = row[1].text { parts[row[0].integer ?? 0]?.annotations.append(text) } }
        return parts
    }

    /// The tombstone of a type and id; nil if there is none. If there are several, the last one deleted.
    func tombstone(_ type: String, _ id: String, _ tx: ReadTransaction) throws -> RecordRow? {
        try tx.rows(
            of: module,
            """
            SELECT \(key), \(RecordRow.columns) FROM \(name) WHERE type = ? AND id = ? AND deleted IS NOT NULL
            ORDER BY deleted DESC, \(key) DESC LIMIT 1
            """, [.text(type), .text(id)]
        ).first.map { RecordRow($0) }
    }

    /// Which of these ids of a type have tombstones.
    func tombstoned(_ type: String, _ ids: [String], _ tx: ReadTransaction) throws -> Set<String> {
        let rows = try tx.rows(
            of: module,
            """
            SELECT id FROM \(raw: name) WHERE type = \(bind: .text(type)) AND id IN (\(ValueList.rows(ids.map { .text($0) })))
            AND deleted IS NOT NULL
            """)
        return Set(rows.compactMap { $0[0].text })
    }

    /// Runs a statement that inserts rows, several at a time: starting and ending it costs as much as a row.
    func insert(_ rows: [[SQLValue]], _ insertion: String, _ tx: WriteTransaction) throws {
        guard let width = rows.first?.count else { return }
        let row = "(" + Array(repeating: "?", count: width).joined(separator: ", ") + ")"
        var next = 0
        while next < rows.count {
            let count = rows.count - next < Self.rowsTogether ? 1 : Self.rowsTogether
            let sql = insertion + " VALUES " + Array(repeating: row, count: count).joined(separator: ", ")
            try tx.run(on: module, sql, Array(rows[next..<next + count].joined()))
            next += count
        }
    }

    private static let rowsTogether = 8

    // MARK: - Annotations

    /// Adds the same annotations, in the clear, to records that have none.
    func addAnnotations(_ texts: [String], of numbers: [Int64], _ tx: WriteTransaction) throws {
        let rows: [[SQLValue]] = numbers.flatMap { number in texts.map { [.integer(number), .text($0), .integer(0)] } }
        try insert(rows, "INSERT INTO \(name)_annotation(owner, text, keyed)", tx)
    }

    /// The annotations in the clear.
    func annotations(of number: Int64, _ tx: ReadTransaction) throws -> [String] {
        try tx.rows(of: module, "SELECT text FROM \(name)_annotation WHERE owner = ? AND keyed = 0 ORDER BY text", [.integer(number)])
            .compactMap { $0[0].text }
    }

    /// Replaces the annotations.
    ///
    /// - Parameters:
    ///   - isKeyed: whether they are keyed hashes instead of the annotations.
    ///   - isNew: whether the number has none yet.
    func setAnnotations(_ texts: [String], of number: Int64, isKeyed: Bool, isNew: Bool = false, _ tx: WriteTransaction) throws {
        if !isNew { try tx.run(on: module, "DELETE FROM \(name)_annotation WHERE owner = ?", [.integer(number)]) }
        for text in texts {
            try tx.run(
                on: module, "INSERT INTO \(name)_annotation(owner, text, keyed) VALUES (?, ?, ?)",
                [.integer(number), .text(text), .integer(isKeyed ? 1 : 0)])
        }
    }

    // MARK: - Keys and content

    /// The wrapped key of a sealed record; nil for others.
    func wrappedKey(of number: Int64, _ tx: ReadTransaction) throws -> (wrapped: WrappedKey, annotations: Data)? {
        try tx.rows(of: module, "SELECT common, wrapped, annotations FROM \(name)_key WHERE owner = ?", [.integer(number)]).first
            .map { row in (WrappedKey(commonID: row[0].text ?? "", bytes: row[1].data), row[2].data) }
    }

    func setKey(_ key: WrappedKey, annotations: Data, of number: Int64, _ tx: WriteTransaction) throws {
        try tx.run(
            on: module, "INSERT OR REPLACE INTO \(name)_key(owner, common, wrapped, annotations) VALUES (?, ?, ?, ?)",
            [.integer(number), .text(key.commonID), .blob([UInt8](key.bytes)), .blob([UInt8](annotations))])
    }

    /// The content of app data, or of a sealed resource.
    func content(of number: Int64, _ tx: ReadTransaction) throws -> Data? {
        try tx.rows(of: module, "SELECT content FROM \(name)_content WHERE owner = ?", [.integer(number)]).first.map { $0[0].data }
    }

    func setContent(_ content: Data, of number: Int64, _ tx: WriteTransaction) throws {
        try tx.run(
            on: module, "INSERT OR REPLACE INTO \(name)_content(owner, content) VALUES (?, ?)",
            [.integer(number), .blob([UInt8](content))])
    }

    /// Deletes the key and the content, so that the sealed content can no longer be opened.
    func shred(_ number: Int64, _ tx: WriteTransaction) throws {
        try tx.run(on: module, "DELETE FROM \(name)_key WHERE owner = ?", [.integer(number)])
        try tx.run(on: module, "DELETE FROM \(name)_content WHERE owner = ?", [.integer(number)])
    }

    /// Deletes everything about a record.
    func remove(_ number: Int64, _ tx: WriteTransaction) throws {
        try shred(number, tx)
        try tx.run(on: module, "DELETE FROM \(name)_annotation WHERE owner = ?", [.integer(number)])
        try tx.run(on: module, "DELETE FROM \(name) WHERE \(key) = ?", [.integer(number)])
    }

    /// Deletes tombstones, and returns their number.
    ///
    /// - Parameter time: only tombstones from before this time; nil for all.
    func purge(before time: Int64?, _ tx: WriteTransaction) throws -> Int {
        let condition = "deleted IS NOT NULL" + (time == nil ? "" : " AND deleted < ?")
        let arguments: [SQLValue] = time.map { [.integer($0)] } ?? []
        guard try tx.hasTables(of: module) else { return 0 }
        for table in ["annotation", "key", "content"] {
            try tx.run(
                on: module, "DELETE FROM \(name)_\(table) WHERE owner IN (SELECT \(key) FROM \(name) WHERE \(condition))", arguments)
        }
        return try tx.run(on: module, "DELETE FROM \(name) WHERE \(condition)", arguments)
    }
}

extension SQLValue {
    /// The bytes of a blob; empty for values of other classes.
    var data: Data { if case .blob(let bytes) = self { Data(bytes) } else { Data() } }
}
