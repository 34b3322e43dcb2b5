import FireLiteSQLiteBridge

/// Estimates the progress of indexes from the steps of SQLite's virtual machine.
final class IndexMeter {
    /// About the number of steps for a row: to read it, sort it, and insert it in the index.
    private static let stepsPerRow = 12

    private let connection: Connection
    private let meter: ProgressMeter
    /// The number of rows to index.
    var total = 0
    private var finished = 0

    init(_ connection: Connection, _ handler: StoreProgressHandler?) {
        self.connection = connection
        meter = ProgressMeter(handler)
    }

    /// Whether anybody wants to know, as counting rows takes time.
    var isWanted: Bool { meter.isWanted }

    /// Indexes one table.
    func measure(_ name: String, rows: Int, _ body: () throws -> Void) throws {
        let (finished, total) = (finished, total)
        try meter.measure(
            connection,
            { steps in
                // Not more than 99 %, as it is an estimate.
                let share = min(steps / Self.stepsPerRow, rows * 99 / 100)
                return StoreProgress(.indexing, finished + share, of: total, .rows, subject: name)
            }, body)
        self.finished += rows
        try meter.report(StoreProgress(.indexing, self.finished, of: total, .rows, subject: name))
    }
}
