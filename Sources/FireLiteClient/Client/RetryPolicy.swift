import Foundation

/// How often and when a request is repeated.
///
/// A request is repeated if the server was not reached, or asks for it (429, 503); after a broken connection, a timeout and a failure
/// of the server (500, 502, 504) only if repeating changes nothing: ``FHIRRequest/isRepeatable``. Other answers are final.
public struct RetryPolicy: Sendable, Hashable {
    /// How often a request is sent at most, the first time included.
    public var maximumAttempts: Int
    /// The longest wait before the second attempt. It doubles with each further one; the wait is a random part of it.
    public var firstDelay: Duration
    /// The longest wait.
    public var maximumDelay: Duration
    /// How often a request waits for a silent server at most: every time may take the whole timeout. Default: 2.
    public var maximumTimeouts = 2
    /// The longest wait that a server may ask for with `Retry-After`. If it asks for more, the error is thrown at once.
    public var maximumRetryAfter: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: how often a request is sent at most.
    ///   - firstDelay: the longest wait before the second attempt.
    ///   - maximumDelay: the longest wait.
    ///   - maximumRetryAfter: the longest wait that a server may ask for.
    public init(
        maximumAttempts: Int = 4, firstDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30),
        maximumRetryAfter: Duration = .seconds(120)
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// Each request is sent once.
    public static let never = RetryPolicy(maximumAttempts: 1)
}

// MARK: - What may be repeated

extension RetryPolicy {
    /// Whether a request may be sent again after an answer with this status.
    ///
    /// - Parameter isRepeatable: whether sending it twice changes nothing more than sending it once.
    package static func mayRepeat(_ status: Int, isRepeatable: Bool) -> Bool {
        switch status {
        case 429, 503: true
        case 500, 502, 504: isRepeatable
        default: false
        }
    }

    /// Whether a request may be sent again that has no answer.
    package static func mayRepeat(_ error: HTTPTransportError, isRepeatable: Bool) -> Bool {
        switch error.code {
        case .cannotConnect: true
        case .connectionLost, .timedOut: isRepeatable
        default: false
        }
    }
}

// MARK: - Repeating

/// How an attempt has ended.
package enum Attempt<Value> {
    /// There is a result, and no reason for another attempt.
    case done(Value)
    /// It is too early: again after this time, which is no failure.
    case early(Duration)
    /// It failed, and another one may succeed.
    ///
    /// - Parameters:
    ///   - end: what there is if this attempt was the last.
    ///   - retryAfter: the time that the server asks for.
    ///   - isSilence: whether the server was waited for in vain.
    ///   - isLasting: whether it will hardly be over soon, such as a token that is refused: the wait is the longest one.
    case failed(Result<Value, any Error>, retryAfter: Duration?, isSilence: Bool = false, isLasting: Bool = false)
}

extension RetryPolicy {
    /// How long attempts go on.
    package enum Patience: Sendable {
        /// As the policy says, and in no case beyond a time from the beginning.
        case limited(Duration? = nil)
        /// Until one succeeds. At least half of each wait is kept, so that no chance makes it hammer, and a server gets the time that it asks for.
        case endless
    }

    /// Makes attempts until one is done or there is no reason for a further one, and waits between them.
    ///
    /// - Parameters:
    ///   - clock: the time and the randomness.
    ///   - patience: how long attempts go on.
    ///   - waiting: called before each wait after a failure.
    ///   - attempt: one attempt. What it throws is final.
    /// - Throws: `CancellationError`, and what the last attempt ended with.
    package func retrying<Value>(
        by clock: FHIRClock, _ patience: Patience = .limited(), waiting: (Duration) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation, _ attempt: () async throws -> Attempt<Value>
    ) async throws -> Value {
        let start = clock.now()
        var failures = 0
        var silences = 0
        while true {
            try Task.checkCancellation()
            switch try await attempt() {
            case .done(let value): return value
            case .early(let wait): try await clock.sleep(wait)
            case .failed(let end, let retryAfter, let isSilence, let isLasting):
                failures += 1
                silences += isSilence ? 1 : 0
                let wait: Duration
                switch patience {
                case .endless:
                    wait =
                        isLasting ? maximumDelay : delay(afterAttempt: failures, retryAfter: retryAfter, random: 0.5 + clock.random() / 2)
                case .limited(let limit):
                    wait = delay(afterAttempt: failures, retryAfter: retryAfter, random: clock.random())
                    let spent = Duration.seconds(clock.now().timeIntervalSince(start))
                    guard failures < maximumAttempts, silences < maximumTimeouts, retryAfter ?? .zero <= maximumRetryAfter,
                        limit.map({ spent + wait < $0 }) ?? true
                    else { return try end.get() }
                }
                waiting(wait)
                try await clock.sleep(wait)
            }
        }
    }

    /// Waits after a failure, from 1, of work that is then done another way.
    package func pause(afterAttempt attempt: Int, retryAfter: Duration?, by clock: FHIRClock) async throws {
        try await clock.sleep(delay(afterAttempt: attempt, retryAfter: retryAfter, random: clock.random()))
    }

    /// The wait after an attempt, from 1: what the server asks for, and a random part of the delay on top of it.
    private func delay(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration {
        let limit = min(firstDelay * (1 << min(attempt - 1, 30)), maximumDelay)
        return (retryAfter ?? .zero) + limit * random
    }
}
