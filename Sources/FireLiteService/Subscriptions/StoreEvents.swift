import FireLite
import FireLiteCore
import Foundation

/// A change of a resource, as the history of the store lists it, whoever made it.
struct StoreEvent: Sendable {
    enum Kind: Int64, Sendable {
        case create, update, delete

        /// The interaction by its name in a topic.
        var interaction: String {
            switch self {
            case .create: "create"
            case .update: "update"
            case .delete: "delete"
            }
        }
    }

    let sequence: Int64
    let kind: Kind
    let type: String
    /// The id; nil if only the stored resource has it.
    let id: String?
    /// The number of the version that was stored, or deleted.
    let version: Int64
    /// In milliseconds since 1970.
    let time: Int64
    let before: VersionPlace?
    let after: VersionPlace?
}

/// Walks the table `_change` forward: every change of a store with a history, in the order of commits.
struct StoreEvents {
    let store: FHIRStore

    /// The row after a row of the same resource, which has what that row stored.
    private static func next(_ column: String) -> String {
        "(SELECT n.\(column) FROM _change n WHERE n.root = c.root AND n.seq > c.seq ORDER BY n.seq LIMIT 1)"
    }

    private static let sql = """
        SELECT c.seq, c.root, c.kind, c.time, c.type, c.id, c.revision, c.digest IS NULL,
          \(next("seq")), \(next("type")), \(next("id")), \(next("revision")), \(next("digest IS NULL")),
          (SELECT r.revision FROM _resource r WHERE r.root = c.root),
          (SELECT s.type FROM _resource r JOIN _shape s ON s.shape = r.shape WHERE r.root = c.root)
        FROM _change c WHERE c.seq > ? ORDER BY c.seq LIMIT ?
        """

    /// The events after a change.
    ///
    /// - Returns: the events, the number up to which the log was read, whether there may be more, and what the log has lost in between. A change of which
    ///   a later change has pruned what it stored is left out.
    func after(
        _ sequence: Int64, limit: Int, _ transaction: ReadTransaction
    ) throws -> (events: [StoreEvent], last: Int64, isMore: Bool, lost: LostChanges?) {
        var events: [StoreEvent] = []
        var last = sequence
        var count = 0
        for row in try store.sql(Self.sql, arguments: [.integer(sequence), .integer(Int64(limit))]) {
            guard let number = row[0].integer else { continue }
            last = number
            count += 1
            if let event = Self.event(row, number) { events.append(event) }
        }
        let isMore = count == limit
        let lost = try transaction.lostChanges(after: sequence, through: isMore ? last : .max)
        if !isMore, let end = lost?.numbers.last?.upperBound { last = max(last, end) }
        return (events, last, isMore, lost)
    }

    private static func event(_ row: SQLRow, _ number: Int64) -> StoreEvent? {
        guard let root = row[1].integer, let kind = row[2].integer.flatMap({ StoreEvent.Kind(rawValue: $0) }), let time = row[3].integer
        else { return nil }
        let before: VersionPlace? = kind == .create || row[7].integer != 0 ? nil : .replaced(number)
        if kind == .delete {
            guard before != nil, let type = row[4].text, let version = row[6].integer else { return nil }
            return StoreEvent(
                sequence: number, kind: kind, type: type, id: row[5].text, version: version, time: time, before: before, after: nil)
        }
        if let next = row[8].integer {
            guard row[12].integer == 0, let type = row[9].text, let version = row[11].integer else { return nil }
            return StoreEvent(
                sequence: number, kind: kind, type: type, id: row[10].text, version: version, time: time, before: before,
                after: .replaced(next))
        }
        guard let version = row[13].integer, let type = row[14].text else { return nil }
        return StoreEvent(
            sequence: number, kind: kind, type: type, id: nil, version: version, time: time, before: before, after: .stored(root))
    }

    /// Where the content of a version is; nil if it is no longer kept.
    func place(of type: String, id: String, version: Int64, _ transaction: ReadTransaction) throws -> VersionPlace? {
        if let known = try transaction.registered(type, id: id), known.revision == version { return .stored(known.root) }
        let rows = try store.sql(
            "SELECT seq FROM _change WHERE type = ? AND id = ? AND revision = ? ORDER BY seq DESC LIMIT 1",
            arguments: [.text(type), .text(id), .integer(version)])
        return rows.first?[0].integer.map { .replaced($0) }
    }
}
