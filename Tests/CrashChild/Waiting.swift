import Foundation

/// What a task came to, for a thread that waits for it.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    // Written before `isDone` is signalled and read after it was waited for.
    var result: Result<Value, any Error>?
    let isDone = DispatchSemaphore(value: 0)
}

/// Blocks until a task has ended.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Outcome<Value>()
    _Concurrency.Task {
        do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
        outcome.isDone.signal()
    }
    outcome.isDone.wait()
    guard let result = outcome.result else { throw CancellationError() }
    return try result.get()
}
