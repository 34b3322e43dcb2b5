import FireLiteSQLite
import Foundation

/// Waits for another connection's lock, and retries meanwhile.
///
/// SQLite's own busy handler sleeps up to a tenth of a second between two attempts
/// (<https://www.sqlite.org/c3ref/busy_timeout.html>). A process that writes without a pause leaves the lock free for only a few microseconds
/// between two writes, so another one may miss these moments for a minute. This handler retries every few milliseconds, at random, and goes by
/// the clock.
final class BusyWait {
    private static let longestPause: UInt32 = 5_000
    private let milliseconds: Int
    private var end = DispatchTime.distantFuture

    init(milliseconds: Int) { self.milliseconds = milliseconds }

    /// Pauses; returns false when the time is up.
    ///
    /// - Parameter attempts: the number of previous attempts for the same lock.
    private func pause(after attempts: Int32) -> Bool {
        let now = DispatchTime.now()
        if attempts == 0 { end = now + .milliseconds(milliseconds) }
        guard now < end else { return false }
        usleep(UInt32.random(in: 100...(attempts < 4 ? 500 : Self.longestPause)))
        return true
    }

    /// Installs the handler in the connection; the object must live as long as the connection.
    func install(_ handle: OpaquePointer) {
        sqlite3_busy_handler(
            handle,
            { context, attempts in
                guard let context else { return 0 }
                return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().pause(after: attempts) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
