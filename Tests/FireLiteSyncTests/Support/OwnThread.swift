import Dispatch
import Testing

extension Trait where Self == OwnThread {
    /// Each test of the suite runs on a thread of its own.
    static var ownThread: OwnThread { OwnThread() }
}

/// Gives each test, and the tasks in it, a thread of its own.
///
/// Tests of flows wait hundreds of times for an answer. Each time they would wait for a turn of the few threads that all tasks share too, which other
/// tests keep busy for seconds: a flow of one second took ten minutes.
struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await onOwnThread(function)
    }
}

/// Runs a block, and the tasks in it, on a thread of its own.
func onOwnThread(_ body: @Sendable () async throws -> Void) async throws {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return try await body() }
    let executor = ThreadExecutor()
    try await ThreadExecutor.$current.withValue(executor) {
        try await withTaskExecutorPreference(executor) { try await body() }
    }
}

/// Runs tasks one after another on a serial queue, which always gets a thread.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ThreadExecutor: TaskExecutor {
    /// That of the test. Tasks without a parent do not inherit it.
    @TaskLocal static var current: ThreadExecutor?

    private let queue = DispatchQueue(label: "FireLite test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}

/// Starts a task without a parent, on the test's own thread if it has one.
func startTask(_ body: @escaping @Sendable () async -> Void) {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
        Task { await body() }
        return
    }
    Task(executorPreference: ThreadExecutor.current) { await body() }
}
