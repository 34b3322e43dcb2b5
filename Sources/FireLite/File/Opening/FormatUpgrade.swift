import FireLiteCore
import FireLiteSQLiteBridge

/// An upgrade of a file from one format to the next.
struct FormatUpgrade: Sendable {
    /// The format it starts from; the next one is one more.
    let from: Int64
    let run: @Sendable (Connection, FHIRRelease) throws -> Void

    /// All upgrades, by format. Format 1 is the first.
    static let all = [digestsOverNames]

    /// Upgrades a file to the format after the last upgrade, in one transaction: if anything fails, the file is unchanged.
    ///
    /// - Throws: `SQLiteError`; `FHIRStoreError.notAStore` for a format without an upgrade.
    static func run(_ upgrades: [FormatUpgrade], on connection: Connection, path: String, release: FHIRRelease) throws {
        guard let target = upgrades.last.map({ $0.from + 1 }) else { return }
        guard try connection.integer("PRAGMA user_version") ?? 0 < target else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been faster.
            var format = try connection.integer("PRAGMA user_version") ?? 0
            while format < target {
                guard let upgrade = upgrades.first(where: { $0.from == format }) else {
                    throw FHIRStoreError(.notAStore, "\(path) has format \(format), which no version of the library has written")
                }
                try upgrade.run(connection, release)
                format += 1
                try connection.run("PRAGMA user_version = \(format)")
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            throw error
        }
    }
}
