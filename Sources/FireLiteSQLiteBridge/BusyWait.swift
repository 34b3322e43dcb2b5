import FireLiteSQLite
import Foundation

/// How long a connection waits for another's lock, and how often it asks meanwhile.
///
/// SQLite's own handler of busy time-outs sleeps up to a tenth of a second between two attempts
/// (<https://www.sqlite.org/c3ref/busy_timeout.html>). One who writes again and again leaves the lock free for some microseconds between
/// two writes, so another process may not meet such a moment in a minute. This one asks every few milliseconds, at random, and goes by
/// the clock.
final class BusyWait {
    private static let longestPause: UInt32 = 5_000
    private let milliseconds: Int
    private var end = DispatchTime.distantFuture

    init(milliseconds: Int) { self.milliseconds = milliseconds }

    /// Pauses; false where the time is over.
    ///
    /// - Parameter attempts: how often this was asked for the same lock before.
    private func pause(after attempts: Int32) -> Bool {
        let now = DispatchTime.now()
        if attempts == 0 { end = now + .milliseconds(milliseconds) }
        guard now < end else { return false }
        usleep(UInt32.random(in: 100...(attempts < 4 ? 500 : Self.longestPause)))
        return true
    }

    /// Makes the connection wait so; the object must live as long as the connection.
    func install(_ handle: OpaquePointer) {
        sqlite3_busy_handler(
            handle,
            { context, attempts in
                guard let context else { return 0 }
                return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().pause(after: attempts) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
