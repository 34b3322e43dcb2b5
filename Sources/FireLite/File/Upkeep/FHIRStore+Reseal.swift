import FireLiteCore
import FireLiteSQLiteBridge

extension FHIRStore {
    /// What `reseal` verified and wrote.
    public struct ResealReport: Sendable, Equatable {
        /// How many resources have the digest they were stored with.
        public let resources: Int
        /// How many pages the file has, each with its own checksum now.
        public let pages: Int
    }

    /// Writes the checksums of a store's pages again, in place, after another program has written to the file.
    ///
    /// A program that does not know the checksums, such as one that replicates the file, leaves pages with checksums that are not theirs, and
    /// they are refused from then on. This looks for damage first, as `check()` does: SQLite's own integrity check, the owner of every row, and
    /// the digest of every resource. If it finds any, nothing is written. Otherwise all pages are written in one transaction (`VACUUM`).
    /// Documentation/Replicas.md says how to set up programs that replicate.
    ///
    /// - Parameters:
    ///   - path: a store that nothing has open.
    ///   - configuration: default as for opening; `checksPages` and `access` do not count.
    /// - Complexity: reads the whole file three times and writes it twice; needs room for two more copies on the disk for a while.
    /// - Throws: `FHIRStoreError`: `notAStore` if the file is damaged, `busy` if another connection uses it, `invalidArgument` if its pages have
    ///   no room for checksums, `cannotOpen`, `wrongRelease`, `newerFormat`, `diskFull`.
    @discardableResult
    public static func reseal(
        path: String, release: FHIRRelease, configuration: Configuration = Configuration()
    ) throws -> ResealReport {
        guard path != ":memory:" else { throw FHIRStoreError(.invalidArgument, "a store in memory has no pages in a file to reseal") }
        guard configuration.key == nil else {
            throw FHIRStoreError(
                .invalidArgument, "\(path): pages of an encrypted store have SQLCipher's own codes: there is nothing to reseal")
        }
        do {
            try verifyThere(path)
            try rewrite(path, release, configuration)
            return try verified(path)
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: path)
        }
    }

    /// Opening would make a file that is not there.
    private static func verifyThere(_ path: String) throws {
        _ = try Connection.open(path, isReadOnly: true, createsFile: false, key: nil, pageChecksums: .unverified)
    }

    private static func rewrite(_ path: String, _ release: FHIRRelease, _ given: Configuration) throws {
        var configuration = given
        configuration.checksPages = false
        let (writer, identity) = try StoreOpener(path: path, release: release, configuration: configuration).open()
        let connection = writer.access.connection
        guard connection.hasPageChecksums else {
            throw FHIRStoreError(.invalidArgument, "the pages of \(path) have no room for checksums: there is nothing to reseal")
        }
        // The lock that this write takes is kept, so that what is verified is what is rewritten.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT")
        let faults = try StoreCheck(writer.access, digestKey: identity.digestKey).run()
        if let fault = faults.first {
            throw FHIRStoreError(
                .notAStore,
                "\(path) is damaged and was left as it is (\(faults.count) fault\(faults.count == 1 ? "" : "s"), the first: \(fault)): restore a "
                    + "backup, or salvage it with `firelite recover`")
        }
        try connection.withAttachedDatabases(1) {
            try connection.execute("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Reads every page with its checksum compared.
    private static func verified(_ path: String) throws -> ResealReport {
        let connection = try Connection.open(path, createsFile: false, key: nil)
        guard try connection.text("PRAGMA integrity_check") == "ok" else {
            throw FHIRStoreError(.disk, "\(path): what was written does not read back: check the disk")
        }
        return ResealReport(
            resources: try Registry.count(connection),
            pages: Int(try connection.integer("PRAGMA page_count") ?? 0))
    }
}
