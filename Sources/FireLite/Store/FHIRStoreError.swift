import FireLiteSQLiteBridge

/// An error of a store, with what to do about it. Descriptions contain no values of records.
public struct FHIRStoreError: AdvisedError {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be opened or created.
        public static let cannotOpen = Code(rawValue: "cannotOpen")
        /// The file is not a FireLite store, or is damaged.
        public static let notAStore = Code(rawValue: "notAStore")
        /// A file to be written exists already.
        public static let alreadyExists = Code(rawValue: "alreadyExists")
        /// The file is encrypted, or not a database, and no key was given.
        public static let missingKey = Code(rawValue: "missingKey")
        /// The file cannot be read with the given key.
        public static let wrongKey = Code(rawValue: "wrongKey")
        /// A key was given for a file that is not encrypted.
        public static let notEncrypted = Code(rawValue: "notEncrypted")
        /// A key was given, but the package was built without the trait `SQLCipher`.
        public static let noEncryption = Code(rawValue: "noEncryption")
        /// The store has another FHIR release.
        public static let wrongRelease = Code(rawValue: "wrongRelease")
        /// The store has a newer format than this library supports.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The store has an older format, which must be upgraded by opening it for writing, and was opened read-only.
        public static let olderFormat = Code(rawValue: "olderFormat")
        /// A change was based on a version of a resource that another write has replaced or deleted; `conflict` says which.
        public static let conflict = Code(rawValue: "conflict")
        /// A resource has the type and id of a stored one, and the store keeps them unique (`FHIRStore.Configuration.uniqueIDs`).
        public static let duplicateID = Code(rawValue: "duplicateID")
        /// Another connection holds the lock.
        public static let busy = Code(rawValue: "busy")
        /// The disk is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The file or its folder is not writable, or the store was opened read-only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The file was moved, replaced or deleted while the store was open or being opened: what is written to it would be lost.
        public static let fileHasMoved = Code(rawValue: "fileHasMoved")
        /// The disk, or its connection, failed to read or write.
        public static let disk = Code(rawValue: "disk")
        /// There is not enough memory, or a memory limit is reached.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// A resource has more rows, columns or levels, or longer text, than a store can store.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// An argument is invalid.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// Changes since a place in the change log are no longer there, or were not logged: read everything again.
        public static let resyncRequired = Code(rawValue: "resyncRequired")
        /// The store was closed with `close()`.
        public static let closed = Code(rawValue: "closed")
        /// A query was cancelled.
        public static let interrupted = Code(rawValue: "interrupted")
        /// Another SQLite error.
        public static let sqlite = Code(rawValue: "sqlite")
    }

    /// How another write changed a resource whose earlier version was about to be stored.
    public enum Conflict: Sendable, Hashable {
        /// It stored other content: fetch the resource again and repeat the change.
        case changed
        /// It deleted the resource: accept that, or add a copy.
        case deleted
    }

    /// The kind of failure.
    public let code: Code
    /// What another write did, for the code `conflict`; nil for other codes.
    public let conflict: Conflict?
    /// The elements that a draft and others have changed in different ways, for the code `conflict` of a saved ``Draft``; empty otherwise.
    public let clashes: [ElementClash]
    /// What went wrong and what to do about it.
    public var message: String { text.message() }
    package let text: ErrorText
    /// The statement that failed, with `?` for values.
    public let sql: String?
    /// SQLite's extended result code.
    public let sqliteCode: Int32?

    /// - Parameters:
    ///   - problem: what went wrong, and what to do about it unless `remedy` says that.
    ///   - remedy: what to do about it, if a program above the library has other means than its developer.
    package init(
        _ code: Code, _ problem: String, remedy: Remedy? = nil, sql: String? = nil, sqliteCode: Int32? = nil, conflict: Conflict? = nil,
        clashes: [ElementClash] = []
    ) {
        self.conflict = conflict
        self.clashes = clashes
        self.code = code
        text = ErrorText(problem, remedy)
        self.sql = sql
        self.sqliteCode = sqliteCode
    }

    static var fileHasMoved: FHIRStoreError {
        FHIRStoreError(
            .fileHasMoved,
            "the file of the store was moved, replaced or deleted, so nothing was written: close the store, and open the file at its place")
    }

    /// Maps an SQLite error.
    ///
    /// - Parameter isOpen: whether the file is known to be a store, so that unreadable parts are damaged.
    init(_ error: SQLiteError, path: String, isOpen: Bool = false) {
        let code: Code
        let message: String
        var remedy: Remedy?
        switch error.primaryCode {
        case ResultCode.busy, ResultCode.locked:
            (code, message, remedy) = (.busy, "\(path) is locked by another connection", .waitForLock)
        case ResultCode.permission, ResultCode.authorization:
            (code, message) = (.readOnly, "\(path) cannot be used: check the permissions of the file and its folder")
        case ResultCode.outOfMemory:
            (code, message, remedy) = (.outOfMemory, "there is not enough memory to work on \(path)", .useLessMemory)
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
                "\(path) has a page that does not match its checksum: if another program wrote to the file, run `firelite reseal`, which verifies "
                    + "every resource; if it is damaged, restore a backup or use `firelite recover`"
            )
        case ResultCode.corrupt:
            (code, message) = (.notAStore, "\(path) is damaged (\(error.message)): restore a backup or recover what is readable")
        case ResultCode.full: (code, message) = (.diskFull, "the disk of \(path) is full: free some space and try again")
        case ResultCode.cannotOpen where ReadOnlyFile.isOnlyReadable(path):
            // SQLite before 3.22 cannot open the write-ahead log of such a file.
            (code, message) = (.readOnly, "\(path) cannot be written: check its permissions, or open it read-only")
        case ResultCode.cannotOpen where InputFolder.isFolder(path):
            (code, message) = (.cannotOpen, "\(path) is a folder: give the path of a file in it")
        case ResultCode.cannotOpen:
            (code, message) = (.cannotOpen, "\(path) cannot be opened: check that its folder exists and is writable")
        case ResultCode.noDatabase where isOpen:
            (code, message) = (
                .notAStore,
                "\(path) is damaged: a page does not match its authentication code: restore a backup or recover what is readable"
            )
        case ResultCode.noDatabase:
            (code, message) = (.notAStore, "\(path) is not an SQLite database: give the path of a FireLite store")
        case ResultCode.tooBig:
            (code, message) = (
                .tooLarge,
                "a text, or a row of a table, is longer than \(Connection.maximumLength) bytes, the limit of a store: keep such data in a separate file"
            )
        case ResultCode.error where Self.isTooDeep(error.message):
            (code, message) = (
                .invalidArgument, "the query is nested too deeply for SQLite (\(error.message)): split it into several queries"
            )
        default: (code, message, remedy) = (.sqlite, "\(path): \(error.message)", .checkStatement)
        }
        self.init(code, message, remedy: remedy, sql: error.sql, sqliteCode: error.code)
    }

    /// Whether a statement is nested too deeply for SQLite (<https://www.sqlite.org/limits.html>), for which it has no code of its own.
    private static func isTooDeep(_ message: String) -> Bool {
        message.hasPrefix("parser stack overflow") || message.hasPrefix("Expression tree is too large")
    }

    /// Whether SQLite found the file damaged, as opposed to it being another kind of file.
    package var isDamage: Bool { sqliteCode.map { $0 & 0xFF == ResultCode.corrupt } ?? false }

    /// The failed operation, for an extended code of `SQLITE_IOERR` (<https://www.sqlite.org/rescode.html#ioerr>).
    private static func diskCall(_ code: Int32) -> String {
        switch ResultCode.InputOutput(extendedCode: code) {
        case .read, .shortRead: "reading"
        case .write: "writing"
        case .fsync, .directoryFsync: "syncing to the disk"
        case .truncate: "changing the length"
        case .fstat: "getting the length"
        case .unlock, .readLock, .checkReservedLock, .lock: "locking"
        case .delete, .deleteNoEntry: "deleting a companion file"
        case .access: "looking for a companion file"
        case .seek: "finding a place in the file"
        case .sharedMemoryOpen, .sharedMemorySize, .sharedMemoryLock, .sharedMemoryMap: "using the shared memory of the write-ahead log"
        case nil: "using the file"
        }
    }
}
