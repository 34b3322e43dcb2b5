import Foundation

/// The time and the randomness of clients: the system's, or a test's own.
public struct FHIRClock: Sendable {
    /// The present.
    public var now: @Sendable () -> Date
    /// Returns after a while, or throws `CancellationError`.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A random number of at least 0 and less than 1.
    public var random: @Sendable () -> Double

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - sleep: returns after a while, or throws `CancellationError`.
    ///   - random: a random number of at least 0 and less than 1.
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
