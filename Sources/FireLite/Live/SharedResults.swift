import FireLiteCore
import Foundation

/// The results of observed queries by their statements, so that equal queries run once for each commit.
final class SharedResults: @unchecked Sendable {
    // `lock` guards the variables; each entry has a lock of its own, held while its statement runs.
    private let lock = NSLock()
    private var entries: [Key: Entry] = [:]

    /// Beyond this number of different queries the oldest results are forgotten.
    private static let capacity = 1_000

    private struct Key: Hashable {
        let sql: String
        let arguments: [SQLValue]
    }

    private final class Entry {
        let lock = NSLock()
        /// The number of commits that had been announced before the statement's transaction began; -1 before it ran.
        var announced = -1
        var keys: [ResultKey] = []
    }

    /// The results of a query, from the statement of an equal one if that has run since the last commit.
    ///
    /// - Parameters:
    ///   - announced: the number of commits announced before the transaction began, whose changes it must see.
    ///   - isFirst: whether an observer reads for the first time. It then gets what is stored now, including commits of others that
    ///     nobody has noticed yet.
    func keys(
        of request: QueryRequest, _ transaction: ReadTransaction, since announced: Int, isFirst: Bool, _ check: () throws -> Void
    ) throws -> [ResultKey] {
        guard let statement = try transaction.statement(request), !statement.hasTwoParts else {
            return try transaction.keys(request, check)
        }
        let fragment = try statement.keys().statement
        let entry = entry(Key(sql: fragment.sql, arguments: fragment.arguments))
        entry.lock.lock()
        defer { entry.lock.unlock() }
        if !isFirst, entry.announced >= announced, try isCurrent(entry.keys, transaction) {
            transaction.noteTables(of: fragment.sql)
            return entry.keys
        }
        entry.announced = -1
        entry.keys = try transaction.keys(request, check)
        entry.announced = announced
        return entry.keys
    }

    /// Whether the transaction's snapshot has the resources in the same revisions.
    private func isCurrent(_ keys: [ResultKey], _ transaction: ReadTransaction) throws -> Bool {
        for key in keys where try transaction.access.registry.registration(root: key.root)?.revision != key.revision { return false }
        return true
    }

    private func entry(_ key: Key) -> Entry {
        lock.lock()
        defer { lock.unlock() }
        if let known = entries[key] { return known }
        if entries.count >= Self.capacity { entries.removeAll() }
        let entry = Entry()
        entries[key] = entry
        return entry
    }
}
