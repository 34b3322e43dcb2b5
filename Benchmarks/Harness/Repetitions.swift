/// How often a workload and its floor are measured, in turns.
enum Repetitions {
    /// So many that the median means something, where one does not already take long.
    private static let least = 3
    /// Enough for what takes no time.
    private static let most = 9
    /// What takes longer altogether is measured the least number of times: the default run is to end within three minutes.
    private static let seconds = 1.2
    /// From this size on once may do.
    private static let large = 200_000

    /// - Parameters:
    ///   - done: how many there have been.
    ///   - elapsed: how long they took with all that was done for them, in seconds.
    ///   - fixed: how many are wanted, if that was said.
    static func isEnough(_ done: Int, elapsed: Double, size: Int, fixed: Int?) -> Bool {
        if let fixed { return done >= fixed }
        guard done >= (size > large ? 1 : least) else { return false }
        return done >= most || elapsed > seconds
    }
}
