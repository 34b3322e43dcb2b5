import FireLiteSync
import Foundation

/// A clock whose sleeps take no time: they move it on.
///
/// `@unchecked Sendable`: the lock guards the state.
final class TestClock: @unchecked Sendable {
    private let lock = NSLock()
    private var time = Date(timeIntervalSince1970: 1_700_000_000)
    private var slept: [Duration] = []
    private let random: Double

    /// - Parameter random: what every random number is.
    init(random: Double = 1) { self.random = random }

    var sleeps: [Duration] { lock.withLock { slept } }
    var now: Date { lock.withLock { time } }

    func advance(_ seconds: TimeInterval) { lock.withLock { time.addTimeInterval(seconds) } }

    var clock: FHIRClock {
        FHIRClock(
            now: { self.now },
            sleep: { duration in
                try Task.checkCancellation()
                self.lock.withLock {
                    self.slept.append(duration)
                    self.time.addTimeInterval(duration / .seconds(1))
                }
            }, random: { self.random })
    }
}
