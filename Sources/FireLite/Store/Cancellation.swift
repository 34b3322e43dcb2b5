import FireLiteSQLiteBridge
import Foundation

/// Work took longer than its caller allowed.
package struct TimeLimitExceeded: Error {}

/// Passes a task's cancellation to the thread that works for it, and the moment at which its work must be done.
final class Cancellation: @unchecked Sendable {
    // `lock` guards both variables.
    private let lock = NSLock()
    private var requested = false
    private var handlers: [@Sendable () -> Void] = []
    /// Whether a statement of a write is interrupted: not while an app's own block runs, which decides by itself where it can stop.
    let interruptsWrites: Bool
    /// When the work must be done; nil if it may take any time.
    private let deadline: ContinuousClock.Instant?

    init(interruptsWrites: Bool, deadline: ContinuousClock.Instant? = nil) {
        self.interruptsWrites = interruptsWrites
        self.deadline = deadline
    }

    /// Whether the work is to end: its task is cancelled, or its time is over.
    var isRequested: Bool { isCancelled || isLate }

    private var isCancelled: Bool {
        lock.lock()
        defer { lock.unlock() }
        return requested
    }

    var isLate: Bool { deadline.map { $0 <= .now } ?? false }

    /// Why the work is to end.
    private var reason: any Error { isCancelled ? CancellationError() : TimeLimitExceeded() }

    func request() {
        lock.lock()
        requested = true
        let handlers = handlers
        self.handlers = []
        lock.unlock()
        for handler in handlers { handler() }
    }

    /// Runs `handler` once when the task is cancelled, at once if it already was.
    func whenRequested(_ handler: @escaping @Sendable () -> Void) {
        lock.lock()
        let requested = requested
        if !requested { handlers.append(handler) }
        lock.unlock()
        if requested { handler() }
    }

    // MARK: - On the working thread

    // Not a task-local value, which a task that a block starts would inherit.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The cancellation of the task that this thread works for; nil on other threads.
    static var current: Cancellation? {
        pthread_getspecific(key).map { Unmanaged<Cancellation>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends what this thread does for a cancelled task, or longer than it may; does nothing on other threads.
    ///
    /// - Throws: `CancellationError`; `TimeLimitExceeded`.
    static func check() throws { if let current, current.isRequested { throw current.reason } }

    /// Ends a long call for a cancelled task: the one that this thread works for, or the one in which a blocking form is called.
    ///
    /// - Throws: `CancellationError`; `TimeLimitExceeded`.
    static func checkCall() throws {
        try check()
        if Task.isCancelled { throw CancellationError() }
    }

    /// Runs `body` for the task on this thread.
    ///
    /// - Throws: errors of `body`; `CancellationError` if the task is cancelled before it or ends a statement of it, and `TimeLimitExceeded` if its
    ///   time ends.
    func run<Value>(_ body: () throws -> Value) throws -> Value {
        if isRequested { throw reason }
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, nil) }
        do {
            return try body()
        } catch let error as FHIRStoreError where error.code == .interrupted && isRequested {
            throw reason
        }
    }
}

extension Connection {
    /// Runs `body`; a statement of it ends if this thread works for a task and that is cancelled.
    func untilCancelled<Value>(isWrite: Bool = false, _ body: () throws -> Value) rethrows -> Value {
        guard let cancellation = Cancellation.current, cancellation.interruptsWrites || !isWrite else { return try body() }
        return try withProgress({ !cancellation.isRequested }, body)
    }
}
