import Foundation

/// Runs long blocking work for a task, on a thread of its own.
enum TransferWork {
    /// - Parameters:
    ///   - cancel: called when the task is cancelled, besides setting the flag.
    ///   - body: receives a flag that says whether the task was cancelled.
    static func run<Value: Sendable>(
        onCancel cancel: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable (TransferCancellation) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let cancellation = TransferCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread { continuation.resume(with: Result { try body(cancellation) }) }
                thread.stackSize = Importer.stackSize
                thread.start()
            }
        } onCancel: {
            cancellation.request()
            cancel()
        }
    }
}

/// Passes a task's cancellation to the thread that works for it.
///
/// `@unchecked Sendable`: `lock` is held for every access.
final class TransferCancellation: @unchecked Sendable {
    private let lock = NSLock()
    private var requested = false

    var isRequested: Bool {
        lock.lock()
        defer { lock.unlock() }
        return requested
    }

    func request() {
        lock.lock()
        defer { lock.unlock() }
        requested = true
    }
}
