import FireLiteSQLite

/// SQLite's result codes by name (<https://www.sqlite.org/rescode.html>), for modules that do not import its C API.
public enum ResultCode {
    /// `SQLITE_ERROR`.
    public static let error = SQLITE_ERROR
    /// `SQLITE_PERM`.
    public static let permission = SQLITE_PERM
    /// `SQLITE_BUSY`.
    public static let busy = SQLITE_BUSY
    /// `SQLITE_LOCKED`.
    public static let locked = SQLITE_LOCKED
    /// `SQLITE_NOMEM`.
    public static let outOfMemory = SQLITE_NOMEM
    /// `SQLITE_READONLY`.
    public static let readOnly = SQLITE_READONLY
    /// `SQLITE_INTERRUPT`.
    public static let interrupted = SQLITE_INTERRUPT
    /// `SQLITE_IOERR`.
    public static let inputOutput = SQLITE_IOERR
    /// `SQLITE_CORRUPT`.
    public static let corrupt = SQLITE_CORRUPT
    /// `SQLITE_FULL`.
    public static let full = SQLITE_FULL
    /// `SQLITE_CANTOPEN`.
    public static let cannotOpen = SQLITE_CANTOPEN
    /// `SQLITE_TOOBIG`.
    public static let tooBig = SQLITE_TOOBIG
    /// `SQLITE_AUTH`.
    public static let authorization = SQLITE_AUTH
    /// `SQLITE_NOTADB`.
    public static let noDatabase = SQLITE_NOTADB

    /// What the operating system refused, for an extended code of `inputOutput`. Each case is the code `SQLITE_IOERR_…` with its number.
    public enum InputOutput: Int32 {
        /// Reading from a file failed.
        case read = 1
        /// A file has fewer bytes than were to be read.
        case shortRead
        /// Writing to a file failed.
        case write
        /// Flushing a file to the disk failed.
        case fsync
        /// Flushing a directory to the disk failed.
        case directoryFsync
        /// Changing the length of a file failed.
        case truncate
        /// Asking for the length of a file failed.
        case fstat
        /// Releasing a lock failed.
        case unlock
        /// Taking a lock for reading failed.
        case readLock
        /// Deleting a file failed.
        case delete
        /// Asking whether a file exists or can be used failed.
        case access = 13
        /// Asking whether another connection is about to write failed.
        case checkReservedLock
        /// Taking a lock failed.
        case lock
        /// Opening the file of the shared memory failed.
        case sharedMemoryOpen = 18
        /// Enlarging the file of the shared memory failed.
        case sharedMemorySize
        /// Locking the shared memory failed; SQLite no longer reports it.
        case sharedMemoryLock
        /// Mapping the shared memory into the process failed.
        case sharedMemoryMap
        /// Moving to the place of a read or write failed.
        case seek
        /// The file to delete does not exist.
        case deleteNoEntry

        /// - Returns: nil for codes of other kinds.
        public init?(extendedCode code: Int32) {
            guard code & 0xFF == SQLITE_IOERR else { return nil }
            self.init(rawValue: code >> 8)
        }
    }
}
