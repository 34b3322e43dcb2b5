import Foundation

/// Adds up the cost of the pieces of work that are to be measured, and leaves out what is between them.
final class Stopwatch {
    private(set) var cost = Cost()

    /// Runs and measures a piece of work.
    func measure<Value>(_ work: () throws -> Value) rethrows -> Value {
        Self.settleHeap()
        return try run(work, by: CLOCK_PROCESS_CPUTIME_ID, of: .process, counted: 1)
    }

    /// Runs a piece of work inside a measured one without counting it.
    func exclude<Value>(_ work: () throws -> Value) rethrows -> Value {
        try run(work, by: CLOCK_PROCESS_CPUTIME_ID, of: .process, counted: -1)
    }

    /// Runs a piece of work on this thread and measures what this thread alone used.
    func measureThread<Value>(_ work: () throws -> Value) rethrows -> Value {
        Self.settleHeap()
        return try run(work, by: CLOCK_THREAD_CPUTIME_ID, of: .thread, counted: 1)
    }

    /// - Parameters:
    ///   - clock: the one of the processor's time.
    ///   - scope: whose written bytes count.
    ///   - times: 1 adds the cost, -1 takes it off.
    @inline(never)
    private func run<Value>(
        _ work: () throws -> Value, by clock: clockid_t, of scope: WrittenBytes.Scope, counted times: Double
    ) rethrows -> Value {
        // To ask for the bytes takes some microseconds, which never fall into what counts.
        let isInner = times < 0
        var written = isInner ? 0 : WrittenBytes.count(scope)
        let cpu = Self.seconds(clock)
        let wall = Self.seconds(CLOCK_MONOTONIC)
        if isInner { written = WrittenBytes.count(scope) }
        defer {
            var end = isInner ? WrittenBytes.count(scope) : 0
            cost.cpu += (Self.seconds(clock) - cpu) * times
            cost.wall += (Self.seconds(CLOCK_MONOTONIC) - wall) * times
            if !isInner { end = WrittenBytes.count(scope) }
            cost.written += Double(end - written) * times
        }
        return try work()
    }

    /// Adds what was measured elsewhere.
    func add(_ other: Cost) {
        cost.cpu += other.cpu
        cost.wall += other.wall
        cost.written += other.written
    }

    /// Where the allocator's answer goes, so that the compiler does not find the question needless.
    ///
    /// `nonisolated(unsafe)`: nobody reads it.
    nonisolated(unsafe) private static var block: UnsafeMutableRawPointer?

    /// Has the allocator finish what it has put off. glibc only collects small blocks that are freed, and joins them when somebody asks for
    /// a large one: that would be the measured work, which would pay for what was freed before it.
    @inline(never)
    private static func settleHeap() {
        let block = malloc(1 << 12)
        Self.block = block
        free(block)
    }

    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
