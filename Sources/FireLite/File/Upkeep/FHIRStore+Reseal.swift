import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// The result of `reseal`.
    public struct ResealReport: Sendable, Equatable {
        /// The number of resources verified by their digest.
        public let resources: Int
        /// The number of pages, each now with a correct checksum.
        public let pages: Int
    }

    /// Rewrites the checksums of a store's pages, in place, after another program has written to the file.
    ///
    /// A program that does not update the checksums, such as one that replicates the file, leaves pages with wrong checksums, which
    /// are refused from then on. This method first checks for damage, as `check()` does: SQLite's integrity check, the owner of every row, and
    /// the digest of every resource. If it finds any, nothing is written. Otherwise all pages are written in one transaction (`VACUUM`).
    /// <doc:Replicas> explains how to set up replication.
    ///
    /// - Parameters:
    ///   - file: a store that is not open anywhere.
    ///   - release: the FHIR release of its resources.
    ///   - configuration: as for opening; `checksPages` and `access` are ignored.
    ///   - progress: receives the progress of checking and of rewriting. Default: none.
    /// - Complexity: reads the whole file three times and writes it twice; temporarily needs disk space for two more copies.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `notAStore` if the file is damaged, `busy` if another connection uses it, `invalidArgument` if its pages have
    ///   no room for checksums, `cannotOpen`, `wrongRelease`, `newerFormat`, `diskFull`.
    @discardableResult
    public static func reseal(
        _ file: URL, release: FHIRRelease, configuration: Configuration = Configuration(), progress: StoreProgressHandler? = nil
    ) throws -> ResealReport {
        let path = file.filePath
        guard configuration.key == nil else {
            throw FHIRStoreError(
                .invalidArgument,
                "\(path): an encrypted store has SQLCipher's authentication codes instead of checksums: there is nothing to reseal")
        }
        do {
            try verifyThere(path)
            try rewrite(path, release: release, configuration: configuration, progress: progress)
            return try verified(path)
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: path)
        }
    }

    /// Opening would create a missing file.
    private static func verifyThere(_ path: String) throws {
        _ = try Connection.open(path, isReadOnly: true, createsFile: false, key: nil, pageChecksums: .unverified)
    }

    private static func rewrite(
        _ path: String, release: FHIRRelease, configuration given: Configuration, progress: StoreProgressHandler?
    ) throws {
        var configuration = given
        configuration.checksPages = false
        let (writer, identity) = try StoreOpener(path: path, release: release, configuration: configuration).open()
        let connection = writer.access.connection
        guard connection.hasPageChecksums else {
            throw FHIRStoreError(.invalidArgument, "the pages of \(path) have no room for checksums: there is nothing to reseal")
        }
        try connection.untilCancelled { try rewrite(path, writer.access, digestKey: identity.digestKey, progress: progress) }
    }

    private static func rewrite(
        _ path: String, _ access: StoreConnection, digestKey: UInt64, progress: StoreProgressHandler?
    ) throws {
        let connection = access.connection
        // The lock of this write is kept, so that the verified content is what is rewritten.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT")
        // Missing payloads are no reason to keep pages without checksums.
        let faults = try StoreCheck(access, digestKey: digestKey, payloads: nil, progress).run()
            .filter { ![.payload, .checksum].contains($0.kind) }
        if let fault = faults.first {
            throw FHIRStoreError(
                .notAStore,
                "\(path) is damaged and was not changed (\(faults.count) fault\(faults.count == 1 ? "" : "s"), the first: \(fault)): restore a "
                    + "backup, or use `firelite recover`")
        }
        try ProgressMeter(progress).measure(connection, { StoreProgress(.rewriting, $0, of: nil, .steps) }) {
            try connection.withAttachedDatabases(1) {
                try connection.execute("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
            }
        }
    }

    /// Reads every page and compares its checksum.
    private static func verified(_ path: String) throws -> ResealReport {
        let connection = try Connection.open(path, createsFile: false, key: nil)
        guard try connection.untilCancelled({ try connection.text("PRAGMA integrity_check") }) == "ok" else {
            throw FHIRStoreError(.disk, "\(path): written data cannot be read back: check the disk")
        }
        return ResealReport(
            resources: try Registry.count(connection),
            pages: Int(try connection.integer("PRAGMA page_count") ?? 0))
    }
}
