import Foundation

/// Threads that work on jobs, in the order in which these were added; the values of the jobs are passed on in that order, too.
///
/// Each thread has a tool of its own, such as a transaction. The thread that adds the jobs works on them while it waits for a value.
///
/// `@unchecked Sendable`: `condition` is held for every access.
package final class OrderedWorkers<Tool>: @unchecked Sendable {
    private typealias Job = @Sendable (Tool) -> Void

    /// The number of jobs of `OrderedValues` that are worked on or whose values wait to be passed on, for each thread.
    private static var jobsAhead: Int { 3 }

    private let condition = NSCondition()
    private var jobs: [Job] = []
    private var nextJob = 0
    private var isEnded = false
    /// The number of threads that have not ended.
    private var running = 0

    /// The number of threads, without that of the caller.
    let count: Int

    init(count: Int) { self.count = count }

    // MARK: - Jobs

    /// Adds a job, whose value is that of the slot afterwards.
    private func add<Value>(_ slot: Slot<Value>, _ job: @escaping @Sendable (Tool) throws -> Value) {
        condition.lock()
        defer { condition.unlock() }
        if nextJob == jobs.count { (jobs, nextJob) = ([], 0) }
        jobs.append { [self] tool in
            let result = Result { try job(tool) }
            condition.lock()
            slot.result = result
            condition.broadcast()
            condition.unlock()
        }
        condition.signal()
    }

    /// The next job, if one waits. Called with the lock.
    private func take() -> Job? {
        guard nextJob < jobs.count else { return nil }
        defer { nextJob += 1 }
        return jobs[nextJob]
    }

    /// Works on jobs with the caller's tool until a value is there.
    private func value<Value>(of slot: Slot<Value>, _ tool: Tool) throws -> Value {
        while true {
            condition.lock()
            while slot.result == nil, nextJob == jobs.count { condition.wait() }
            if let result = slot.result {
                condition.unlock()
                return try result.get()
            }
            let job = take()
            condition.unlock()
            job?(tool)
        }
    }

    /// What becomes of a job. The lock of its workers guards it.
    private final class Slot<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }

    // MARK: - Values

    /// Jobs whose values have not been passed on.
    package final class Values<Value: Sendable> {
        private let workers: OrderedWorkers
        private let tool: Tool
        private var slots: [Slot<Value>] = []
        private let ahead: Int
        /// Whether a job failed, or who gets the values did.
        private var hasFailed = false

        /// - Parameters:
        ///   - tool: what the caller's thread works with.
        ///   - isBounded: whether adding a job passes on the first value if many jobs are under way, so that memory holds the values of a few for each
        ///     thread. Default: true.
        package init(of workers: OrderedWorkers, _ tool: Tool, isBounded: Bool = true) {
            self.workers = workers
            self.tool = tool
            ahead = isBounded ? OrderedWorkers.jobsAhead * (workers.count + 1) : .max
        }

        /// Adds a job, which any of the threads does.
        ///
        /// - Parameter deliver: gets the values of earlier jobs, on this thread.
        /// - Throws: the error of an earlier job, after the values before it were passed on; errors of `deliver`; `CancellationError`.
        package func add(_ job: @escaping @Sendable (Tool) throws -> Value, _ deliver: (Value) throws -> Void) throws {
            let slot = Slot<Value>()
            slots.append(slot)
            workers.add(slot, job)
            while slots.count >= ahead { try passOn(deliver) }
        }

        /// Passes on the values that are left.
        ///
        /// - Throws: as `add` does.
        package func finish(_ deliver: (Value) throws -> Void) throws { while !slots.isEmpty { try passOn(deliver) } }

        /// Runs `body`, which adds jobs, and passes on the values that are left. An error of `body` itself, as where what it reads ends too soon, comes
        /// after the values of the jobs that it has added.
        ///
        /// - Throws: as `add` does; errors of `body`.
        package func passOnAll(_ deliver: (Value) throws -> Void, adding body: () throws -> Void) throws {
            do { try body() } catch {
                if !hasFailed { try finish(deliver) }
                throw error
            }
            try finish(deliver)
        }

        private func passOn(_ deliver: (Value) throws -> Void) throws {
            do {
                try Cancellation.check()
                try deliver(workers.value(of: slots.removeFirst(), tool))
            } catch {
                hasFailed = true
                throw error
            }
        }
    }

    // MARK: - Threads

    /// Announces a thread that is going to call `work`.
    func begin() {
        condition.lock()
        running += 1
        condition.unlock()
    }

    /// Works on jobs until `end` is called.
    func work(_ tool: Tool) {
        condition.lock()
        while !isEnded {
            if let job = take() {
                condition.unlock()
                job(tool)
                condition.lock()
            } else {
                condition.wait()
            }
        }
        condition.unlock()
    }

    /// The thread uses its tool no longer.
    func finish() {
        condition.lock()
        running -= 1
        condition.broadcast()
        condition.unlock()
    }

    /// Discards jobs that have not begun, and waits for those that have.
    func end() {
        condition.lock()
        isEnded = true
        (jobs, nextJob) = ([], 0)
        condition.broadcast()
        while running > 0 { condition.wait() }
        condition.unlock()
    }
}

extension OrderedWorkers where Tool == Void {
    /// Runs `body` with threads that need nothing of their own; they have ended when it returns.
    ///
    /// - Parameter cores: the number of threads, with that of the caller.
    package static func run<Result>(onCores cores: Int, _ body: (OrderedWorkers) throws -> Result) rethrows -> Result {
        let workers = OrderedWorkers(count: max(cores, 1) - 1)
        defer { workers.end() }
        for _ in 0..<workers.count {
            workers.begin()
            let thread = Thread {
                workers.work(())
                workers.finish()
            }
            // Resources may be nested deeply.
            thread.stackSize = Importer.stackSize
            thread.start()
        }
        return try body(workers)
    }
}
