import FireLiteSQLite

/// SQLite's result codes by name (<https://www.sqlite.org/rescode.html>), for modules that do not import its C API.
public enum ResultCode {
    public static let error = SQLITE_ERROR
    public static let permission = SQLITE_PERM
    public static let busy = SQLITE_BUSY
    public static let locked = SQLITE_LOCKED
    public static let outOfMemory = SQLITE_NOMEM
    public static let readOnly = SQLITE_READONLY
    public static let interrupted = SQLITE_INTERRUPT
    public static let inputOutput = SQLITE_IOERR
    public static let corrupt = SQLITE_CORRUPT
    public static let full = SQLITE_FULL
    public static let cannotOpen = SQLITE_CANTOPEN
    public static let tooBig = SQLITE_TOOBIG
    public static let authorization = SQLITE_AUTH
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
