import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// Copies the store, as it is when the copy begins, to a new file, while others continue reading and writing.
    ///
    /// The copy appears when it is complete and on the disk, readable by its owner only (mode 0600). If anything
    /// fails, nothing appears and an existing file stays unchanged. Meanwhile the write-ahead log grows with what others write.
    /// - Parameters:
    ///   - file: the copy.
    ///   - replacing: whether to replace an existing database, which must not be open anywhere; an encrypted one needs the key of the copy or of
    ///     the store. Default: false.
    ///   - encryption: the encryption of the copy. Default: the same as the store's. A change from encrypted to plain, or back, copies
    ///     row by row instead of page by page.
    ///   - progress: called about every mebibyte with the number of pages copied; when copying row by row, with the steps of SQLite's virtual
    ///     machine. Default: none.
    /// - Returns: the payloads of attachments that the copy lacks, as the store does, with their resources; of kind `module`, tables that another
    ///   program has dropped; and, of kind `checksum`, pages of the store without a checksum, whose damage the copy may have and not show; empty if it
    ///   is complete.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `alreadyExists`, also if the existing file is not a database or none of the keys opens it;
    ///   `cannotOpen`, `diskFull`, `noEncryption`; `busy` if the existing file is open; `invalidArgument` if the copy is the store's own file or one that belongs to it.
    @discardableResult
    public func backup(
        to file: URL, replacing: Bool = false, encryption: BackupEncryption = .same, progress: StoreProgressHandler? = nil
    ) throws -> [StoreFinding] {
        let target = file.filePath
        let meter = ProgressMeter(progress)
        let targetKey = key(of: encryption)
        try targetKey?.verify(for: target)
        let keys = [targetKey, configuration.key].compactMap { $0 }
        let pending = try PendingFile(.database, path: target, replaces: replacing, database: path, keys: keys)
        // Files of payloads that the copy may refer to: those of now, and those that come meanwhile.
        try copyPayloadFiles(to: target)
        let payloads: PayloadInventory?
        let doubt: String?
        if (targetKey == nil) == (configuration.key == nil) {
            (payloads, doubt) = try copyPages(to: pending, targetKey, meter)
        } else {
            payloads = try read { try Self.payloads($0) }
            doubt = try copyRows(to: pending, targetKey, meter)
        }
        try copyPayloadFiles(to: target)
        try pending.finish()
        let lost = try read { tx in try mapping { try Self.lostTables(tx) } }
        let missing = (payloads?.missing(PayloadFolder(database: target)) ?? []) + lost
        guard let doubt else { return missing }
        return missing + [StoreFinding(.checksum, "\(doubt), so damage there is not noticed, and the copy may have it")]
    }

    private func copyPayloadFiles(to target: String) throws {
        guard let folder = PayloadFolder(self), try read({ tx in try mapping { try Self.hasPayloadFiles(tx) } }) else { return }
        try folder.copy(to: PayloadFolder(database: target))
    }

    /// Whether payloads can be in files, by a table of the module, which may be lost, or by what the file says of its modules.
    private static func hasPayloadFiles(_ transaction: ReadTransaction) throws -> Bool {
        let tables = LibraryModules.tables(of: "blobfile").map(\.name)
        if tables.contains(where: { transaction.access.schema.moduleDefinitions[$0] != nil }) { return true }
        return try ModuleRecord.all(transaction.access.connection).contains { $0.module == "blobfile" }
    }

    /// The tables of modules that the store has lost.
    private static func lostTables(_ transaction: ReadTransaction) throws -> [StoreFinding] {
        try ModuleRecord.all(transaction.access.connection).flatMap { record in
            record.tables.filter { transaction.access.schema.moduleDefinitions[$0] == nil }.map {
                StoreFinding(.module, table: $0, "the table \($0) of \(record.module) is missing")
            }
        }
    }

    /// The payloads that a snapshot's resources refer to; nil if it is too damaged to say.
    private static func payloads(_ transaction: ReadTransaction) throws -> PayloadInventory? {
        do {
            return try PayloadInventory(transaction.access.connection, transaction.access.schema)
        } catch let error as SQLiteError where error.isDamage {
            // Copying finds and reports it.
            return nil
        }
    }

    /// - Returns: the payloads of the snapshot, and a text about its pages without a checksum; nil for none.
    private func copyPages(to file: PendingFile, _ key: Secret?, _ meter: ProgressMeter) throws -> (PayloadInventory?, doubt: String?) {
        try read { transaction in
            let source = transaction.access.connection
            source.forgetPages()
            // The snapshot starts with the first statement that reads.
            let pageSize = try mapping {
                _ = try source.integer("SELECT count(*) FROM sqlite_master")
                return Int(try source.integer("PRAGMA page_size") ?? 0)
            }
            let pages = Int32(clamping: max((1 << 20) / max(pageSize, 512), 1))
            try mappingErrors(of: file.path) {
                let connection = try Connection.open(file.temporaryPath, createsFile: false, key: key)
                // Nothing must be undone: an incomplete file is deleted.
                try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                let backup = try Backup(from: source, to: connection)
                var isWhole = false
                while !isWhole {
                    try Cancellation.check()
                    isWhole = try !backup.step(pages: pages)
                    try meter.report(StoreProgress(.copying, backup.copiedPages, of: backup.pages, .pages))
                }
            }
            return (try mapping { try Self.payloads(transaction) }, UncheckedPages.text(source))
        }
    }

    /// - Returns: a text about pages of the store without a checksum; nil for none.
    private func copyRows(to file: PendingFile, _ key: Secret?, _ meter: ProgressMeter) throws -> String? {
        if configuration.access != .readWrite {
            // A read-only connection cannot write an attached file.
            let copy = try PendingFile(.database, path: file.temporaryPath + "-source", replaces: false, database: nil, in: file.folder)
            let (_, doubt) = try copyPages(to: copy, configuration.key, meter)
            try mappingErrors(of: file.path) {
                let source = try Connection.open(copy.temporaryPath, createsFile: false, key: configuration.key, isHardened: false)
                try export(source, to: file, key, meter)
            }
            return doubt
        }
        return try mappingErrors(of: file.path) {
            let source = try rowSource()
            try export(source, to: file, key, meter)
            return UncheckedPages.text(source)
        }
    }

    private func export(_ source: Connection, to file: PendingFile, _ key: Secret?, _ meter: ProgressMeter) throws {
        try source.untilCancelled {
            try meter.measure(source, { StoreProgress(.copying, $0, of: nil, .steps) }) {
                guard let key else { return try source.export(to: file.temporaryPath, key: nil) }
                try key.data.withBytes { try source.export(to: file.temporaryPath, key: $0) }
            }
        }
    }

    /// A connection that can attach another file, used for nothing else.
    private func rowSource() throws -> Connection {
        if path != ":memory:" {
            return try Connection.open(
                path, createsFile: false, key: configuration.key, pageChecksums: configuration.pageChecksums, isHardened: false)
        }
        let copy = try Connection(path: ":memory:", isHardened: false)
        try read { transaction in
            let backup = try Backup(from: transaction.access.connection, to: copy)
            while try backup.step(pages: -1) {}
        }
        return copy
    }

    private func mappingErrors<Value>(of path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            // The damage is in the source, not in the new file.
            throw FHIRStoreError(error, path: error.isChecksumMismatch ? self.path : path)
        }
    }

    /// Rewrites the file so that it has no free pages and adjacent rows of a table are stored side by side.
    ///
    /// Temporarily needs disk space for two more copies of the data. Only their owner can read the temporary files, which have no name.
    /// - Parameter progress: receives the steps of SQLite's virtual machine so far; SQLite does not say how many there will be. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `busy` if others use the file all the time, `diskFull`.
    public func vacuum(progress: StoreProgressHandler? = nil) throws {
        let meter = ProgressMeter(progress)
        try withWritingConnection { connection in
            // The copy of a large store would not fit in memory.
            try connection.execute("PRAGMA temp_store = FILE")
            // SQLite attaches the copy.
            let result = Result {
                try meter.measure(connection, { StoreProgress(.rewriting, $0, of: nil, .steps) }) {
                    try connection.withAttachedDatabases(1) { try connection.execute("VACUUM") }
                }
            }
            try connection.execute("PRAGMA temp_store = MEMORY")
            try result.get()
        }
    }

    /// How far a checkpoint goes (<https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>).
    public enum CheckpointMode: String, Sendable {
        /// As much as possible without waiting.
        case passive
        /// The whole log; waits for writers, and for readers of old snapshots.
        case full
        /// Like `full`, and waits until no reader needs the log, so that the next write starts it from the beginning.
        case restart
        /// Like `restart`, and truncates the log to zero bytes.
        case truncate
    }

    /// The result of a checkpoint.
    public struct CheckpointResult: Sendable, Equatable {
        /// The number of pages in the write-ahead log.
        public let logPages: Int
        /// The number of those pages that are now in the database file.
        public let movedPages: Int
        /// Whether the whole log is in the database file.
        public var isComplete: Bool { logPages == movedPages }
    }

    /// Moves the content of the write-ahead log to the database file. SQLite does so by itself every 1,000 pages.
    ///
    /// - Parameter mode: how much to move. Default: `passive`, which does not wait.
    /// - Throws: `FHIRStoreError`: `busy` if others prevented a mode that waits from finishing within the busy timeout; as much as possible
    ///   has been moved.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
        let end = DispatchTime.now() + .milliseconds(configuration.busyMilliseconds)
        while true {
            // Writers wait while SQLite waits for readers, so it waits in short steps.
            let (isBusy, result) = try withWritingConnection { connection in
                connection.setBusyTimeout(milliseconds: min(configuration.busyMilliseconds, 50))
                defer { connection.setBusyTimeout(milliseconds: configuration.busyMilliseconds) }
                let statement = try connection.prepare("PRAGMA wal_checkpoint(\(mode.rawValue))")  // From an enumeration.
                guard try statement.step() else { return (false, CheckpointResult(logPages: 0, movedPages: 0)) }
                let (log, moved) = (max(Int(statement.int(1)), 0), max(Int(statement.int(2)), 0))
                return (statement.int(0) != 0, CheckpointResult(logPages: log, movedPages: moved))
            }
            if !isBusy || mode == .passive { return result }
            guard DispatchTime.now() < end else {
                throw FHIRStoreError(.busy, "\(path) is in use, so its log could not be moved: end long reads and try again")
            }
            try Cancellation.check()
            usleep(10_000)
        }
    }

    /// Updates the statistics of tables whose size has changed much, so that SQLite plans queries well (`PRAGMA optimize`).
    ///
    /// Call it after large imports and occasionally in long-running programs. It reads at most a few hundred entries of each index.
    /// - Throws: `FHIRStoreError`.
    public func optimize() throws {
        try withWritingConnection { connection in
            // Before SQLite 3.18 the pragma does nothing.
            guard Connection.libraryNumber >= 3_018_000 else { return try connection.execute("ANALYZE") }
            try connection.execute("PRAGMA analysis_limit = 400; PRAGMA optimize")
        }
    }
}
