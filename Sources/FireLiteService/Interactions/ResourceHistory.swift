import FireLite
import FireLiteCore
import Foundation

/// Finds the versions of one resource in the table `_change` one by one: a resource may have any number of them.
///
/// A resource that was deleted and stored again has another number in the store (`root`), so its history is that of several.
struct ResourceHistory {
    let store: FHIRStore
    let transaction: ReadTransaction
    let type: String
    let id: String

    /// The rows of a number of the resource.
    private struct Span {
        let root: Int64
        let last: Int64
        /// Whether it was there before the history.
        let isOlder: Bool
        /// Whether the last row is a deletion whose content is kept.
        let isDeleted: Bool
        /// Whether of the last row only the number of the version is kept.
        let isPruned: Bool
    }

    /// Whether the file has what this needs. A store that never kept a history has not.
    var isPossible: Bool { get throws { try HistoryScan(store: store, type: type).isPossible } }

    /// The numbers of the resource, the newest first.
    var roots: [Int64] { get throws { try spans.map(\.root).reversed() + (unrecorded.map { [$0] } ?? []) } }

    /// The number of the stored resource if nothing was recorded of it.
    private var unrecorded: Int64? {
        get throws {
            guard let root = try stored?.root else { return nil }
            let rows = try store.sql("SELECT 1 FROM _change WHERE root = ? LIMIT 1", arguments: [.integer(root)])
            return rows.isEmpty ? root : nil
        }
    }

    private var stored: (root: Int64, revision: Int64)? { get throws { try transaction.registered(type, id: id) } }

    /// The numbers with rows, the oldest first. Each begins after the end of the one before, so they are found without looking at every row.
    private var spans: [Span] {
        get throws {
            var spans: [Span] = []
            var last: Int64 = 0
            while let root = try firstRoot(after: last), let span = try span(root), span.last > last {
                spans.append(span)
                last = span.last
            }
            // Of what was added and not changed since, only the number tells which it is.
            if let root = try stored?.root, spans.last?.root != root, let span = try span(root) { spans.append(span) }
            return spans
        }
    }

    private func firstRoot(after sequence: Int64) throws -> Int64? {
        try store.sql(
            "SELECT root FROM _change WHERE type = ? AND id = ? AND seq > ? ORDER BY seq LIMIT 1",
            arguments: [.text(type), .text(id), .integer(sequence)]
        ).first?[0].integer
    }

    private func span(_ root: Int64) throws -> Span? {
        let columns = "seq, kind, digest IS NULL"
        let first = try store.sql("SELECT \(columns) FROM _change WHERE root = ? ORDER BY seq LIMIT 1", arguments: [.integer(root)]).first
        let last = try store.sql("SELECT \(columns) FROM _change WHERE root = ? ORDER BY seq DESC LIMIT 1", arguments: [.integer(root)])
            .first
        guard let first, let last, let number = last[0].integer else { return nil }
        let isGone = last[1].integer == 2
        return Span(
            root: root, last: number, isOlder: first[1].integer != 0, isDeleted: isGone && last[2].integer == 0,
            isPruned: isGone && last[2].integer != 0)
    }

    // MARK: - Questions

    /// Whether the last that is known of the resource is its deletion.
    var isDeleted: Bool {
        get throws {
            guard try stored == nil else { return false }
            guard try isPossible else { return try transaction.history(typeName: type, id: id).first?.isDeleted ?? false }
            return try spans.last?.isDeleted ?? false
        }
    }

    /// The number of versions and deletions.
    var total: Int {
        get throws {
            var total = try stored == nil ? 0 : 1
            for span in try spans {
                let count = try store.sql("SELECT count(*) FROM _change WHERE root = ?", arguments: [.integer(span.root)]).first?[0].integer
                // A row of an addition is no version: the next has it.
                total += Int(count ?? 0) - (span.isOlder ? 0 : 1) - (span.isPruned ? 1 : 0) + (span.isDeleted ? 1 : 0)
            }
            return total
        }
    }

    /// A version by its number; nil if there is none.
    func version(_ number: Int64) throws -> (place: VersionPlace, storedAt: Date?)? {
        func time(_ root: Int64, before sequence: Int64) throws -> Date? {
            let rows = try store.sql(
                "SELECT time FROM _change WHERE root = ? AND seq < ? ORDER BY seq DESC LIMIT 1",
                arguments: [.integer(root), .integer(sequence)])
            return rows.first?[0].integer.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
        }
        if let stored = try stored, stored.revision == number {
            return (.stored(stored.root), try time(stored.root, before: .max))
        }
        for root in try roots {
            let rows = try store.sql(
                "SELECT seq FROM _change WHERE root = ? AND revision = ? AND digest IS NOT NULL LIMIT 1",
                arguments: [.integer(root), .integer(number)])
            if let sequence = rows.first?[0].integer { return (.replaced(sequence), try time(root, before: sequence)) }
        }
        return nil
    }
}
