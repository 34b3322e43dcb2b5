import FireLiteSQLiteBridge
import Foundation

/// The tables that observed statements read, by the text of the statement.
final class StatementTables: @unchecked Sendable {
    // `lock` guards the variable.
    private let lock = NSLock()
    private var known: [String: Set<String>] = [:]

    /// A program observes few different statements; beyond this number they are forgotten and asked for again.
    private static let capacity = 1_000

    /// The tables that a statement reads; nil if that is not known.
    func tables(of sql: String, _ connection: Connection) -> Set<String>? {
        if let tables = lock.withLock({ known[sql] }) { return tables }
        guard let tables = connection.tablesRead(by: sql) else { return nil }
        lock.withLock {
            if known.count >= Self.capacity { known.removeAll() }
            known[sql] = tables
        }
        return tables
    }
}
