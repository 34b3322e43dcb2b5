import FireLiteSQLiteBridge

extension FHIRStore {
    /// How a store is opened.
    public struct Configuration: Sendable {
        /// Whether the store is opened for writing. Default: `.readWrite`.
        public var access = Access.readWrite

        /// Whether a store must be at the path already, so that a mistyped path is an error and not a new store. Default: false. A store that
        /// is opened for reading only always must.
        public var mustExist = false

        /// What a commit that returned has survived. Default: `.full`.
        public var durability = Durability.full
        /// How long to wait for another process's lock before the error `busy`; to the millisecond. Default: 5 seconds.
        public var busyTimeout = Duration.seconds(5)
        /// How many reads may run at once. Default: 8.
        public var maximumReaders = 8
        /// How many bytes of pages each connection may cache. Default: 64 MiB for the writing connection; reading ones get a quarter.
        public var cacheBytes = 64 << 20

        /// Whether what is deleted or replaced is overwritten with zeros in the file (`PRAGMA secure_delete`). Default: false, which leaves
        /// it to how the SQLite library was built.
        ///
        /// Costs writes: pages that only become free are written too. It promises that the pages of the database file keep no deleted
        /// content once a checkpoint has taken the commit into it. It does not promise that for the write-ahead log, where older
        /// pages stay until it is overwritten (`checkpoint(.truncate)` cuts it to nothing), for backups and exports made before, for full-text
        /// indexes, which drop words when their segments are merged, and for what the file system or an SSD keeps of overwritten blocks.
        public var secureDelete = false

        /// Whether each page of the file is compared with its checksum when it is read, so that one that has changed on the disk is an error
        /// wherever it is read. Default: true.
        ///
        /// It needs a file that was made with it: eight bytes of each page are reserved for the checksum. With false a new file gets no room
        /// for any, and the pages of one that has it are read as they are, and still written with theirs.
        ///
        /// Other programs read the file as any other. One that *writes* to it without the library leaves checksums that are not the pages'
        /// own any more, and the pages are refused from then on: `FHIRStore.reseal` verifies every resource and writes the checksums again; set
        /// this to false for files that others write to all the time. Encrypted stores do not use it, as SQLCipher has a code of its own on
        /// each page.
        public var checksPages = true

        /// Whether the store refuses a second resource with the type and id of a stored one. Default: false, which leaves it as the file has it.
        ///
        /// With true the file keeps it from then on, whoever opens it: `add` of such a resource, and a change of an id to one that is taken, are
        /// the error `duplicateID`. Resources without an id, and those contained in others, do not count. Opening a store with true that has
        /// such resources already is that error too. Costs a look-up by id for each resource that is added or changed.
        public var uniqueIDs = false

        /// The key of an encrypted store; nil for one that is not. Default: nil.
        ///
        /// A file that is made gets this key. It needs the package's trait `SQLCipher`; without that, and for a file that is not encrypted, a
        /// key is an error and never ignored. See `EncryptionKey`, and Documentation/Reliability.md for what is encrypted and what is not.
        public var key: EncryptionKey?

        /// Whether each resource that is read is compared with the digest it was stored with, so that a bit that changed on the disk is an
        /// error and never a wrong object. Default: true; it costs about a microsecond a kilobyte.
        public var verifiesContent = true

        public init() {}

        /// How a store may be used, and what its file and folder have to allow for.
        public enum Access: Sendable {
            /// Reading and writing. The file and its folder must be writable.
            case readWrite

            /// Reading only: a write is an error `readOnly`, and the content of the file stays as it is.
            ///
            /// Other connections and processes may write meanwhile. A file that may not be written, or is in a folder that may not be
            /// written, is read without SQLite's shared memory where that is not there and cannot be made. Nobody can then be kept from
            /// writing, so each read looks whether the file has changed: at its beginning the file is opened again, and a change during
            /// a read is the error `busy`. Where such a file has a write-ahead log with commits in it that cannot be read, opening is the
            /// error `readOnly`, as the file without its log would be an older state.
            case readOnly

            /// Reading only, of a file on media that cannot change, such as a read-only disk image: without locks, and without looking for
            /// changes. Where the file does change while it is open, what is read may be wrong or an error.
            ///
            /// A file that has a write-ahead log or a journal with content beside it is refused with the error `readOnly`, as that would
            /// be ignored.
            case readOnlyImmutable
        }

        /// `busyTimeout` in whole milliseconds, as SQLite takes it.
        var busyMilliseconds: Int {
            let (seconds, attoseconds) = busyTimeout.components
            return Int(clamping: min(max(seconds, 0), Int64(Int32.max / 1_000)) * 1_000 + max(attoseconds, 0) / 1_000_000_000_000_000)
        }

        var pageChecksums: Connection.PageChecksums { checksPages ? .verified : .unverified }
    }

    /// What a commit that returned is safe from. No mode gives up atomicity, isolation, or the order of commits while the system runs.
    public enum Durability: Sendable {
        /// Loss of power and crashes: every commit is on the disk before it returns (`PRAGMA synchronous = FULL` with a write-ahead log).
        ///
        /// Costs one wait for the disk for each commit, so put what belongs together into one write. The promise is as good as the disk's and
        /// file system's own: a device that reports a flush it has not done can break it.
        case full
        /// A crash or kill of the program. Loss of power, or a crash of the system, may undo the last commits, whole ones from the last
        /// one backwards, and never damages the file (`PRAGMA synchronous = NORMAL`).
        ///
        /// Costs a wait for the disk only at checkpoints. `checkpoint(_:)` makes durable what has been committed before it.
        case normal
        /// A crash or kill of the program only. Loss of power may damage the file beyond repair (`PRAGMA synchronous = OFF`).
        ///
        /// Costs no waiting at all. For filling a fresh file that can be filled again.
        case bulk
    }
}
