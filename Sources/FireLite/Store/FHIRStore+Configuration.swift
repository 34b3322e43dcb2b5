extension FHIRStore {
    /// How a store is opened.
    public struct Configuration: Sendable {
        /// What a commit that returned has survived. Default: `.full`.
        public var durability = Durability.full
        /// How long to wait for another process's lock before an error `busy`, in milliseconds. Default: 5,000.
        public var busyTimeout = 5_000
        /// How many reads may run at once. Default: 8.
        public var maximumReaders = 8
        /// How much memory SQLite may use for pages, for each connection, in mebibytes. Default: 64 for writing, a quarter of it for reading.
        public var cacheSize = 64

        public init() {}
    }

    /// What a commit that returned is safe from.
    public enum Durability: Sendable {
        /// Loss of power: every commit waits for the disk (`PRAGMA synchronous = FULL` with a write-ahead log).
        case full
        /// A crash of the program, not always loss of power, which may undo the last commits but never damages the file (`NORMAL`).
        case normal
        /// Neither: for filling a fresh file that can be filled again (`OFF`).
        case bulk
    }
}
