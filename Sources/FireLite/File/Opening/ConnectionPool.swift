import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// Gives the writing connection to one thread at a time, and reading connections to several.
final class ConnectionPool: @unchecked Sendable {
    // `lock` guards every variable below; only the thread that took the writer uses it.
    private let lock = NSCondition()
    /// Nil before it is opened, and in a read-only store.
    private var writer: StoreWriter?
    private var isWriterTaken = false
    private var opener: StoreOpener?
    /// The maximum number of readers; nil if the writing connection is used for reading too.
    private let maximumReaders: Int?
    private var idleReaders: [StoreConnection] = []
    private var readerCount = 0
    /// The number of those who read with a connection of their own.
    private var separateReaders = 0
    /// Whether readers must wait.
    private var isClosedToReaders = false
    /// Whether the store was closed for good.
    private var isClosed = false
    /// The transaction each thread is in.
    private var transactions: [UInt: ReadTransaction] = [:]

    /// - Parameter opener: opens reading connections; nil if the writing one is used for reading too.
    init(writer: StoreWriter, opener: StoreOpener?) {
        self.writer = writer
        self.opener = opener
        maximumReaders = opener.map { max($0.configuration.maximumReaders, 1) }
    }

    /// A read-only store, or one whose writing connection is opened by the first write.
    init(reader: StoreConnection, opener: StoreOpener) {
        self.opener = opener
        maximumReaders = max(opener.configuration.maximumReaders, 1)
        idleReaders = [reader]
        readerCount = 1
    }

    private static var threadKey: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    // MARK: - Current transactions

    var current: ReadTransaction? {
        lock.lock()
        defer { lock.unlock() }
        return transactions[Self.threadKey]
    }

    func setCurrent(_ transaction: ReadTransaction?) {
        lock.lock()
        defer { lock.unlock() }
        transactions[Self.threadKey] = transaction
    }

    // MARK: - Writing

    func takeWriter() throws -> StoreWriter {
        lock.lock()
        if let opener, opener.configuration.access != .readWrite {
            lock.unlock()
            throw FHIRStoreError(
                .readOnly, "\(opener.path) was opened read-only", remedy: .openForWriting)
        }
        while isWriterTaken { lock.wait() }
        if isClosed {
            lock.unlock()
            throw Self.closed
        }
        isWriterTaken = true
        let (writer, opener) = (writer, opener)
        lock.unlock()
        if let writer { return writer }
        do {
            // Invariant: only a store with a file is ever without its writer.
            guard let opener else { preconditionFailure("a store without a file has lost its writer") }
            let (writer, _) = try opener.open()
            lock.lock()
            self.writer = writer
            lock.unlock()
            return writer
        } catch {
            giveBackWriter()
            throw error
        }
    }

    /// Runs `body` with the writing connection, nil if it is not open, while nobody writes; does nothing if somebody does.
    func withIdleWriter(_ body: (StoreWriter?) throws -> Void) rethrows {
        lock.lock()
        guard !isWriterTaken, !isClosed else { return lock.unlock() }
        isWriterTaken = true
        let writer = writer
        lock.unlock()
        defer { giveBackWriter() }
        try body(writer)
    }

    /// A further reading connection, for the caller alone; nil for a store without a file.
    func openReader() throws -> StoreConnection? {
        lock.lock()
        let opener = isClosed ? nil : opener
        lock.unlock()
        return try opener?.openReader()
    }

    /// Announces that the caller reads with a connection of its own, so that the store is not closed meanwhile. Waits like a read.
    ///
    /// - Throws: `FHIRStoreError.closed`.
    func beginReadingAlone() throws {
        lock.lock()
        defer { lock.unlock() }
        while !isClosed, isClosedToReaders { lock.wait() }
        if isClosed { throw Self.closed }
        separateReaders += 1
    }

    /// The caller's connection is closed.
    func endReadingAlone() {
        lock.lock()
        separateReaders -= 1
        lock.broadcast()
        lock.unlock()
    }

    func giveBackWriter() {
        lock.lock()
        isWriterTaken = false
        lock.broadcast()
        lock.unlock()
    }

    // MARK: - Reading

    func takeReader() throws -> StoreConnection {
        guard let maximumReaders else { return try takeWriter().access }
        lock.lock()
        while !isClosed, isClosedToReaders || idleReaders.isEmpty && readerCount >= maximumReaders { lock.wait() }
        if isClosed {
            lock.unlock()
            throw Self.closed
        }
        if let reader = idleReaders.popLast() {
            // A connection to a file that another program has changed since is closed, and another one opened.
            guard reader.stillFile?.hasChanged == true else {
                lock.unlock()
                return reader
            }
        } else {
            readerCount += 1
        }
        let opener = opener
        lock.unlock()
        do {
            // Invariant: only a store with a file has readers.
            guard let opener else { preconditionFailure("readers of a store without a file") }
            return try opener.openReader()
        } catch {
            lock.lock()
            readerCount -= 1
            lock.broadcast()
            lock.unlock()
            throw error
        }
    }

    func giveBack(_ reader: StoreConnection) {
        if maximumReaders == nil { return giveBackWriter() }
        lock.lock()
        idleReaders.append(reader)
        lock.broadcast()
        lock.unlock()
    }

    /// The key that connections are opened with.
    var key: Secret? {
        lock.lock()
        defer { lock.unlock() }
        return opener?.configuration.key
    }

    /// The number of reading connections that nobody uses right now.
    var idleReaderCount: Int {
        lock.lock()
        defer { lock.unlock() }
        return idleReaders.count
    }

    /// Closes reading connections that nobody uses; later reads open others.
    func closeIdleReaders() {
        lock.lock()
        let idle = idleReaders
        idleReaders.removeAll()
        readerCount -= idle.count
        lock.unlock()
        // Closed here, without the lock.
        withExtendedLifetime(idle) {}
    }

    // MARK: - Without connections

    /// Whether somebody reads. Called with the lock.
    private var areReadersBusy: Bool { idleReaders.count < readerCount || separateReaders > 0 }

    private static var closed: FHIRStoreError {
        FHIRStoreError(.closed, "the store was closed", remedy: .openAgain)
    }

    /// Waits until nobody writes or reads, and closes all connections for good.
    ///
    /// - Parameter patience: the maximum time to wait, in milliseconds.
    /// - Returns: false if the time was too short; the store then stays open.
    func close(patience: Int) -> Bool {
        lock.lock()
        defer {
            isClosedToReaders = false
            lock.broadcast()
            lock.unlock()
        }
        isClosedToReaders = true
        let end = Date(timeIntervalSinceNow: Double(patience) / 1_000)
        while isWriterTaken || areReadersBusy { if !lock.wait(until: end) { return false } }
        isClosed = true
        idleReaders.removeAll()
        readerCount = 0
        writer = nil
        return true
    }

    /// Waits until nobody writes or reads, closes all connections and runs `body`, which may change how later ones are opened. New reads and
    /// writes wait meanwhile.
    ///
    /// - Parameter patience: the maximum time to wait for readers, in milliseconds.
    /// - Returns: false if the time was too short; `body` has not run then.
    func withoutConnections(patience: Int, _ body: (inout StoreOpener) throws -> Void) throws -> Bool {
        lock.lock()
        while isWriterTaken { lock.wait() }
        if isClosed {
            lock.unlock()
            throw Self.closed
        }
        isWriterTaken = true
        isClosedToReaders = true
        defer {
            isWriterTaken = false
            isClosedToReaders = false
            lock.broadcast()
            lock.unlock()
        }
        let end = Date(timeIntervalSinceNow: Double(patience) / 1_000)
        while areReadersBusy { if !lock.wait(until: end) { return false } }
        // Invariant: only a store with a file is rekeyed.
        guard var opener else { preconditionFailure("a store without a file cannot be closed") }
        idleReaders.removeAll()
        readerCount = 0
        writer = nil
        lock.unlock()
        let result = Result { try body(&opener) }
        lock.lock()
        self.opener = opener
        try result.get()
        return true
    }
}
