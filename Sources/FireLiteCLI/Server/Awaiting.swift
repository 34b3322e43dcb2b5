import FireLiteCore
import Foundation

/// Blocks the tool's thread until an asynchronous call has ended, and returns its result.
///
/// - Precondition: the caller is no task. Tasks share a few threads, and as many callers as there are threads would wait for ever.
/// - Throws: errors of `body`.
func awaiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    misuse(unless: withUnsafeCurrentTask { $0 == nil }, "the command waits for tasks, so none can run it: start the tool as a process")
    let outcome = AwaitedOutcome<Value>()
    Task {
        do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
        outcome.isDone.signal()
    }
    outcome.isDone.wait()
    guard let result = outcome.result else { throw CancellationError() }
    return try result.get()
}

/// `@unchecked Sendable`: the result is written before `isDone` is signalled, and read after it was waited for.
private final class AwaitedOutcome<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, any Error>?
    let isDone = DispatchSemaphore(value: 0)
}
