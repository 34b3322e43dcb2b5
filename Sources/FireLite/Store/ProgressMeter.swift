import FireLiteSQLiteBridge

/// Reports the progress of statements, which SQLite counts in steps of its virtual machine.
final class ProgressMeter {
    private let handler: StoreProgressHandler?
    private var failure: (any Error)?

    init(_ handler: StoreProgressHandler?) { self.handler = handler }

    /// Whether anybody wants to know, as counting takes time.
    var isWanted: Bool { handler != nil }

    /// Reports a step between statements.
    ///
    /// - Throws: errors of the handler; `CancellationError`.
    func report(_ progress: @autoclosure () -> StoreProgress) throws {
        try handler?(progress())
        try Cancellation.check()
    }

    /// Runs `body`, whose statements are reported about every millisecond.
    ///
    /// - Parameter progress: makes the progress from the number of steps so far.
    /// - Throws: errors of `body` and of the handler.
    func measure<Value>(_ connection: Connection, _ progress: @escaping (_ steps: Int) -> StoreProgress, _ body: () throws -> Value) throws
        -> Value
    {
        guard let handler else { return try body() }
        var steps = 0
        do {
            return try connection.withProgress(
                {
                    steps += Int(Connection.stepsBetweenChecks)
                    do {
                        try handler(progress(steps))
                        return true
                    } catch {
                        self.failure = error
                        return false
                    }
                }, body)
        } catch {
            throw failure ?? error
        }
    }
}
