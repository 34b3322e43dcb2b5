import Foundation

/// Blocks the tool's thread until an asynchronous call has ended, and returns its result.
///
/// - Throws: errors of `body`.
func awaiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
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
