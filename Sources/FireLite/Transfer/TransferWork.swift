import Foundation

/// Runs long blocking work for a task, on a thread of its own.
enum TransferWork {
    /// - Parameters:
    ///   - cancel: also called when the task is cancelled.
    ///   - body: receives what says whether the task was cancelled.
    static func run<Value: Sendable>(
        onCancel cancel: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable (Cancellation) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let cancellation = Cancellation(interruptsWrites: false)
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
