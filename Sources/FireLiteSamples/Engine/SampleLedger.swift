import FireLite
import Foundation

/// What the store's file knows about an external store: which samples it has, and how far sources were read for it.
struct SampleLedger: Sendable {
    /// What is known of a sample at the store.
    struct Known: Sendable {
        let digest: Int64
        let location: String?
    }

    /// The external store's name.
    let target: String
    /// Whether it is the store of the file itself, whose samples have rows of their own.
    let isLocal: Bool

    static func blob(_ uuid: UUID) -> SQLValue { withUnsafeBytes(of: uuid.uuid) { .blob([UInt8]($0)) } }

    static func uuid(_ value: SQLValue) -> UUID? {
        guard case .blob(let bytes) = value, bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    // MARK: - Reading

    func anchor(_ tx: ReadTransaction, source: String, type: SampleType) throws -> SampleAnchor? {
        let row = try tx.sampleRows(
            "SELECT anchor FROM _samples_anchor WHERE target = ? AND source = ? AND type = ?",
            [.text(target), .text(source), .text(type.rawValue)]
        ).first
        guard case .blob(let bytes)? = row?[0] else { return nil }
        return SampleAnchor(data: Data(bytes))
    }

    /// So many are looked up with a statement.
    private static let group = 64
    private static let localStatement =
        "SELECT uuid, digest FROM _samples WHERE start IS NOT NULL AND uuid IN (?" + String(repeating: ", ?", count: group - 1) + ")"
    private static let sentStatement =
        "SELECT uuid, digest, location FROM _samples_sent WHERE target = ? AND uuid IN (?" + String(repeating: ", ?", count: group - 1)
        + ")"

    func known(_ tx: ReadTransaction, _ uuids: [UUID]) throws -> [UUID: Known] {
        var known: [UUID: Known] = [:]
        var fixed: [SQLValue] = []
        if !isLocal {
            guard let number = try tx.sampleName("target", target) else { return [:] }
            fixed = [.integer(number)]
        }
        for start in stride(from: 0, to: uuids.count, by: Self.group) {
            // The last one fills up a short group.
            let values = (start..<start + Self.group).map { Self.blob(uuids[min($0, uuids.count - 1)]) }
            for row in try tx.sampleRows(isLocal ? Self.localStatement : Self.sentStatement, fixed + values) {
                guard let uuid = Self.uuid(row[0]), let digest = row[1].integer else { continue }
                known[uuid] = Known(digest: digest, location: isLocal ? nil : row[2].text)
            }
        }
        return known
    }

    // MARK: - Writing

    func save(_ tx: WriteTransaction, _ anchor: SampleAnchor?, source: String, type: SampleType) throws {
        guard let anchor else { return }
        let now = SampleTime.milliseconds(tx.store.clock.now())
        let place: [SQLValue] = [.text(target), .text(source), .text(type.rawValue)]
        let values: [SQLValue] = [.blob([UInt8](anchor.data)), .integer(now)]
        let changed = try tx.runSamples(
            "UPDATE _samples_anchor SET anchor = ?, saved = ? WHERE target = ? AND source = ? AND type = ?", values + place)
        if changed == 0 {
            try tx.runSamples("INSERT INTO _samples_anchor(target, source, type, anchor, saved) VALUES (?, ?, ?, ?, ?)", place + values)
        }
    }

    /// Notes what an external store has now.
    func note(_ tx: WriteTransaction, _ batch: SampleBatch, _ locations: [UUID: String]) throws {
        guard !batch.isEmpty else { return }
        let number = try tx.numberOfSampleName("target", target)
        for object in batch.deleted {
            try tx.runSamples("DELETE FROM _samples_sent WHERE target = ? AND uuid = ?", [.integer(number), Self.blob(object.uuid)])
        }
        for object in batch.added + batch.updated {
            let location = locations[object.uuid] ?? object.location
            try tx.runSamples(
                "INSERT OR REPLACE INTO _samples_sent(target, uuid, digest, location) VALUES (?, ?, ?, ?)",
                [.integer(number), Self.blob(object.uuid), .integer(object.digest), location.map { .text($0) } ?? .null])
        }
    }
}
