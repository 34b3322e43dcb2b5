import Foundation

/// The source of time and randomness for clients: the system's, or a test's own.
public struct FHIRClock: Sendable {
    /// The current time.
    public var now: @Sendable () -> Date
    /// Returns after the duration, or throws `CancellationError`.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A random number from 0 up to but not including 1.
    public var random: @Sendable () -> Double

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - sleep: returns after the duration, or throws `CancellationError`.
    ///   - random: a random number from 0 up to but not including 1.
    public init(
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    /// The system's.
    public static let system = FHIRClock(
        now: { Date() }, sleep: { try await Task.sleep(for: $0) }, random: { Double.random(in: 0..<1) })
}

extension Date {
    /// The present by the system's clock: where no test sets another.
    package static var present: Date { FHIRClock.system.now() }

    /// The milliseconds since 1970, as tables have times.
    package func milliseconds(_ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> Int64 {
        Int64((timeIntervalSince1970 * 1_000).rounded(rule))
    }
}
