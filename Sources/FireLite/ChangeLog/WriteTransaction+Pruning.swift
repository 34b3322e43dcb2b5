import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension WriteTransaction {
    /// Deletes old versions from the history. The change log keeps what its readers still need.
    ///
    /// The versions of an id form one sequence, whether or not the resource was deleted and stored again in between.
    ///
    /// - Parameters:
    ///   - date: delete only versions that were replaced before then. Default: any.
    ///   - count: the number of old versions of each resource to keep. Default: none.
    /// - Returns: the number of deleted versions and records of when resources were added.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func pruneHistory(replacedBefore date: Date? = nil, keeping count: Int = 0) throws -> Int {
        misuse(unless: count >= 0, "the number of versions to keep is 0 or more")
        return try perform {
            guard hasChangeTable else { return 0 }
            let selection = PruneSelection(replacedBefore: date, keeping: count, besides: try neededByLog(), isNeeded: false)
            // All of them are chosen before any is gone, as whether one may go depends on those after it.
            let deletions = try sequences(selection, "kind = 2 AND digest IS NOT NULL")
            return try thinning {
                var pruned = try changeTable.delete(
                    "seq IN (SELECT seq FROM _change WHERE kind <> 2 AND \(selection.condition))", selection.arguments)
                let history = try trackingSettings().history
                for sequence in deletions {
                    try Cancellation.check()
                    pruned += try prune(deletion: sequence, history)
                }
                return pruned
            }
        }
    }

    /// Runs `body`, which takes rows out of the log on purpose, so that these do not count as lost. If it throws, it has taken none.
    func thinning<Value>(_ body: () throws -> Value) throws -> Value {
        let settings = try trackingSettings()
        guard var mark = settings.mark else { return try body() }
        let start = max(settings.start, mark.first)
        let numbers = start..<max(start, nextTracked ?? settings.next)
        let before = try changeTable.missing(in: numbers)
        return try writer.atomically([]) {
            let value = try body()
            let after = try changeTable.missing(in: numbers)
            if after != before {
                mark.add(ChangeLogMark.remaining(after, without: before))
                try setMark(mark)
            }
            return value
        }
    }

    /// What `pruneHistory` with the same arguments leaves because the log of changes needs it.
    ///
    /// - Returns: the number of entries, and the reader that has acknowledged least; nil if the log has no reader.
    package func historyNeededByLog(
        replacedBefore date: Date? = nil, keeping count: Int = 0
    ) throws -> (entries: Int, reader: (name: String, sequence: Int64)?) {
        try perform {
            guard hasChangeTable, let needed = try neededByLog() else { return (0, nil) }
            let selection = PruneSelection(replacedBefore: date, keeping: count, besides: needed, isNeeded: true)
            let reader = try changeTable.readers().min { $0.sequence < $1.sequence }
            return (try sequences(selection, "(kind <> 2 OR digest IS NOT NULL)").count, reader)
        }
    }

    /// The number of the last entry that no reader of the log needs any more; nil if there is no log.
    private func neededByLog() throws -> Int64? {
        let settings = try trackingSettings()
        if settings.changes.isEmpty { return nil }
        return try changeTable.readers().map(\.sequence).min() ?? settings.start - 1
    }

    private func sequences(_ selection: PruneSelection, _ condition: String) throws -> [Int64] {
        let statement = try access.connection.cached("SELECT seq FROM _change WHERE \(condition) AND \(selection.condition) ORDER BY seq")
        defer { statement.reset() }
        statement.bind(selection.arguments)
        var sequences: [Int64] = []
        while try statement.step() { sequences.append(statement.int(0)) }
        return sequences
    }

    /// Takes the content out of a deletion's row, and keeps the number of its version for a resource with the same id, if the type has a history.
    private func prune(deletion sequence: Int64, _ history: TrackedTypes) throws -> Int {
        guard let row = try changeTable.rows("seq = ?", [.integer(sequence)]).first else { return 0 }
        guard let type = row.typeName, let id = row.id, history.contains(type) else {
            return try changeTable.delete("seq = ?", [.integer(sequence)])
        }
        try changeTable.keepNumber(sequence, type, id: id, digestKey: store.identity.digestKey)
        return 1
    }
}

/// Rows of `_change` that may be pruned, as a condition.
private struct PruneSelection {
    private(set) var condition = "1"
    private(set) var arguments: [SQLValue] = []

    /// - Parameters:
    ///   - needed: the number of the last entry that the log does not need any more; nil if there is no log.
    ///   - isNeeded: whether the log needs them.
    init(replacedBefore date: Date?, keeping count: Int, besides needed: Int64?, isNeeded: Bool) {
        if let date { add("time < ?", .integer(Int64(clamping: Int(date.timeIntervalSince1970 * 1_000)))) }
        // The log has no changes of servers.
        if let needed { add(isNeeded ? "(seq > ? AND origin IS NULL)" : "(seq <= ? OR origin IS NOT NULL)", .integer(needed)) }
        guard count > 0 else { return }
        // There are as many old versions after it: of the same resource, or of another one that has had its id before or since.
        add(
            """
            EXISTS (
              SELECT 1 FROM _change later WHERE later.root = _change.root AND later.seq > _change.seq AND later.digest IS NOT NULL
              UNION ALL
              SELECT 1 FROM _change later WHERE later.type = _change.type AND later.id = _change.id AND later.root <> _change.root
                AND later.seq > _change.seq AND later.digest IS NOT NULL
              LIMIT 1 OFFSET ?)
            """, .integer(Int64(count - 1)))
    }

    private mutating func add(_ text: String, _ argument: SQLValue) {
        condition += " AND " + text
        arguments.append(argument)
    }
}
