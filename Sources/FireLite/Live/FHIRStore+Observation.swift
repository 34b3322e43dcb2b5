import FireLiteCore

/// How often an observer reads: see `FHIRQuery.updates(every:)`.
public enum UpdateInterval {
    /// The shortest time between two reads of an observer unless it asks for another: 50 milliseconds.
    public static let standard: Duration = .milliseconds(50)
}

extension FHIRStore {
    /// Runs `body` on a snapshot, on another thread, and notes what it depends on.
    func observe<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction, () throws -> Void) throws -> Value
    ) async throws -> (value: Value, region: ObservedRegion) {
        try await reading {
            self.foreignCommits.start(self)
            return try self.perform { transaction in
                transaction.access.region = ObservedRegion()
                defer { transaction.access.region = nil }
                let value = try body(transaction, Cancellation.check)
                return (value, transaction.access.region ?? ObservedRegion())
            }
        }
    }
}

/// When an observer reads: at first at once, later after a commit that concerns it, but not before the interval has passed.
struct ObservationClock {
    private let interval: Duration
    private var last: ContinuousClock.Instant?

    init(every interval: Duration) { self.interval = interval }

    /// Waits until it is time to read.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    mutating func wait(_ signal: ChangeSignal) async throws {
        if let last {
            try await signal.wait()
            let next = last + interval
            if next > .now { try await Task.sleep(until: next, clock: .continuous) }
        }
        try Task.checkCancellation()
        last = .now
    }
}
