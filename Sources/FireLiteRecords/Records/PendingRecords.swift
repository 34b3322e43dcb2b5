import FireLiteCore
import Foundation

/// The records that requests in the store's outbox are about.
enum PendingRecords {
    /// Reads the outbox, if the file has one: the type and id of an update, patch or deletion, of the body of a create, and of the entries
    /// of a Bundle. A request that does not show which resource it is about, as its body is sealed, is not JSON or has no id, makes all resources
    /// of its type pending, and without a type all resources.
    ///
    /// Every read of records asks for it, so it is kept until something is committed.
    ///
    /// - Throws: `FHIRStoreError`.
    static let inOutbox: @Sendable (ReadTransaction) throws -> Set<RecordKey> = { tx in
        try tx.remembered("records.pending") { try read(tx) }
    }

    private static func read(_ tx: ReadTransaction) throws -> Set<RecordKey> {
        guard try !tx.store.sql("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_outbox'").isEmpty else { return [] }
        var requests = RequestedRecords()
        for row in try tx.store.sql("SELECT path, body, endpoint FROM _outbox") {
            requests.add(path: row[0].text ?? "", body: row[1], isSealed: !row[2].isNull)
        }
        var keys = requests.keys
        guard requests.isAny || !requests.types.isEmpty else { return keys }
        for type in try tx.counts().filter({ $0.count > 0 }).map(\.typeName) where requests.isAny || requests.types.contains(type) {
            for row in try tx.store.sql("SELECT id FROM \"\(type)\" WHERE id IS NOT NULL") {
                if let id = row[0].text { keys.insert(RecordKey(type, id: id)) }
            }
        }
        return keys
    }
}

/// What requests are about, as far as they show it.
private struct RequestedRecords {
    private(set) var keys: Set<RecordKey> = []
    /// The types of which a request is about resources that it does not show.
    private(set) var types: Set<String> = []
    /// Whether a request does not even show a type.
    private(set) var isAny = false

    mutating func add(path: String, body: SQLValue, isSealed: Bool) {
        if let key = Self.key(path) {
            keys.insert(key)
        } else if !isSealed, let content = try? JSONItemReader.read(body.data) {
            add(content, to: path)
        } else {
            addUnknown(Self.type(path))
        }
    }

    /// - Parameters:
    ///   - content: a resource in a request.
    ///   - path: that of the request.
    private mutating func add(_ content: JSONItem, to path: String) {
        switch content["resourceType"]?.text {
        case "Bundle" where Self.type(path) != "Bundle":
            for entry in content["entry"]?.items ?? [] { add(entry: entry) }
        case "Parameters":
            // What an operation changes is known to the server.
            addUnknown(Self.type(path))
        case let type?:
            if let id = content["id"]?.text { keys.insert(RecordKey(type, id: id)) } else { addUnknown(type) }
        case nil:
            addUnknown(Self.type(path))
        }
    }

    private mutating func add(entry: JSONItem) {
        let request = entry["request"]
        let url = request?["url"]?.text ?? ""
        guard request?["method"]?.text != "GET" else { return }
        let key = Self.key(url)
        if let key { keys.insert(key) }
        guard let resource = entry["resource"] else {
            if key == nil { addUnknown(Self.type(url)) }
            return
        }
        if key == nil || resource["id"] != nil { add(resource, to: url) }
    }

    private mutating func addUnknown(_ type: String?) { if let type { types.insert(type) } else { isAny = true } }

    /// `Type/id` at the beginning of a path.
    private static func key(_ path: String) -> RecordKey? {
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        guard parts.count >= 2, let first = parts[0].first, first.isUppercase, !parts[1].hasPrefix("$") else { return nil }
        return RecordKey(String(parts[0]), id: String(parts[1]))
    }

    /// The type at the beginning of a path.
    private static func type(_ path: String) -> String? {
        path.prefix { $0 != "?" }.split(separator: "/").first.flatMap { $0.first?.isUppercase == true ? String($0) : nil }
    }
}
