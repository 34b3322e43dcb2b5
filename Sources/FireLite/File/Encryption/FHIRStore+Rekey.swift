import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// Encrypts the store's file with another key. Reads and writes of this store wait meanwhile and then use the new key.
    ///
    /// The store must not be open anywhere else. The file is copied next to itself, with the new key, and the copy replaces it in one step
    /// when it is complete and on the disk. That needs disk space for another copy. Whatever happens, the file has all of its content and one of
    /// the two keys, so keep both until the call has returned. To encrypt a plain store, or to decrypt an encrypted one, see
    /// `backup(to:encryption:)`.
    /// - Parameters:
    ///   - key: the new key.
    ///   - progress: called about every mebibyte with the number of pages copied. If it throws, the file keeps the old key. Default: none.
    /// - Precondition: not inside a read or write of this store.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `notEncrypted`; `busy` if the store is open elsewhere, or reads last longer than the busy timeout;
    ///   `invalidArgument` for a key without bytes; `cannotOpen`, `diskFull`, `disk`, `notAStore` if the copy cannot be made.
    public func rekey(to key: Secret, progress: StoreProgressHandler? = nil) throws {
        guard configuration.access == .readWrite else {
            throw FHIRStoreError(.readOnly, "\(path) was opened read-only", remedy: .openForWriting)
        }
        guard configuration.key != nil else {
            throw FHIRStoreError(
                .notEncrypted, "\(path) is not encrypted, so it has no key to change", remedy: .encryptCopy)
        }
        try key.verify(for: path)
        misuse(
            unless: currentTransaction == nil,
            "rekey(to:) inside a read or write of the same store would wait for itself: call it outside"
        )
        // Its connection has the old key.
        foreignCommits.stop()
        defer {
            if announcer.isObserved {
                foreignCommits.start(self)
                announcer.announce(.unknown)
            }
        }
        let meter = ProgressMeter(progress)
        try mapping {
            let isDone = try pool.withoutConnections(patience: configuration.busyMilliseconds) { try $0.rekey(to: key, meter) }
            guard isDone else {
                throw FHIRStoreError(.busy, "\(path) is being read", remedy: .waitForReads)
            }
        }
    }
}

extension StoreOpener {
    /// Replaces the file, which must not be open anywhere, with a copy with another key.
    ///
    /// SQLCipher's `sqlite3_rekey_v2` rewrites the file's pages in place; version 3.4 reports success if a read or write of
    /// one fails, and leaves pages with both keys.
    mutating func rekey(to key: Secret, _ meter: ProgressMeter) throws {
        let connection = try openAlone()
        let copy = try self.copy(connection, key, meter)
        // From here on cancelling the task changes nothing: the copy is complete, and replaces the file in one step.
        try Cancellation.check()
        let result = Result { try copy.finish() }
        if copy.isInPlace {
            configuration.key = key
            retire(connection, isCertain: (try? result.get()) != nil)
        }
        try result.get()
    }

    /// Opens the file with an exclusive lock, and without a log or journal, which would have the old key.
    private func openAlone() throws -> Connection {
        let connection = try Connection.open(path, createsFile: false, key: configuration.key)
        guard try connection.lockAlone(milliseconds: configuration.busyMilliseconds) else {
            throw FHIRStoreError(.busy, "\(path) is open elsewhere: close it there to change its key")
        }
        return connection
    }

    /// A copy with the key, of which every page has been read back.
    private func copy(_ connection: Connection, _ key: Secret, _ meter: ProgressMeter) throws -> PendingFile {
        // The file itself, if the store's path is a symbolic link.
        let path = connection.path
        let file = try PendingFile(.database, path: path, replaces: true, database: nil, isLocked: true)
        var status = stat()
        if stat(path, &status) == 0 { chmod(file.temporaryPath, status.st_mode & 0o777) }
        do {
            let target = try Connection.open(file.temporaryPath, createsFile: false, key: key)
            try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            let backup = try Backup(from: connection, to: target)
            var isWhole = false
            while !isWhole {
                isWhole = try !backup.step(pages: 256)
                try meter.report(StoreProgress(.copying, backup.copiedPages, of: backup.pages, .pages))
            }
        }
        let copy = try Connection.open(file.temporaryPath, isReadOnly: true, key: key)
        let found = try copy.untilCancelled { try copy.text("PRAGMA quick_check(1)") }
        guard found == "ok" else {
            throw FHIRStoreError(.notAStore, "\(path) is damaged, so its key was not changed: restore a backup or recover what is readable")
        }
        return file
    }

    /// Makes the replaced file, which is no longer in a folder, unusable.
    ///
    /// Another process may have opened it before it was replaced, and may be waiting for the lock: it must not take it for the store, as its
    /// writes would be lost.
    /// - Parameter isCertain: whether the new file would survive a loss of power; otherwise the old one must stay unchanged.
    private func retire(_ connection: Connection, isCertain: Bool) {
        // A failure is ignored: the key has been changed, and who opens the old file sees that it is no longer at its path (`requireUnmoved`).
        if isCertain { try? connection.execute("PRAGMA application_id = 0") }
    }
}
