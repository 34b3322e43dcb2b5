import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// The configuration of an open store.
    public struct Configuration: Sendable {
        /// Whether the store is opened for writing. Default: `.readWrite`.
        public var access = Access.readWrite

        /// Whether the store must already exist, so that a mistyped path is an error instead of a new store. Default: false. A read-only
        /// store must always exist.
        public var mustExist = false

        /// What a commit survives once it has returned. Default: `.full`.
        public var durability = Durability.full
        /// How long to wait for another process's lock before the error `busy`, with a resolution of 1 ms. Default: 5 seconds.
        public var busyTimeout = Duration.seconds(5)
        /// How soon a store that is observed (`changes()`, `updates()`) looks for commits of other connections and processes after one of them has
        /// written to the file's log, or how often where the system can't report that. Default: 100 milliseconds. A look costs about 5 µs. It has
        /// no effect on the store's own commits, which observers get at once.
        public var foreignCommitInterval = Duration.milliseconds(100)
        /// The maximum number of concurrent reads. Default: 8.
        public var maximumReaders = 8
        /// The maximum number of threads, each with a connection, that one call uses to read a file of more than 16 MB: an export, a check, the
        /// rows of a view, or `compactMap` and `forEach` with a `transform`. Default: the number of the system's active processors, at most 8. It is
        /// no more than `maximumReaders`.
        public var maximumCores = Self.usualCores
        /// The size of a file from which on a read uses more cores: for a smaller one, opening more connections takes longer.
        package var bytesForMoreCores = 16 << 20
        /// The size of the page cache of the writing connection, in bytes; reading connections get a quarter. Default: 64 MiB.
        public var cacheBytes = 64 << 20

        /// Whether deleted and replaced content is overwritten with zeros in the file (`PRAGMA secure_delete`). Default: false, which keeps
        /// the SQLite library's own default.
        ///
        /// It costs writes: pages that only become free are written too. The pages of the database file contain no deleted
        /// content once a checkpoint has moved the commit to it. This is not promised for the write-ahead log, where older
        /// pages stay until it is overwritten (`checkpoint(.truncate)` truncates it), for earlier backups and exports, for full-text
        /// indexes, which drop words when their segments are merged, or for what the file system or an SSD keeps of overwritten blocks.
        public var secureDelete = false

        /// Whether each page of the file is compared with its checksum when it is read, so that a page that has changed on the disk is an error.
        /// Default: true.
        ///
        /// It requires a file that was created with it: eight bytes of each page are reserved for the checksum. With false, a new file has no
        /// checksums; in a file that has them, they are still written but not compared.
        ///
        /// Other programs read the file like any other. A program that *writes* to it without the library leaves wrong checksums, and the
        /// pages are refused from then on: `FHIRStore.reseal` verifies every resource and rewrites the checksums. Set
        /// this to false for files that other programs write to all the time. Encrypted stores do not use it, as SQLCipher has an authentication
        /// code on each page.
        public var checksPages = true

        /// Whether the store refuses a second resource with the type and id of a stored one. Default: false, which keeps the file's setting.
        ///
        /// True is stored in the file and applies from then on, whoever opens it: `add` of such a resource, and changing an id to one that
        /// is in use, throw `duplicateID`. Resources without an id and contained resources do not count. Opening a store that already has
        /// duplicates with true throws that error too. It costs a lookup by id for each added or changed resource.
        public var uniqueIDs = false

        /// Base addresses under which the store's resources are known, in addition to those that the file keeps: see `FHIRStore.bases()`. Default:
        /// none. Slashes at the end do not count.
        public var bases: [String] = []

        /// The key of an encrypted store; nil, the default, for a plain one.
        ///
        /// 32 bytes are the key itself: generate them at random (`(0..<32).map { _ in UInt8.random(in: .min ... .max) }`) and keep them in the
        /// system's keychain. Any other number of bytes is a passphrase, from which SQLCipher derives the key; that is deliberately slow, for
        /// each connection that the store opens. An empty key is an error when it is used.
        ///
        /// A new file gets this key. It requires the package's trait `SQLCipher`; without that, and for a plain file, a
        /// key is an error and never ignored. See <doc:Encryption> for what is encrypted and what is not.
        public var key: Secret?

        /// Whether each resource is compared with its stored digest when it is read, so that a bit that changed on the disk is an
        /// error and never a wrong object. Default: true. It costs about 1 µs per kilobyte of JSON.
        public var verifiesContent = true

        /// Where the times come from that the store and its modules note: of resources, changes and versions, records, payloads, samples and waiting
        /// requests. Searches compare with it, too. Default: the system's. It never determines an order, and nothing waits by it.
        ///
        /// A test gets the same times in each run with `FHIRClock.fixed(_:)` or `FHIRClock.stepping(from:by:)` of the module `FireLitePreviews`.
        public var clock = FHIRClock.system

        /// Called with each SQL statement that the store has run, for logs and measurements: its text without values, its time and its rows. Default:
        /// none. It is called on the thread that ran the statement, before the result is used, so it should only pass the report on; it must not use
        /// the store.
        ///
        /// ```swift
        /// configuration.observeStatements = { logger.debug("\($0)") }
        /// configuration.slowStatement = .milliseconds(100)
        /// ```
        public var observeStatements: (@Sendable (StatementReport) -> Void)?
        /// The time from which on `observeStatements` gets a statement. Default: zero, so all of them.
        public var slowStatement = Duration.zero

        /// Asked for once, as the system takes as long to count them as a store to read a resource.
        private static let usualCores = min(ProcessInfo.processInfo.activeProcessorCount, 8)

        /// The default configuration.
        public init() {}

        /// The access to a store, and the permissions it requires.
        public enum Access: Sendable {
            /// Reading and writing. The file and its folder must be writable.
            case readWrite

            /// Read-only: a write is the error `readOnly`, and the content of the file does not change.
            ///
            /// Other connections and processes may write meanwhile. If the file or its folder is not writable, and SQLite's shared memory
            /// does not exist and cannot be created, the file is read without it. Other processes can then write unnoticed by SQLite, so
            /// each read checks whether the file has changed: if so, it is opened again before the read, and a change during
            /// a read is the error `busy`. If such a file has a write-ahead log with commits that cannot be read, opening it is the
            /// error `readOnly`, as the file without its log would be an older state.
            case readOnly

            /// Read-only, for a file on immutable media, such as a read-only disk image: without locks, and without checking for
            /// changes. If the file does change while it is open, results may be wrong or errors.
            ///
            /// A file with a non-empty write-ahead log or journal is refused with the error `readOnly`, as that would
            /// be ignored.
            case readOnlyImmutable
        }

        /// `busyTimeout` in whole milliseconds, for SQLite.
        var busyMilliseconds: Int {
            let (seconds, attoseconds) = busyTimeout.components
            return Int(clamping: min(max(seconds, 0), Int64(Int32.max / 1_000)) * 1_000 + max(attoseconds, 0) / 1_000_000_000_000_000)
        }

        var pageChecksums: Connection.PageChecksums { checksPages ? .verified : .unverified }
    }

    /// What a commit survives once it has returned. No mode gives up atomicity, isolation, or the order of commits while the system runs.
    public enum Durability: Sendable {
        /// Loss of power and crashes: every commit is on the disk before it returns (`PRAGMA synchronous = FULL` with a write-ahead log).
        ///
        /// Costs a disk sync for each commit, so combine related changes in one write. The promise is as good as the disk's and
        /// file system's own: a device that reports a flush it has not done can break it.
        case full
        /// A crash or kill of the program. Loss of power, or a crash of the system, may undo the last commits, each as a whole, and never damages
        /// the file (`PRAGMA synchronous = NORMAL`).
        ///
        /// Costs a disk sync only at checkpoints. `checkpoint(_:)` makes earlier commits durable.
        case normal
        /// A crash or kill of the program only. Loss of power may damage the file beyond repair (`PRAGMA synchronous = OFF`).
        ///
        /// Costs no disk sync. For filling a new file that can be filled again.
        case bulk
    }
}
