import Foundation

/// The records that requests in the store's outbox are about.
enum PendingRecords {
    /// Reads the outbox, if the file has one: the type and id of an update, patch or deletion, of the body of a create, and of the entries
    /// of a Bundle. The content of sealed requests is not known.
    ///
    /// Every read of records asks for it, so it is kept until something is committed.
    ///
    /// - Throws: `FHIRStoreError`.
    static let inOutbox: @Sendable (ReadTransaction) throws -> Set<RecordKey> = { tx in
        try tx.remembered("records.pending") { try read(tx) }
    }

    private static func read(_ tx: ReadTransaction) throws -> Set<RecordKey> {
        guard try !tx.store.sql("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_outbox'").isEmpty else { return [] }
        var keys: Set<RecordKey> = []
        for row in try tx.store.sql("SELECT path, body FROM _outbox") {
            if let key = key(row[0].text ?? "") { keys.insert(key) } else { keys.formUnion(inBody(row[1])) }
        }
        return keys
    }

    /// `Type/id` at the beginning of a path.
    private static func key(_ path: String) -> RecordKey? {
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        guard parts.count >= 2, let first = parts[0].first, first.isUppercase, !parts[1].hasPrefix("$") else { return nil }
        return RecordKey(String(parts[0]), id: String(parts[1]))
    }

    private static func inBody(_ body: SQLValue) -> Set<RecordKey> {
        guard let object = try? JSONSerialization.jsonObject(with: body.data) as? [String: Any] else { return [] }
        return Set(keys(object))
    }

    private static func keys(_ object: [String: Any]) -> [RecordKey] {
        if object["resourceType"] as? String == "Bundle", let entries = object["entry"] as? [[String: Any]] {
            return entries.flatMap { entry in
                let request = entry["request"] as? [String: Any]
                let named = (request?["url"] as? String).flatMap(key).map { [$0] } ?? []
                return named + ((entry["resource"] as? [String: Any]).map(keys) ?? [])
            }
        }
        guard let type = object["resourceType"] as? String, let id = object["id"] as? String else { return [] }
        return [RecordKey(type, id: id)]
    }
}
