import Dispatch
import Foundation

/// Runs blocking work, such as SQLite calls, on its own threads: as many blocks at once as there are connections, the others
/// in the order in which they arrived.
///
/// A thread for each block would mean a thread for each waiting call: 500 concurrent writes created 259 threads, all but one of them waiting for
/// the connection.
final class WorkQueue: @unchecked Sendable {
    // `lock` guards every variable.
    private let lock = NSLock()
    /// The number of idle threads.
    private var free: Int
    private var waiting: [Ticket: Block] = [:]
    /// Tickets, from the first one waiting to the next one to issue.
    private var tickets: Range<Ticket> = 0..<0

    typealias Ticket = Int
    /// Blocking work, and what to call when the thread has released it.
    typealias Block = @Sendable () -> @Sendable () -> Void

    /// - Parameter width: the maximum number of blocks that run at once.
    init(width: Int) { free = width }

    /// Runs a block as soon as a thread is free, releases it, and then calls what it returned.
    func add(_ block: @escaping Block) -> Ticket {
        lock.lock()
        defer { lock.unlock() }
        let ticket = tickets.upperBound
        tickets = tickets.lowerBound..<ticket + 1
        waiting[ticket] = block
        guard free > 0 else { return ticket }
        free -= 1
        // A serial queue always gets a thread. On Linux, the threads of a concurrent queue are the few that run all
        // tasks: as many long statements as processors would leave none to cancel them.
        DispatchQueue(label: "FireLite").async { while self.runNext() {} }
        return ticket
    }

    /// Cancels a block that has not begun; returns false if it has.
    func withdraw(_ ticket: Ticket) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return waiting.removeValue(forKey: ticket) != nil
    }

    /// Returns false if no block waits.
    private func runNext() -> Bool {
        // The block keeps the store open, so it is released before its caller continues, who may release the store to close it.
        guard let finish = next()?() else { return false }
        finish()
        return true
    }

    /// The block that has waited longest; nil if none waits, and the thread is then idle.
    private func next() -> Block? {
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
