import FireLiteCore
import Foundation
import SQLiteBridge

/// Hands out the writing connection to one thread at a time, and reading ones to several.
final class ConnectionPool: @unchecked Sendable {
    // `lock` guards every variable below; the writer itself belongs to the thread that took it.
    private let lock = NSCondition()
    private let writer: StoreWriter
    private var isWriterTaken = false
    private let opener: StoreOpener?
    private var idleReaders: [StoreConnection] = []
    private var readerCount = 0
    /// The transaction each thread is in.
    private var transactions: [UInt: ReadTransaction] = [:]

    /// - Parameter opener: opens reading connections; nil where the writing one has to serve for reading too.
    init(writer: StoreWriter, opener: StoreOpener?) {
        self.writer = writer
        self.opener = opener
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

    func takeWriter() -> StoreWriter {
        lock.lock()
        defer { lock.unlock() }
        while isWriterTaken { lock.wait() }
        isWriterTaken = true
        return writer
    }

    func giveBackWriter() {
        lock.lock()
        isWriterTaken = false
        lock.broadcast()
        lock.unlock()
    }

    // MARK: - Reading

    func takeReader() throws -> StoreConnection {
        guard let opener else { return takeWriter().access }
        lock.lock()
        while idleReaders.isEmpty, readerCount >= max(opener.configuration.maximumReaders, 1) { lock.wait() }
        if let reader = idleReaders.popLast() {
            lock.unlock()
            return reader
        }
        readerCount += 1
        lock.unlock()
        do {
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
        guard opener != nil else { return giveBackWriter() }
        lock.lock()
        idleReaders.append(reader)
        lock.broadcast()
        lock.unlock()
    }
}
