import Foundation

/// Threads of a test, which are waited for at its end, and what they threw.
final class Threads: @unchecked Sendable {
    // `lock` guards `errors`.
    private let lock = NSLock()
    private var errors: [any Error] = []
    private let group = DispatchGroup()

    /// Starts `body` on a thread of its own.
    func start(_ body: @escaping @Sendable () throws -> Void) {
        group.enter()
        let thread = Thread { [self] in
            do {
                try body()
            } catch {
                lock.lock()
                errors.append(error)
                lock.unlock()
            }
            group.leave()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Waits for all threads and throws what the first one threw that failed.
    func finish() throws {
        group.wait()
        lock.lock()
        defer { lock.unlock() }
        if let error = errors.first { throw error }
    }
}

/// Runs `body` on a thread of its own, so that what blocks for long keeps no other test from its turn.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
