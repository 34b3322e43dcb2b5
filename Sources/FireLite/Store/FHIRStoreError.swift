import FireLiteSQLiteBridge
import Foundation

/// What went wrong in a store, and what to do about it. Descriptions hold no values of records.
public struct FHIRStoreError: LocalizedError, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be opened or created.
        public static let cannotOpen = Code(rawValue: "cannotOpen")
        /// The file is no FireLite store, or a damaged one.
        public static let notAStore = Code(rawValue: "notAStore")
        /// A file that would be written is there already.
        public static let alreadyExists = Code(rawValue: "alreadyExists")
        /// The file is encrypted, or no database at all, and no key was given.
        public static let missingKey = Code(rawValue: "missingKey")
        /// The file cannot be read with the key that was given.
        public static let wrongKey = Code(rawValue: "wrongKey")
        /// A key was given for a file that is not encrypted.
        public static let notEncrypted = Code(rawValue: "notEncrypted")
        /// A key was given, and the package was built without the trait `SQLCipher`.
        public static let noEncryption = Code(rawValue: "noEncryption")
        /// The store holds another FHIR release.
        public static let wrongRelease = Code(rawValue: "wrongRelease")
        /// The store was written in a newer format than this library knows.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The store has an older format, which the first opening for writing would upgrade, and is opened for reading only.
        public static let olderFormat = Code(rawValue: "olderFormat")
        /// A resource was changed on the basis of a version that another write has replaced or deleted; `conflict` says which.
        public static let conflict = Code(rawValue: "conflict")
        /// A resource has the type and id of one that is stored, and the store keeps them unique (`FHIRStore.Configuration.uniqueIDs`).
        public static let duplicateID = Code(rawValue: "duplicateID")
        /// Another connection holds the lock.
        public static let busy = Code(rawValue: "busy")
        /// The disk is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The file or its folder may not be written, or the store was opened for reading only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The disk, or what is between it and the program, failed to read or write.
        public static let disk = Code(rawValue: "disk")
        /// There is no memory, or no more than a limit allows.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// A resource has more rows, columns or levels, or longer text, than a store can hold.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// An argument is not valid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The store was closed with `close()`.
        public static let closed = Code(rawValue: "closed")
        /// A query was cancelled.
        public static let interrupted = Code(rawValue: "interrupted")
        /// Another failure of SQLite.
        public static let sqlite = Code(rawValue: "sqlite")
    }

    /// What another write did to a resource whose earlier version was to be stored.
    public enum Conflict: Sendable, Hashable {
        /// It stored other content: fetch the resource again and repeat the change.
        case changed
        /// It deleted the resource: leave it so, or add a copy.
        case deleted
    }

    /// The kind of failure.
    public let code: Code
    /// What another write did, for the code `conflict`; nil for other codes.
    public let conflict: Conflict?
    /// What went wrong and what to do about it.
    public let message: String
    /// The statement that failed, with `?` for values.
    public let sql: String?
    /// SQLite's extended result code.
    public let sqliteCode: Int32?

    init(_ code: Code, _ message: String, sql: String? = nil, sqliteCode: Int32? = nil, conflict: Conflict? = nil) {
        self.conflict = conflict
        self.code = code
        self.message = message
        self.sql = sql
        self.sqliteCode = sqliteCode
    }

    /// Maps an error of SQLite.
    ///
    /// - Parameter isOpen: whether the file has been found to be a store, so that what cannot be read is damaged.
    init(_ error: SQLiteError, path: String, isOpen: Bool = false) {
        let code: Code
        let message: String
        switch error.primaryCode {
        case ResultCode.busy, ResultCode.locked:
            (code, message) = (.busy, "\(path) is locked by another connection: try again, or raise the busy timeout")
        case ResultCode.permission, ResultCode.authorization:
            (code, message) = (.readOnly, "\(path) may not be used: check the permissions of it and its folder")
        case ResultCode.outOfMemory:
            (code, message) = (
                .outOfMemory, "there is no memory left to work on \(path): free some, lower cacheBytes, or write less at once"
            )
        case ResultCode.readOnly: (code, message) = (.readOnly, "\(path) or its folder cannot be written: check their permissions")
        case ResultCode.interrupted: (code, message) = (.interrupted, "the query was cancelled")
        case ResultCode.inputOutput:
            (code, message) = (
                .disk,
                "\(path): \(Self.diskCall(error.code)) failed (SQLite code \(error.code)): check the disk and its connection, then try again"
            )
        case ResultCode.corrupt where error.isChecksumMismatch:
            (code, message) = (
                .notAStore,
                "\(path) has a page that is not what was written: if another program wrote to the file, run `firelite reseal`, which verifies "
                    + "every resource; if it is damaged, restore a backup or salvage it with `firelite recover`"
            )
        case ResultCode.corrupt:
            (code, message) = (.notAStore, "\(path) is damaged (\(error.message)): restore a backup or salvage what is readable")
        case ResultCode.full: (code, message) = (.diskFull, "there is no room on the disk of \(path): free some and try again")
        case ResultCode.cannotOpen:
            (code, message) = (.cannotOpen, "\(path) cannot be opened: check that its folder exists and may be written")
        case ResultCode.noDatabase where isOpen:
            (code, message) = (
                .notAStore, "\(path) is damaged: a page of it is not as it was written: restore a backup or salvage what is readable"
            )
        case ResultCode.noDatabase:
            (code, message) = (.notAStore, "\(path) is not a SQLite database: give the path of a FireLite store, or of a new file")
        case ResultCode.tooBig:
            (code, message) = (
                .tooLarge,
                "a text, or a row of a table, is longer than a store can hold, \(Connection.maximumLength) bytes: keep such data in a file of its own"
            )
        case ResultCode.error where Self.isTooDeep(error.message):
            (code, message) = (
                .invalidArgument, "the query is nested deeper than SQLite can take (\(error.message)): ask in several queries"
            )
        default: (code, message) = (.sqlite, "\(path): \(error.message): check the statement, or the file with check()")
        }
        self.init(code, message, sql: error.sql, sqliteCode: error.code)
    }

    /// Whether SQLite gave up on a statement's nesting (<https://www.sqlite.org/limits.html>), for which it has no code of its own.
    private static func isTooDeep(_ message: String) -> Bool {
        message.hasPrefix("parser stack overflow") || message.hasPrefix("Expression tree is too large")
    }

    /// What went wrong and what to do about it.
    public var description: String { message }

    /// The message, so that `localizedDescription` is it too.
    public var errorDescription: String? { message }

    /// Whether SQLite found the file damaged, rather than not to be what it was taken for.
    package var isDamage: Bool { sqliteCode.map { $0 & 0xFF == ResultCode.corrupt } ?? false }

    /// What the operating system refused, for an extended code of `SQLITE_IOERR` (<https://www.sqlite.org/rescode.html#ioerr>).
    private static func diskCall(_ code: Int32) -> String {
        switch ResultCode.InputOutput(extendedCode: code) {
        case .read, .shortRead: "reading"
        case .write: "writing"
        case .fsync, .directoryFsync: "making what was written safe on the disk"
        case .truncate: "changing the length"
        case .fstat: "asking for the length"
        case .unlock, .readLock, .checkReservedLock, .lock: "locking"
        case .delete, .deleteNoEntry: "deleting a companion file"
        case .access: "looking for a companion file"
        case .sharedMemoryOpen, .sharedMemorySize, .sharedMemoryLock, .sharedMemoryMap, .seek:
            "using the shared memory of the write-ahead log"
        case nil: "using the file"
        }
    }
}
