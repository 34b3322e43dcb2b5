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
/// One write runs at a time; reads run beside it, each on its own snapshot. Safe to use from any thread.
public final class FHIRStore: Sendable {
    public let release: FHIRRelease
    /// The path of the file; `:memory:` for a store in memory.
    public let path: String
    let identity: StoreIdentity
    let pool: ConnectionPool
    /// Where asynchronous writes run, one at a time.
    let writes = WorkQueue(width: 1)
    /// Where asynchronous reads run, as many at once as there are connections for them.
    let reads: WorkQueue
    private let givenConfiguration: Configuration
    /// Whether what is read is compared with its digest.
    var verifiesContent: Bool { givenConfiguration.verifiesContent }

    /// How the store was opened, with the key it has now.
    public var configuration: Configuration {
        var configuration = givenConfiguration
        configuration.key = pool.key
        return configuration
    }

    /// Opens the store at `path`; a new file, which only its owner may read and write (mode 0600), is made where there is none.
    ///
    /// - Parameters:
    ///   - release: the FHIR release whose resources it holds, `.r4` from FireLiteR4.
    ///   - configuration: default: for reading and writing, durable, waits 5 seconds for locks.
    /// - Throws: `FHIRStoreError`: `cannotOpen`, `notAStore`, `missingKey`, `wrongKey`, `notEncrypted`, `noEncryption`, `wrongRelease`,
    ///   `newerFormat`, `olderFormat`, `readOnly`, `busy`.
    public init(path: String, release: FHIRRelease, configuration: Configuration = Configuration()) throws {
        self.release = release
        self.path = path
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

    /// Closes all connections to the file, so that it can be moved or deleted. Waits for the reads and writes that run, up to the busy timeout.
    /// Later calls throw `closed`; closing again does nothing. A store that is released is closed, too.
    ///
    /// - Precondition: not inside a read or write of this store.
    /// - Throws: `FHIRStoreError.busy` if reads or writes still run; the store can be used as before then.
    public func close() throws {
        misuse(unless: currentTransaction == nil, "close() inside a read or write of the same store would wait for itself: call it outside")
        guard pool.close(patience: configuration.busyMilliseconds) else {
            throw FHIRStoreError(
                .busy, "\(path) is being read or written, so it was not closed: end long reads and writes and close it again")
        }
    }

    /// A store in memory, which is discarded when released.
    ///
    /// - Throws: `FHIRStoreError`.
    public static func inMemory(release: FHIRRelease) throws -> FHIRStore {
        try FHIRStore(path: ":memory:", release: release)
    }

    /// The digest under which a resource is stored as it is now, for `WriteTransaction.store(_:digests:)`. Any thread may ask.
    package func digest(of resource: FHIRResource) -> ContentDigest.Value {
        ContentDigest.digest(of: resource, key: identity.digestKey)
    }

    /// Maps errors of SQLite to `FHIRStoreError`.
    func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: path, isOpen: true)
        }
    }

    // MARK: - Transactions

    /// Runs `body` as one write: when it returns, what it did is stored; when it throws, nothing of it is, and managed objects are as before.
    ///
    /// - Precondition: not inside another write of this store.
    /// - Throws: what `body` throws; `FHIRStoreError`: `conflict`, `busy`, `diskFull`, `readOnly`.
    @discardableResult
    public func write<Value>(_ body: (WriteTransaction) throws -> Value) throws -> Value {
        misuse(
            unless: currentTransaction == nil,
            "a write inside a read or write of the same store would wait for itself: use the transaction that is given to the block")
        let writer = try mapping { try pool.takeWriter() }
        defer { pool.giveBackWriter() }
        try mapping { try writer.begin() }
        let transaction = WriteTransaction(store: self, writer: writer)
        pool.setCurrent(transaction)
        defer {
            transaction.end()
            pool.setCurrent(nil)
        }
        do {
            let result = try body(transaction)
            try transaction.commit()
            return result
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Runs `body` on a snapshot of the store. Inside another read or write of this thread, on that one's.
    ///
    /// - Throws: what `body` throws; `FHIRStoreError`.
    public func read<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
        if let current = currentTransaction { return try body(current) }
        let access = try mapping { try pool.takeReader() }
        defer { pool.giveBack(access) }
        try mapping { try access.begin() }
        let transaction = ReadTransaction(store: self, access: access)
        pool.setCurrent(transaction)
        defer {
            transaction.end()
            pool.setCurrent(nil)
            access.rollback()
        }
        let result = try body(transaction)
        try access.stillFile?.verify()
        return result
    }

    /// Runs `body` on the writing connection, outside of any transaction.
    func withWritingConnection<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        misuse(unless: currentTransaction == nil, "upkeep inside a read or write of the same store would wait for itself: call it outside")
        let writer = try mapping { try pool.takeWriter() }
        defer { pool.giveBackWriter() }
        return try mapping { try body(writer.access.connection) }
    }

    var currentTransaction: ReadTransaction? { pool.current }

    /// The managed objects of the write that this thread is in; nil outside of one.
    var currentObjects: ManagedObjects? { pool.current?.objects }

    /// `read` for the public calls that are one reading.
    func perform<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
        try read { transaction in try transaction.perform { try body(transaction) } }
    }

    // MARK: - Reading in one call

    /// The resource with this type and logical id; nil where there is none.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String) throws -> Resource? {
        try read { try $0.resource(type, id: id) }
    }

    /// The resource with this type name and logical id; nil where there is none.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is no resource type of the release.
    public func resource(typeName: String, id: String) throws -> FHIRResource? {
        try read { try $0.resource(typeName: typeName, id: id) }
    }

    /// The stored resources with these ids, in the order of the ids; ids of nothing are passed over.
    public func resources<Resource: FHIRResource>(_ type: Resource.Type, ids: some Sequence<String>) throws -> [Resource] {
        try read { try $0.resources(type, ids: ids) }
    }

    /// The resource with this pk; nil where there is none, or one of another type.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, pk: String) throws -> Resource? {
        try read { try $0.resource(type, pk: pk) }
    }

    /// How many resources of a type the store holds; contained ones do not count.
    public func count<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int {
        try read { try $0.count(type) }
    }

    /// The types the store holds resources of, by name, and how many.
    public func counts() throws -> [TypeCount] {
        try read { try $0.counts() }
    }
}
