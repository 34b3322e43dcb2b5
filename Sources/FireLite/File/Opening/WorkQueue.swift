import Dispatch
import Foundation

/// Runs blocks that may block, such as SQLite's calls, on threads of their own: as many at once as there are connections to use, the others
/// in the order in which they came.
///
/// A thread for each block would be as many as there are waiting calls: 500 writes at once made 259 threads, all but one of them waiting for
/// the connection.
final class WorkQueue: @unchecked Sendable {
    // `lock` guards every variable.
    private let lock = NSLock()
    /// How many threads are not in use.
    private var free: Int
    private var waiting: [Ticket: @Sendable () -> Void] = [:]
    /// Tickets from the first that may wait to the next to be given.
    private var tickets: Range<Ticket> = 0..<0

    typealias Ticket = Int

    /// - Parameter width: how many blocks run at once.
    init(width: Int) { free = width }

    /// Runs a block as soon as a thread is free.
    func add(_ block: @escaping @Sendable () -> Void) -> Ticket {
        lock.lock()
        defer { lock.unlock() }
        let ticket = tickets.upperBound
        tickets = tickets.lowerBound..<ticket + 1
        waiting[ticket] = block
        guard free > 0 else { return ticket }
        free -= 1
        // A serial queue gets a thread whatever else there is to do. Those of a concurrent one are, on Linux, the few that run all
        // tasks: as many long statements as there are processors would leave none to cancel them.
        DispatchQueue(label: "FireLite").async { while let next = self.next() { next() } }
        return ticket
    }

    /// Takes back a block that has not begun; false if it has.
    func withdraw(_ ticket: Ticket) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return waiting.removeValue(forKey: ticket) != nil
    }

    /// The block that has waited longest; nil if none waits, and the thread is free then.
    private func next() -> (@Sendable () -> Void)? {
        lock.lock()
        defer { lock.unlock() }
        while let ticket = tickets.first {
            tickets.removeFirst()
            if let block = waiting.removeValue(forKey: ticket) { return block }
        }
        free += 1
        return nil
    }
}
