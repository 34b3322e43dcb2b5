import Foundation

/// The seconds of CPU time that this thread has used: what other tests and programs do at the same time is not in them.
public func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Does `work`, and says how many seconds of CPU time it took, with the tasks and default actors in it; threads that it starts are not counted.
public func timed<Value>(_ work: () async throws -> Value) async throws -> (value: Value, seconds: Double) {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
        let start = ContinuousClock.now
        let value = try await work()
        return (value, start.duration(to: .now) / .seconds(1))
    }
    let executor = TimedExecutor()
    let value = try await withTaskExecutorPreference(executor) { try await work() }
    return (value, executor.seconds)
}

/// Runs tasks one after another, and adds up their time.
///
/// `@unchecked Sendable`: `queue` guards `total`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class TimedExecutor: TaskExecutor, @unchecked Sendable {
    private let queue = DispatchQueue(label: "FireLite timed test")
    /// Of the queue alone.
    private var total = 0.0

    /// The time of what has run, the last of it included.
    var seconds: Double { queue.sync { total } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async {
            let start = threadSeconds()
            job.runSynchronously(on: executor)
            self.total += threadSeconds() - start
        }
    }
}
