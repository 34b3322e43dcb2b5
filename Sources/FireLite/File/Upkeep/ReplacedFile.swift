import FireLiteSQLiteBridge
import Foundation

/// A database that another file is about to replace.
///
/// It must be a database, so that nothing else is lost by a wrong name: an empty file, one with SQLite's header, or one that a key opens. The size of
/// an encrypted database proves nothing, as archives and disk images have whole blocks too.
///
/// Nobody else may have it open: an older connection would go on writing to the log, whose name the new file's log has too. SQLite tells: each
/// connection that uses a log keeps a lock on the file, so that nobody gets an exclusive one. A damaged database counts as unused. So does one that
/// others have open in rollback-journal mode while they neither read nor write, as SQLite holds no lock on it then (File Locking and Concurrency,
/// UNLOCKED).
struct ReplacedFile {
    /// How long to wait for a connection that is being closed.
    private static let patience = 500

    let path: String
    /// The keys that it may have, if it is encrypted.
    let keys: [Secret]

    /// - Throws: `FHIRStoreError`: `alreadyExists` if it is not a database; `busy` if another connection has it open.
    func requireReplaceable() throws {
        _ = try opened { connection in
            connection.setBusyTimeout(milliseconds: Self.patience)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK")
            return true
        }
    }

    /// Locks it, and deletes its log.
    ///
    /// - Returns: what holds the lock; nil if there is nothing to lock.
    /// - Throws: `FHIRStoreError`: `alreadyExists` if it is not a database; `busy` if another connection has it open.
    func lock() throws -> Connection? { try opened { try $0.lockAlone(milliseconds: Self.patience) } }

    /// Runs `body` with the first key that opens the file.
    ///
    /// - Parameter body: returns false, or throws an error of SQLite, if another connection has it open.
    private func opened(_ body: (Connection) throws -> Bool) throws -> Connection? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_size > 0 else { return nil }
        guard isDatabase else {
            throw FHIRStoreError(
                .alreadyExists,
                "\(path) is not a database, or is encrypted with another key, so it was not replaced: give another path, or delete it first"
            )
        }
        for key in [nil] + keys {
            do {
                let connection = try Connection.open(path, createsFile: false, key: key)
                guard try body(connection) else { throw busy }
                return connection
            } catch let error as SQLiteError {
                // Any other error says that the file is damaged, encrypted, only readable or no database.
                if error.isBusy { throw busy }
            } catch let error as FHIRStoreError {
                if error.code == .busy { throw error }
            }
        }
        return nil
    }

    private var isDatabase: Bool {
        do {
            if try Connection.open(path, isReadOnly: true, createsFile: false, key: nil, pageChecksums: .ignored).isPlain { return true }
        } catch {
            return false
        }
        return keys.contains { key in
            do {
                // Immutable, so that no lock of another connection hides it, and nothing is left beside it.
                let connection = try Connection.open(path, isReadOnly: true, isImmutable: true, createsFile: false, key: key)
                return try connection.integer("SELECT count(*) FROM sqlite_master") != nil
            } catch {
                return false
            }
        }
    }

    private var busy: FHIRStoreError {
        FHIRStoreError(.busy, "\(path) is open elsewhere, so it was not replaced: close it there, or give another path")
    }
}

extension Connection {
    /// Moves the log into the file and deletes it, and keeps an exclusive lock on the file, without log and journal, until the connection is closed.
    ///
    /// - Parameter milliseconds: how long to wait for other connections.
    /// - Returns: false if another connection has the file open.
    /// - Throws: `SQLiteError`; `CancellationError`.
    func lockAlone(milliseconds: Int) throws -> Bool {
        setBusyTimeout(milliseconds: milliseconds)
        try execute("PRAGMA locking_mode = EXCLUSIVE")
        let end = DispatchTime.now() + .milliseconds(milliseconds)
        while try !leaveLog() {
            try Cancellation.check()
            guard DispatchTime.now() < end else { return false }
            Thread.sleep(forTimeInterval: 0.005)
        }
        // In this locking mode SQLite keeps the journal of the finished mode change for the next transaction.
        try execute("PRAGMA journal_mode = OFF")
        unlink(path + "-journal")
        return true
    }

    private func leaveLog() throws -> Bool {
        do {
            // If the mode was the same already, no lock was needed, and another process may have started a log.
            guard try text("PRAGMA journal_mode = DELETE") == "delete" else { return false }
            try execute("BEGIN EXCLUSIVE; COMMIT")
            return try text("PRAGMA journal_mode") == "delete"
        } catch let error as SQLiteError where error.isBusy {
            return false
        }
    }
}
