import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// FHIR resources of one release in one SQLite file: typed objects that save themselves, and tables for SQL.
///
/// ```swift
/// let store = try FHIRStore(path: "health.sqlite", release: .r4)
/// try store.write { tx in try tx.upsert(patient) }
/// let joseph = try store.resource(Patient.self, id: "123")
/// ```
/// One write runs at a time; reads run concurrently, each on its own snapshot. Thread-safe.
public final class FHIRStore: Sendable {
    /// The FHIR release of its resources.
    public let release: FHIRRelease
    /// The path of the file; `:memory:` for an in-memory store.
    public let path: String
    let identity: StoreIdentity
    let pool: ConnectionPool
    /// The queue of asynchronous writes, which runs one at a time.
    let writes = WorkQueue(width: 1)
    /// The queue of asynchronous reads, which runs as many at once as there are connections for them.
    let reads: WorkQueue
    /// The queue of asynchronous upkeep, which waits for reads and writes to end.
    let upkeep = WorkQueue(width: 1)
    /// The queue of imports and of sequences, which wait for those who feed or read them: each has a thread.
    let transfers = WorkQueue(width: .max)
    /// Passes commits on to those who observe the store.
    let announcer = CommitAnnouncer()
    /// The modules that take part in each write.
    let participants = WriteParticipants()
    /// Ends and refuses writes while the app is suspended.
    let suspension = WriteSuspension()
    /// Releases memory when the system reports that it is short, if the app wants that.
    let memoryRelief = MemoryRelief()
    /// Notices commits of other connections and processes while the store is observed.
    let foreignCommits = ForeignCommits()
    /// The tables that observed statements read.
    let statementTables = StatementTables()
    /// The results of observed queries, for queries that are equal.
    let sharedResults = SharedResults()
    /// What keeps payloads apart from their resources, if a module does.
    package let payloads = PayloadKeeping()
    /// What seals the content of resources, if a module does.
    package let sealing = ContentSealing()
    private let givenConfiguration: Configuration
    /// Whether resources are compared with their digests when they are read.
    var verifiesContent: Bool { givenConfiguration.verifiesContent }

    /// The clock of the configuration.
    package var clock: FHIRClock { givenConfiguration.clock }

    /// The configuration of the store, with its current key.
    public var configuration: Configuration {
        var configuration = givenConfiguration
        configuration.key = pool.key
        return configuration
    }

    /// Opens the store at `path`. If there is none, creates a new file that only its owner can read and write (mode 0600).
    ///
    /// - Parameters:
    ///   - path: the path of the file; `:memory:` for an in-memory store.
    ///   - release: the FHIR release of its resources, `.r4` from FireLiteR4.
    ///   - configuration: Default: reading and writing, durable, waits 5 seconds for locks.
    /// - Throws: `FHIRStoreError`: `cannotOpen`, `notAStore`, `missingKey`, `wrongKey`, `notEncrypted`, `noEncryption`, `wrongRelease`,
    ///   `newerFormat`, `olderFormat`, `readOnly`, `busy`, `invalidArgument`.
    public init(path: String, release: FHIRRelease, configuration: Configuration = Configuration()) throws {
        self.release = release
        self.path = path
        var configuration = configuration
        configuration.bases = try configuration.bases.map(BaseAddress.checked)
        givenConfiguration = configuration
        reads = WorkQueue(width: path == ":memory:" ? 1 : max(configuration.maximumReaders, 1))
        let opener = StoreOpener(path: path, release: release, configuration: configuration)
        do {
            guard configuration.access == .readWrite else {
                let (reader, identity) = try opener.openReadOnly()
                self.identity = identity
                pool = ConnectionPool(reader: reader, opener: opener)
                return
            }
            if let (reader, identity) = try opener.openExisting() {
                self.identity = identity
                pool = ConnectionPool(reader: reader, opener: opener.reopening(identity))
                return
            }
            let (writer, identity) = try opener.open()
            self.identity = identity
            pool = ConnectionPool(writer: writer, opener: path == ":memory:" ? nil : opener.reopening(identity))
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: path)
        }
    }

    /// Closes all connections to the file, so that it can be moved or deleted. Waits for running reads and writes, up to the busy timeout.
    /// Later calls throw `closed`; closing again does nothing. Releasing a store closes it too.
    ///
    /// - Precondition: not inside a read or write of this store.
    /// - Throws: `FHIRStoreError.busy` if reads or writes are still running; the store then stays open.
    public func close() throws {
        misuse(unless: currentTransaction == nil, "close() inside a read or write of the same store would wait for itself: call it outside")
        guard pool.close(patience: configuration.busyMilliseconds) else {
            throw FHIRStoreError(
                .busy, "\(path) is being read or written, so it was not closed: end long reads and writes and close it again")
        }
        foreignCommits.stop()
        memoryRelief.end()
        announcer.end()
    }

    /// An in-memory store, which is discarded when released.
    ///
    /// - Throws: `FHIRStoreError`.
    public static func inMemory(release: FHIRRelease) throws -> FHIRStore {
        try FHIRStore(path: ":memory:", release: release)
    }

    /// The digest of a resource's current content, for `WriteTransaction.store(_:digests:)`. Can be called from any thread.
    package func digest(of resource: FHIRResource) -> ContentDigest.Value {
        ContentDigest.digest(of: resource, key: identity.digestKey)
    }

    /// Bytes from which modules derive keys for texts that only this store is to read: no call hands them out.
    package var keySeed: [UInt8] { withUnsafeBytes(of: (identity.digestKey, identity.high)) { Array($0) } }

    /// Maps errors of SQLite to `FHIRStoreError`.
    func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: path, isOpen: true)
        }
    }

    // MARK: - Transactions

    /// Runs `body` as one write. If it returns, all its changes are stored; if it throws, none are, and managed objects are as before.
    ///
    /// - Parameters:
    ///   - origin: where the changes come from; the change log lists only local ones. Default: `.local`.
    ///   - body: changes the store.
    /// - Precondition: not inside a read or another write of this store.
    /// - Throws: errors of `body`; `FHIRStoreError`: `conflict`, `busy`, `diskFull`, `readOnly`.
    @discardableResult
    public func write<Value>(origin: WriteOrigin = .local, _ body: (WriteTransaction) throws -> Value) throws -> Value {
        try write(origin: origin, besides: nil, body)
    }

    /// `write` without a participant, which knows what it does.
    func write<Value>(
        origin: WriteOrigin, besides known: (any WriteParticipant)?, _ body: (WriteTransaction) throws -> Value
    ) throws -> Value {
        misuse(
            unless: currentTransaction == nil,
            "a write inside a read or write of the same store would wait for itself: use the transaction that is passed to the block, or write after it"
        )
        return try recordingReads { try write(origin: origin, besides: known, $0, body) }
    }

    private func write<Value>(
        origin: WriteOrigin, besides known: (any WriteParticipant)?, _ reads: ReadRecord?, _ body: (WriteTransaction) throws -> Value
    ) throws -> Value {
        let writer = try mapping { try pool.takeWriter() }
        defer { pool.giveBackWriter() }
        try suspension.enter()
        defer { suspension.leave() }
        let participants = participants.all.filter { $0 !== known }
        let recording = announcer.recording(for: participants)
        try mapping {
            try writer.begin(recording, origin: origin)
            if recording?.isObserved == true { try foreignCommits.look(writer, announcer) }
        }
        let transaction = WriteTransaction(store: self, writer: writer, participants: participants, reads: reads)
        pool.setCurrent(transaction)
        defer {
            transaction.end()
            pool.setCurrent(nil)
        }
        do {
            return try suspension.whileActive(writer.access.connection) {
                try writer.access.connection.untilCancelled(isWrite: true) {
                    try Cancellation.check()
                    try transaction.begin()
                    let result = try body(transaction)
                    try transaction.commit()
                    return result
                }
            }
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Runs `body` on a snapshot of the store; inside another read or write on this thread, on that one's.
    ///
    /// - Throws: errors of `body`; `FHIRStoreError`.
    public func read<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
        if let current = currentTransaction { return try body(current) }
        return try recordingReads { try begin($0, body) }
    }

    /// `read` without a record of what it hands out, for modules that keep one themselves.
    package func readWithoutRecord<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
        if let current = currentTransaction { return try current.withoutRecord { try body(current) } }
        return try begin(nil, body)
    }

    private func begin<Value>(_ reads: ReadRecord?, _ body: (ReadTransaction) throws -> Value) throws -> Value {
        let access = try mapping { try pool.takeReader() }
        defer { pool.giveBack(access) }
        return try read(on: access, reads, body)
    }

    /// Runs `body` on a snapshot that a connection begins, or has begun.
    func read<Value>(
        on access: StoreConnection, _ reads: ReadRecord?, hasBegun: Bool = false, _ body: (ReadTransaction) throws -> Value
    ) throws -> Value {
        if !hasBegun { try mapping { try access.begin() } }
        let transaction = ReadTransaction(store: self, access: access, reads: reads)
        pool.setCurrent(transaction)
        defer {
            transaction.end()
            pool.setCurrent(nil)
            access.rollback()
        }
        let result = try access.connection.untilCancelled {
            try Cancellation.check()
            return try body(transaction)
        }
        try access.stillFile?.verify()
        return result
    }

    /// Runs `body` on the writing connection, outside of transactions.
    func withWritingConnection<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        misuse(unless: currentTransaction == nil, "upkeep inside a read or write of the same store would wait for itself: call it outside")
        let writer = try mapping { try pool.takeWriter() }
        defer { pool.giveBackWriter() }
        try suspension.enter()
        defer { suspension.leave() }
        let connection = writer.access.connection
        return try mapping { try suspension.whileActive(connection) { try connection.untilCancelled { try body(connection) } } }
    }

    package var currentTransaction: ReadTransaction? { pool.current }

    /// The managed objects of this thread's current write; nil outside of a write.
    var currentObjects: ManagedObjects? { pool.current?.objects }

    /// `read` for public calls that read once.
    ///
    /// - Parameters:
    ///   - observesRestriction: as for `ReadTransaction.perform`.
    ///   - isRecorded: whether what it hands out is recorded; not by a restriction, which does that itself.
    func perform<Value>(
        observesRestriction: Bool = false, isRecorded: Bool = true, _ body: (ReadTransaction) throws -> Value
    ) throws -> Value {
        func run(_ transaction: ReadTransaction) throws -> Value {
            try transaction.perform(observesRestriction: observesRestriction) { try body(transaction) }
        }
        return try isRecorded ? read(run) : readWithoutRecord(run)
    }

    // MARK: - Reading in one call

    /// The resource with this type and logical id; nil if there is none.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        try read { try $0.resource(type, id: id) }
    }

    /// The resource with this type name and logical id; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is not a resource type of the release.
    public func resource(typeName: String, id: String) throws -> FHIRResource? {
        try read { try $0.resource(typeName: typeName, id: id) }
    }

    /// The stored resources with these ids, in the order of the ids; unknown ids are skipped.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        try read { try $0.resources(type, ids: ids) }
    }

    /// The resource with this pk; nil if there is none, or if it has another type.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, pk: String) throws -> Resource? {
        try read { try $0.resource(type, pk: pk) }
    }

    /// The number of stored resources of a type, without contained ones.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int {
        try read { try $0.count(type) }
    }

    /// The types of the stored resources, by name, and the number of each.
    public func counts() throws -> [TypeCount] {
        try read { try $0.counts() }
    }

    // MARK: - Types

    /// The layout of a class, which must be one of the store's release.
    func layout(of type: FHIRResource.Type) -> Layout {
        misuse(
            unless: type != FHIRResource.self,
            "FHIRResource is every resource type: pass a generated class, or the name of a type if the release was read from a file")
        misuse(
            unless: type._layout.release == release,
            "\(type) is a class of FHIR \(type._layout.release), but the store has \(release): use the classes of that release")
        return type._layout
    }
}
