import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// Hands out the writing connection to one thread at a time, and reading ones to several.
final class ConnectionPool: @unchecked Sendable {
    // `lock` guards every variable below; the writer itself belongs to the thread that took it.
    private let lock = NSCondition()
    /// Nil before it is opened, and in a store that is only read.
    private var writer: StoreWriter?
    private var isWriterTaken = false
    private var opener: StoreOpener?
    /// How many readers there may be; nil where the writing connection serves for reading too.
    private let maximumReaders: Int?
    private var idleReaders: [StoreConnection] = []
    private var readerCount = 0
    /// Whether reading has to wait.
    private var isClosedToReaders = false
    /// Whether the store was closed for good.
    private var isClosed = false
    /// The transaction each thread is in.
    private var transactions: [UInt: ReadTransaction] = [:]

    /// - Parameter opener: opens reading connections; nil where the writing one has to serve for reading too.
    init(writer: StoreWriter, opener: StoreOpener?) {
        self.writer = writer
        self.opener = opener
        maximumReaders = opener.map { max($0.configuration.maximumReaders, 1) }
    }

    /// A store that is only read, or whose writing connection is opened by the first write.
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
                .readOnly, "\(opener.path) was opened for reading only: open it with the access readWrite to change it")
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
            // One that reads a file as it was before another program changed it is closed, and another opened.
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
    var key: EncryptionKey? {
        lock.lock()
        defer { lock.unlock() }
        return opener?.configuration.key
    }

    // MARK: - Without connections

    private static var closed: FHIRStoreError {
        FHIRStoreError(.closed, "the store was closed: open it again with FHIRStore(path:release:)")
    }

    /// Waits until nobody writes or reads, and closes all connections for good.
    ///
    /// - Parameter patience: how many milliseconds to wait.
    /// - Returns: false if that was not long enough; the store goes on then.
    func close(patience: Int) -> Bool {
        lock.lock()
        defer {
            isClosedToReaders = false
            lock.broadcast()
            lock.unlock()
        }
        isClosedToReaders = true
        let end = Date(timeIntervalSinceNow: Double(patience) / 1_000)
        while isWriterTaken || idleReaders.count < readerCount { if !lock.wait(until: end) { return false } }
        isClosed = true
        idleReaders.removeAll()
        readerCount = 0
        writer = nil
        return true
    }

    /// Waits until nobody writes or reads, closes all connections and runs `body`, which may change how later ones are opened; whoever
    /// would write or read waits meanwhile.
    ///
    /// - Parameter patience: how many milliseconds to wait for those who read.
    /// - Returns: false where that was not long enough; `body` has not run then.
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
        while idleReaders.count < readerCount { if !lock.wait(until: end) { return false } }
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
