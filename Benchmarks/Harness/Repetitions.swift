/// How often a workload and its floor are measured, in turns.
enum Repetitions {
    /// What takes longer altogether, in seconds, is measured no oftener than it must: the default run is to end within five minutes.
    private static let seconds = 0.8
    /// The same where a number was said: such a run has time, and is to be exact.
    private static let moreSeconds = 2.0
    /// So many that the median means something.
    private static let least = 3
    /// From this size on once may do.
    private static let large = 200_000
    /// Enough for what takes no time.
    private static let most = 9
    /// The same where a number was said: this many times the number.
    private static let more = 5

    /// - Parameters:
    ///   - done: how many there have been.
    ///   - elapsed: how long they took with all that was done for them, in seconds.
    ///   - wanted: how many there are to be at least, if that was said.
    static func isEnough(_ done: Int, elapsed: Double, size: Int, wanted: Int?) -> Bool {
        guard let wanted else { return done >= (size > large ? 1 : least) && (done >= most || elapsed > seconds) }
        return done >= wanted && (done >= wanted * more || elapsed > moreSeconds)
    }
}
