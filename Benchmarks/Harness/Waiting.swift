import Dispatch
import Foundation

/// Runs asynchronous work while the calling thread waits, so that its whole cost falls into one measurement.
enum Waiting {
    /// `@unchecked Sendable`: the semaphore separates the write from the read.
    private final class Box<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }

    static func value<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = Box<Value>()
        let isDone = DispatchSemaphore(value: 0)
        _Concurrency.Task {
            do { box.result = .success(try await work()) } catch { box.result = .failure(error) }
            isDone.signal()
        }
        isDone.wait()
        guard let result = box.result else { throw BenchmarkFailure("asynchronous work ended without a result") }
        return try result.get()
    }
}
