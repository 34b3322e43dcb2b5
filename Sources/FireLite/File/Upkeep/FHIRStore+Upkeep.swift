import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// Copies the store, as it is when the copy begins, into a new file, while others go on reading and writing.
    ///
    /// The copy appears at `target` when it is complete and on the disk, readable by its owner only (mode 0600); where anything
    /// fails, nothing appears and a file that was there is as before. Meanwhile the write-ahead log grows with what others write.
    /// - Parameters:
    ///   - replacing: whether a file that is there is replaced; it must not be open anywhere. Default: no.
    ///   - encryption: with what key the copy is encrypted. Default: as the store is. A change from encrypted to not, or back, copies
    ///     row by row and not page by page.
    ///   - progress: called after about every mebibyte with the part that is done, from 0 to 1; where it is copied row by row, at the end.
    ///     What it throws ends the backup.
    /// - Throws: what `progress` throws; `FHIRStoreError`: `alreadyExists`, `cannotOpen`, `diskFull`, `noEncryption`; `invalidArgument` where
    ///   `target` is the store's own file or one that belongs to it.
    public func backup(
        to target: String, replacing: Bool = false, encryption: BackupEncryption = .same, progress: (Double) throws -> Void = { _ in }
    ) throws {
        let targetKey = key(of: encryption)
        try targetKey?.verify(for: target)
        let file = try PendingFile(.database, path: target, replaces: replacing, database: path)
        if (targetKey == nil) == (configuration.key == nil) {
            try copyPages(to: file, targetKey, progress)
        } else {
            try copyRows(to: file, targetKey)
        }
        try file.finish()
        try progress(1)
    }

    private func copyPages(to file: PendingFile, _ key: EncryptionKey?, _ progress: (Double) throws -> Void) throws {
        try read { transaction in
            let source = transaction.access.connection
            // The snapshot begins with the first statement that reads.
            let pageSize = try mapping {
                _ = try source.integer("SELECT count(*) FROM sqlite_master")
                return Int(try source.integer("PRAGMA page_size") ?? 0)
            }
            let pages = Int32(clamping: max((1 << 20) / max(pageSize, 512), 1))
            try mappingErrors(of: file.path) {
                let connection = try Connection.open(file.temporaryPath, createsFile: false, key: key)
                // Nothing needs undoing: a file that is not complete is thrown away.
                try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                let backup = try Backup(from: source, to: connection)
                while try backup.step(pages: pages) { try progress(backup.fraction) }
            }
        }
    }

    private func copyRows(to file: PendingFile, _ key: EncryptionKey?) throws {
        if configuration.access != .readWrite {
            // A connection that only reads cannot write an attached file.
            let copy = try PendingFile(.database, path: file.path + "-source", replaces: true, database: nil, in: file.folder)
            try copyPages(to: copy, configuration.key) { _ in }
            return try mappingErrors(of: file.path) {
                let source = try Connection.open(copy.temporaryPath, createsFile: false, key: configuration.key, isHardened: false)
                try export(source, to: file, key)
            }
        }
        try mappingErrors(of: file.path) {
            try export(rowSource(), to: file, key)
        }
    }

    private func export(_ source: Connection, to file: PendingFile, _ key: EncryptionKey?) throws {
        guard let key else { return try source.export(to: file.temporaryPath, key: nil) }
        try key.secret.withBytes { try source.export(to: file.temporaryPath, key: $0) }
    }

    /// A connection that may attach another file, on which nothing else goes on.
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
            // What is damaged is what is copied, and not the new file.
            throw FHIRStoreError(error, path: error.isChecksumMismatch ? self.path : path)
        }
    }

    /// Rewrites the file so that it has no free pages and neighbours in every table lie side by side.
    ///
    /// Needs room for two more copies of the data on the disk for a while. Temporary files can be read by their owner only and have no name.
    /// - Throws: `FHIRStoreError`: `busy` where others use the file all the time, `diskFull`.
    public func vacuum() throws {
        try withWritingConnection { connection in
            // In memory the copy of a large store could not be held.
            try connection.execute("PRAGMA temp_store = FILE")
            // SQLite attaches the copy.
            let result = Result { try connection.withAttachedDatabases(1) { try connection.execute("VACUUM") } }
            try connection.execute("PRAGMA temp_store = MEMORY")
            try result.get()
        }
    }

    /// How far a checkpoint goes (<https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>).
    public enum CheckpointMode: String, Sendable {
        /// What can be done without waiting for anyone.
        case passive
        /// All of the log; waits for writers, and for readers of old snapshots.
        case full
        /// As `full`, and waits until no reader needs the log, so that the next write begins it anew.
        case restart
        /// As `restart`, and cuts the log to no bytes.
        case truncate
    }

    /// What a checkpoint did.
    public struct CheckpointResult: Sendable, Equatable {
        /// How many pages the write-ahead log has.
        public let logPages: Int
        /// How many of them are in the database file now.
        public let movedPages: Int
        /// Whether all of the log is in the database file.
        public var isComplete: Bool { logPages == movedPages }
    }

    /// Moves what the write-ahead log holds into the database file. SQLite does so by itself after every 1,000 pages.
    ///
    /// - Parameter mode: default `passive`, which waits for nobody.
    /// - Throws: `FHIRStoreError`: `busy` where others kept a mode that waits from being done for the busy timeout; what could be moved has been.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
        let end = DispatchTime.now() + .milliseconds(configuration.busyMilliseconds)
        while true {
            // Writers wait while SQLite waits for readers, so it waits in short turns.
            let (isBusy, result) = try withWritingConnection { connection in
                connection.setBusyTimeout(milliseconds: min(configuration.busyMilliseconds, 50))
                defer { connection.setBusyTimeout(milliseconds: configuration.busyMilliseconds) }
                let statement = try connection.prepare("PRAGMA wal_checkpoint(\(mode.rawValue))")  // Of an enumeration.
                guard try statement.step() else { return (false, CheckpointResult(logPages: 0, movedPages: 0)) }
                let (log, moved) = (max(Int(statement.int(1)), 0), max(Int(statement.int(2)), 0))
                return (statement.int(0) != 0, CheckpointResult(logPages: log, movedPages: moved))
            }
            if !isBusy || mode == .passive { return result }
            guard DispatchTime.now() < end else {
                throw FHIRStoreError(.busy, "\(path) is in use, so its log could not be emptied: end long reads and try again")
            }
            usleep(10_000)
        }
    }

    /// Lets SQLite look at tables whose size has changed much, so that it plans queries well (`PRAGMA optimize`).
    ///
    /// Worth calling after large imports and now and then in long-lived programs; reads at most some hundred entries of each index.
    /// - Throws: `FHIRStoreError`.
    public func optimize() throws {
        try withWritingConnection { connection in
            // Before SQLite 3.18 the pragma does nothing.
            guard Connection.libraryNumber >= 3_018_000 else { return try connection.execute("ANALYZE") }
            try connection.execute("PRAGMA analysis_limit = 400; PRAGMA optimize")
        }
    }
}
