/// The asynchronous form of everything that blocks.
extension WorkQueue {
    /// For work without an open store, such as recovering a damaged one.
    static let unopened = WorkQueue(width: 4)

    /// Runs `body` on one of the queue's threads. A task that is cancelled while it waits for its turn stops waiting; later,
    /// `Cancellation.current` tells the thread.
    ///
    /// - Parameters:
    ///   - interruptsWrites: whether cancelling interrupts statements of writes. Default: true.
    ///   - deadline: when it must be done; nil if it may take any time. Default: nil.
    ///   - body: blocks the thread. It is released before the caller continues, and what it returns is the caller's alone.
    /// - Throws: errors of `body`; `CancellationError`; `TimeLimitExceeded` after the deadline.
    func run<Value>(
        interruptsWrites: Bool = true, deadline: ContinuousClock.Instant? = nil, _ body: sending @escaping () throws -> Value
    ) async throws -> sending Value {
        try Task.checkCancellation()
        let cancellation = Cancellation(interruptsWrites: interruptsWrites, deadline: deadline)
        let body = HandedOver(body)
        let outcome: Outcome<HandedOver<Value>> = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ticket = add {
                    let outcome = Outcome(Result { try HandedOver(cancellation.run(body.value)) })
                    return { continuation.resume(returning: outcome) }
                }
                cancellation.whenRequested { if self.withdraw(ticket) { continuation.resume(throwing: CancellationError()) } }
            }
        } onCancel: {
            cancellation.request()
        }
        return try outcome.take().get().value
    }
}

/// Objects on their way from the thread that created them to the task that requested them, or with a task's work to the thread that does it.
///
/// `@unchecked Sendable`: the sender keeps no reference to them, and the queue's lock, or resuming the continuation, orders the two.
struct HandedOver<Value>: @unchecked Sendable {
    nonisolated(unsafe) let value: Value
    init(_ value: Value) { self.value = value }
}

/// A result that the task takes out, so that the thread that made it keeps an empty box at most.
///
/// `@unchecked Sendable`: the thread does not use it after resuming the continuation, which orders the two.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    private var result: Result<Value, any Error>?

    init(_ result: Result<Value, any Error>) { self.result = result }

    func take() -> Result<Value, any Error> {
        defer { result = nil }
        return result ?? .failure(CancellationError())
    }
}
