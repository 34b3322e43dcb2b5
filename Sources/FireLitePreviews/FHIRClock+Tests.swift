import FireLiteCore
import Foundation

extension FHIRClock {
    /// A clock that stands still, for tests: always the same time, no waiting, and the same random number.
    ///
    /// - Parameter date: the time.
    public static func fixed(_ date: Date) -> FHIRClock { FHIRClock(now: { date }, sleep: { _ in }, random: { 0.5 }) }

    /// A clock that moves with each look, for tests: no two times are equal, waiting takes no time and moves it too, and random numbers are always the same.
    ///
    /// - Parameters:
    ///   - start: the first time.
    ///   - step: the seconds between two looks. Default: 1.
    public static func stepping(from start: Date, by step: TimeInterval = 1) -> FHIRClock {
        let hand = ClockHand(start)
        return FHIRClock(
            now: { hand.moved(by: step) },
            sleep: { duration in
                try Task.checkCancellation()
                _ = hand.moved(by: TimeInterval(duration.components.seconds) + TimeInterval(duration.components.attoseconds) / 1e18)
            }, random: { 0.5 })
    }
}

/// The time of a clock that moves.
///
/// `@unchecked Sendable` by `lock`.
private final class ClockHand: @unchecked Sendable {
    private let lock = NSLock()
    private var time: Date

    init(_ time: Date) { self.time = time }

    /// The time; afterwards it is later.
    func moved(by seconds: TimeInterval) -> Date {
        lock.withLock {
            defer { time += seconds }
            return time
        }
    }
}
