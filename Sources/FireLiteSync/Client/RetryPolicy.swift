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

    /// The wait after an attempt, from 1: what the server asks for, and a random part of the delay on top of it.
    func delay(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration {
        let limit = min(firstDelay * (1 << min(attempt - 1, 30)), maximumDelay)
        return (retryAfter ?? .zero) + limit * random
    }
}
