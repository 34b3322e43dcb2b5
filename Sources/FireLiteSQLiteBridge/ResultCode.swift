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

    /// What the operating system refused, for an extended code of `inputOutput`.
    public enum InputOutput: Int32 {
        case read = 1
        case shortRead
        case write
        case fsync
        case directoryFsync
        case truncate
        case fstat
        case unlock
        case readLock
        case delete
        case access = 13
        case checkReservedLock
        case lock
        case sharedMemoryOpen = 18
        case sharedMemorySize
        case sharedMemoryLock
        case sharedMemoryMap
        case seek
        case deleteNoEntry

        /// - Returns: nil for codes of other kinds.
        public init?(extendedCode code: Int32) {
            guard code & 0xFF == SQLITE_IOERR else { return nil }
            self.init(rawValue: code >> 8)
        }
    }
}
