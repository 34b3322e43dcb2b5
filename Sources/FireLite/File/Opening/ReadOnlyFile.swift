import FireLiteSQLiteBridge
import Foundation

/// Opens a store's file read-only, whatever its permissions and those of its folder.
///
/// A database with a write-ahead log is read through shared memory in a file next to it. If that is missing and cannot be created, SQLite reads
/// the database only as immutable (<https://www.sqlite.org/wal.html#read_only_databases>), and then ignores a log or a journal.
struct ReadOnlyFile {
    let path: String
    let key: Secret?
    let pageChecksums: Connection.PageChecksums
    /// Whether nobody can change the file while it is open.
    var cannotChange = false
    /// Whether the file is opened without write access even if it is writable, and without making files beside it if nobody else uses it.
    var isNeverOpenedForWriting = false

    /// - Returns: the connection, and the file if SQLite does not notice changes to it.
    /// - Throws: `FHIRStoreError`: `cannotOpen`, `readOnly`; errors of `Connection.open`.
    func open() throws -> (Connection, StillFile?) {
        try key?.verify(for: path)
        let location = try Self.location(of: path)
        try Self.keepLogOfEmptyFile(path)
        if cannotChange {
            try refuseCompanions(location)
            return (try connection(isImmutable: true), nil)
        }
        if Self.isWritable(location) {
            let hasLog = Self.size(location + "-wal") ?? 0 > 0
            if isNeverOpenedForWriting, !Self.isInUse(location) {
                // A connection that cannot write would make shared memory and an empty log, and could not delete them.
                let still = StillFile(path: path, location: location)
                return (try connection(isImmutable: true), still)
            }
            if isNeverOpenedForWriting || hasLog && !Connection.canKeepLogWhenClosed { return (try connection(isReadOnly: true), nil) }
            // Like any other reader, which leaves nothing next to the file.
            let connection = try connection()
            if hasLog { connection.keepLogWhenClosed() }
            return (connection, nil)
        }
        let plain = try connection(isReadOnly: true)
        if Self.hasNoLog(plain) || Self.size(location + "-wal") != nil && Self.size(location + "-shm") != nil { return (plain, nil) }
        // Shared memory created here would have the file's mode and prevent its owner from writing later.
        let still = StillFile(path: path, location: location)
        try refuseCompanions(location)
        return (try connection(isImmutable: true), still)
    }

    private func connection(isReadOnly: Bool = false, isImmutable: Bool = false) throws -> Connection {
        try Connection.open(
            path, isReadOnly: isReadOnly, isImmutable: isImmutable, createsFile: false, key: key, pageChecksums: pageChecksums)
    }

    private func refuseCompanions(_ location: String) throws {
        for (suffix, name) in [("-wal", "write-ahead log"), ("-journal", "journal")] {
            guard let size = Self.size(location + suffix), size > 0 else { continue }
            throw FHIRStoreError(
                .readOnly,
                "\(path) has a \(name) of \(size) bytes, \(location)\(suffix), without which it is in an older state, and which cannot be "
                    + "read without write access: open it with write access to the file and its folder, or copy both to a writable folder"
            )
        }
    }

    // MARK: - Files

    /// Refuses an empty file with a write-ahead log: SQLite would delete the log, which may be all that is left of a store.
    ///
    /// - Throws: `FHIRStoreError.notAStore`.
    static func keepLogOfEmptyFile(_ path: String) throws {
        guard size(path) == 0 else { return }
        let log = try location(of: path) + "-wal"
        guard let bytes = size(log), bytes > 0 else { return }
        throw FHIRStoreError(
            .notAStore,
            "\(path) is empty, and the write-ahead log \(log) of \(bytes) bytes is that of the database which was there, and would be deleted with it: "
                + "move the log to another folder, and restore a backup")
    }

    /// The file that a path refers to.
    ///
    /// - Throws: `FHIRStoreError.cannotOpen` if there is none.
    static func location(of path: String) throws -> String {
        guard let resolved = realpath(path, nil) else {
            if errno == ENOENT || errno == ENOTDIR {
                throw FHIRStoreError(.cannotOpen, "\(path): no such database: check the path")
            }
            throw FHIRStoreError(.cannotOpen, "\(path) cannot be opened: \(String(cString: strerror(errno))): check its permissions")
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether this process can write the file, and files next to it.
    private static func isWritable(_ location: String) -> Bool {
        let folder = URL(fileURLWithPath: location).deletingLastPathComponent().path
        return [location, folder].allSatisfy { (path: String) in faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }
    }

    /// Whether another connection may have the file open, or has left something that belongs to it.
    private static func isInUse(_ location: String) -> Bool {
        size(location + "-shm") != nil || ["-wal", "-journal"].contains { size(location + $0) ?? 0 > 0 }
    }

    /// Whether this process can read the file and not write it.
    static func isOnlyReadable(_ path: String) -> Bool {
        faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0
    }

    /// Whether the database has no write-ahead log (<https://www.sqlite.org/fileformat2.html#file_format_version_numbers>). An encrypted one
    /// does not say.
    private static func hasNoLog(_ connection: Connection) -> Bool {
        guard let start = connection.startOfFile(20), start.starts(with: "SQLite format 3\0".utf8) else { return false }
        return start[19] == 1
    }

    /// The size of a file in bytes; nil if there is none.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
