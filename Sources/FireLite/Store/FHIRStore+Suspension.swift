import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// Ends the running write, and refuses further ones until ``resumeWrites()``: for an app that is about to be suspended.
    ///
    /// ```swift
    /// // When the scene goes to the background, or a background task expires:
    /// store.suspendWrites()
    /// ```
    /// iOS ends an app that is suspended while it holds a lock on a file in a shared container. After this call the store holds none for writing: a running
    /// write has been rolled back, or has just been committed. It and those that wait throw `FHIRStoreError.interrupted`, and can be repeated after
    /// ``resumeWrites()``. Reads go on, from snapshots that lock nobody out.
    ///
    /// Waits until the running write has ended: as long as its block computes between two statements.
    /// - Precondition: not inside a write of this store.
    public func suspendWrites() {
        misuse(
            unless: !(currentTransaction is WriteTransaction),
            "suspendWrites() inside a write of the same store would wait for itself: call it outside")
        suspension.suspend()
    }

    /// Permits writes again. Does nothing if they are permitted.
    public func resumeWrites() { suspension.resume() }

    /// Whether writes are refused since ``suspendWrites()``.
    public var areWritesSuspended: Bool { suspension.isSuspended }

    /// Releases memory that can be filled again: the page caches and statements of connections that nobody uses right now. For an app that the system
    /// has warned of low memory.
    ///
    /// The next reads are slower, as they read pages from the file again. ``Configuration/cacheBytes`` limits the caches at all times.
    public func releaseMemory() {
        // A store in memory would lose its content with its connection.
        pool.closeIdleReaders()
        pool.withIdleWriter { $0?.access.connection.releaseMemory() }
    }
}

/// Whether a store may write, and the write that is running.
///
/// `@unchecked Sendable` by `lock`.
final class WriteSuspension: @unchecked Sendable {
    private let lock = NSCondition()
    private var suspended = false
    /// Whether a write holds the writing connection, which it does until it has committed or rolled back.
    private var isHeld = false
    /// The connection of a write that can be interrupted; nil while it rolls back.
    private var writing: Connection?

    /// How long a write may go on before it is interrupted again: a statement that begins after an interruption is not touched by it.
    private static let patience = 0.001

    var isSuspended: Bool {
        lock.lock()
        defer { lock.unlock() }
        return suspended
    }

    func suspend() {
        lock.lock()
        defer { lock.unlock() }
        suspended = true
        while suspended, isHeld {
            // The connection is in use, so it is open (https://www.sqlite.org/c3ref/interrupt.html).
            writing?.interrupt()
            _ = lock.wait(until: Date(timeIntervalSinceNow: Self.patience))
        }
    }

    func resume() {
        lock.lock()
        defer { lock.unlock() }
        suspended = false
        lock.broadcast()
    }

    /// Begins a write by the thread that has the writing connection.
    ///
    /// - Throws: `FHIRStoreError.interrupted` while writes are suspended.
    func enter() throws {
        lock.lock()
        defer { lock.unlock() }
        if suspended { throw Self.error }
        isHeld = true
    }

    /// The write holds no lock of the file any more.
    func leave() {
        lock.lock()
        isHeld = false
        lock.broadcast()
        lock.unlock()
    }

    /// Runs the part of a write that ends when writes are suspended; if it throws, the caller rolls back.
    ///
    /// - Throws: errors of `body`; `FHIRStoreError.interrupted`.
    func whileActive<Value>(_ connection: Connection, _ body: () throws -> Value) throws -> Value {
        setWriting(connection)
        defer { setWriting(nil) }
        do {
            return try body()
        } catch let error as FHIRStoreError where error.code == .interrupted && isSuspended {
            throw Self.error
        } catch let error as SQLiteError where error.primaryCode == ResultCode.interrupted && isSuspended {
            throw Self.error
        }
    }

    private func setWriting(_ connection: Connection?) {
        lock.lock()
        writing = connection
        lock.unlock()
    }

    private static var error: FHIRStoreError {
        FHIRStoreError(.interrupted, "writes of the store are suspended: repeat the write when they are permitted again")
    }
}
