import Foundation

/// Threads that read at the same time, and what they cost.
enum BusyReaders {
    /// Reads each part on a thread of its own. Their processor time adds up, and the time on the wall is until the last is done.
    static func run<Part: Sendable, Value>(
        _ parts: [Part], _ stopwatch: Stopwatch, read: @escaping @Sendable (Part) throws -> Value
    ) throws -> [Value] {
        let outcomes = Outcomes<Value>(count: parts.count)
        for (index, part) in parts.enumerated() {
            let thread = Thread {
                outcomes.set(
                    index,
                    Result { () -> (Value, Cost) in
                        let stopwatch = Stopwatch()
                        return (try stopwatch.measureThread { try read(part) }, stopwatch.cost)
                    })
            }
            thread.stackSize = 16 << 20
            thread.start()
        }
        let results = try outcomes.wait()
        stopwatch.add(Cost(cpu: results.reduce(0) { $0 + $1.1.cpu }, wall: results.map { $0.1.wall }.max() ?? 0))
        return results.map { $0.0 }
    }

    /// What the threads have come to.
    ///
    /// `@unchecked Sendable`: `condition` is held for every access to the variable. A value belongs to the thread that made it, then to the
    /// one that waits.
    private final class Outcomes<Value>: @unchecked Sendable {
        typealias Outcome = Result<(Value, Cost), any Error>
        private let condition = NSCondition()
        private var outcomes: [Outcome?]

        init(count: Int) { outcomes = Array(repeating: nil, count: count) }

        func set(_ index: Int, _ outcome: Outcome) {
            condition.lock()
            defer { condition.unlock() }
            outcomes[index] = outcome
            condition.broadcast()
        }

        /// Waits for all of them.
        func wait() throws -> [(Value, Cost)] {
            condition.lock()
            defer { condition.unlock() }
            while outcomes.contains(where: { $0 == nil }) { condition.wait() }
            return try outcomes.compactMap { try $0?.get() }
        }
    }
}
