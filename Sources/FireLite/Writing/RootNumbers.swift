import FireLiteCore
import FireLiteSQLiteBridge

/// The numbers of resources: counted up in `_meta`, and never reused. A connection that adds few resources in each of many writes takes numbers for several
/// (``ReservedRoots``), so some are never used at all.
enum RootNumbers {
    /// The highest number.
    static let maximum = RowKey.lastRoot

    /// The number of the next resource; nil if the file's value is invalid.
    static func next(_ connection: Connection) throws -> Int64? {
        let statement = try connection.cached("SELECT value FROM _meta WHERE key = 'nextRoot'")
        defer { statement.reset() }
        guard try statement.step(), statement.type(0) == .integer else { return nil }
        let next = statement.int(0)
        return next >= 1 && next <= maximum + 1 ? next : nil
    }

    static func store(_ next: Int64, _ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES ('nextRoot', ?)")
        statement.bind(1, next)
        try statement.run()
    }

    /// Whether the next number and all after it are unused.
    static func areSound(_ connection: Connection) throws -> Bool {
        guard let next = try next(connection) else { return false }
        return try Registry.greatestRoot(connection) < next
    }

    /// Continues after the highest used number if the next one is in use or invalid, so that resources can be added again.
    static func mend(_ connection: Connection) throws {
        guard try !areSound(connection) else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            if try !areSound(connection) { try store(max(Registry.greatestRoot(connection), 0) &+ 1, connection) }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            throw error
        }
    }
}
