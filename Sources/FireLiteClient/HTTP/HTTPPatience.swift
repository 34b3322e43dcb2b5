/// How long a request may take: until it makes no progress, and as a whole.
struct HTTPPatience {
    /// More than anybody waits, and keeps the sum of durations in range.
    private static let longest = Duration.seconds(31_536_000)

    private let timeout: Duration
    private let minimumProgress: Int
    private let end: ContinuousClock.Instant?
    /// When the request last made progress.
    private var mark: ContinuousClock.Instant
    /// The bytes since then, which are too few to be progress.
    private var bytes = 0
    /// Whether the server waits for the reader, so that no progress is required of it.
    private var isSuspended = false

    init(_ request: HTTPRequest, now: ContinuousClock.Instant = .now) {
        timeout = min(max(request.timeout, .milliseconds(1)), Self.longest)
        minimumProgress = max(request.minimumProgress, 1)
        end = request.deadline.map { now + min($0, Self.longest) }
        mark = now
    }

    /// Notes bytes that were sent or received.
    mutating func note(_ count: Int) {
        bytes += count
        if bytes >= minimumProgress { noteProgress() }
    }

    /// Notes a step: the request begins, it is sent, its answer begins.
    mutating func noteProgress() {
        bytes = 0
        mark = .now
    }

    /// Stops or starts the clock of progress.
    mutating func suspend(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        noteProgress()
    }

    /// The time at which the request becomes overdue without progress; nil if never.
    var limit: ContinuousClock.Instant? {
        guard !isSuspended else { return end }
        return end.map { min($0, mark + timeout) } ?? mark + timeout
    }

    /// Why the request is overdue; nil if it is not.
    func failure(_ now: ContinuousClock.Instant) -> HTTPTransportError? {
        if let end, now >= end {
            return HTTPTransportError(.timedOut, "the server did not finish its answer in time: the deadline has passed")
        }
        guard !isSuspended, now >= mark + timeout else { return nil }
        return HTTPTransportError(.timedOut, "the server did not answer in time")
    }
}
