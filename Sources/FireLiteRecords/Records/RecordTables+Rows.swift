import Foundation

// The SQL that records and app data share.

extension RecordTables {
    // MARK: - Rows

    /// The row with a number; nil if there is none.
    func row(_ number: Int64, _ tx: ReadTransaction) throws -> RecordRow? {
        try tx.rows(of: module, "SELECT \(key), \(RecordRow.columns) FROM \(name) WHERE \(key) = ?", [.integer(number)]).first
            .map { RecordRow($0) }
    }

    /// What tables have about a record.
    struct Parts {
        let created: Int64?
        let updated: Int64?
        let deleted: Int64?
        let isSealed: Bool
        /// In the clear, sorted.
        fileprivate(set) var annotations: [String] = []
    }

    /// The parts of the records with these numbers, in their order; nil for those without a row.
    func parts(_ numbers: [Int64], _ tx: ReadTransaction) throws -> [Parts?] {
        var parts = [Parts?](repeating: nil, count: numbers.count)
        try tx.forEachRow(
            of: module, wanted: numbers,
            """
            SELECT wanted.place, r.created, r.updated, r.deleted, k.owner, a.text FROM wanted CROSS JOIN \(name) r ON r.\(key) = wanted.value
            LEFT JOIN \(name)_key k ON k.owner = r.\(key) LEFT JOIN \(name)_annotation a ON a.owner = r.\(key) AND a.keyed = 0
            """
        ) { place, row in
            if parts[place] == nil {
                parts[place] = Parts(
                    created: row.cell(1).integer, updated: row.cell(2).integer, deleted: row.cell(3).integer,
                    isSealed: row.cell(4).integer != nil)
            }
            if let text = row.cell(5).text { parts[place]?.add(text) }
        }
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

    /// The positions of those of these ids of a type that have tombstones.
    func tombstoned(_ type: String, _ ids: [String], _ tx: ReadTransaction) throws -> Set<Int> {
        var places: Set<Int> = []
        try tx.forEachRow(
            of: module, wanted: ids,
            """
            SELECT wanted.place FROM wanted CROSS JOIN \(name) r ON r.type = ? AND r.id = wanted.value WHERE r.deleted IS NOT NULL
            """, [.text(type)]
        ) { place, _ in places.insert(place) }
        return places
    }

    // MARK: - Annotations

    /// Adds the same annotations, in the clear, to records that have none.
    func addAnnotations(_ texts: [String], of numbers: [Int64], _ tx: WriteTransaction) throws {
        let sql = "INSERT INTO \(name)_annotation(owner, text, keyed) SELECT value, ?, 0 FROM wanted WHERE value IS NOT NULL"
        for start in stride(from: 0, to: numbers.count, by: Self.annotatedTogether) {
            let some = Array(numbers[start..<min(start + Self.annotatedTogether, numbers.count)])
            // One text after the other, as the index on texts has them.
            for text in texts { try tx.run(on: module, wanted: some, sql, [.text(text)]) }
        }
    }

    /// So many records are annotated together: the rows of one are then near each other.
    private static let annotatedTogether = 32

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

extension RecordTables.Parts {
    private static let usualAnnotations = 4

    /// Adds an annotation at its place. They are stored in their order, so that it is usually the last.
    fileprivate mutating func add(_ text: String) {
        if annotations.isEmpty { annotations.reserveCapacity(Self.usualAnnotations) }
        guard let last = annotations.last, text < last else { return annotations.append(text) }
        annotations.insert(text, at: annotations.firstIndex { text < $0 } ?? annotations.endIndex)
    }

    func metadata(isPending: Bool) -> RecordMetadata {
        RecordMetadata(created: created, updated: updated, deleted: deleted, isPending: isPending)
    }
}

extension SQLValue {
    /// The bytes of a blob; empty for values of other classes.
    var data: Data { if case .blob(let bytes) = self { Data(bytes) } else { Data() } }
}
