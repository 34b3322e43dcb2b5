import FireLiteSQLite

/// A statement that has run to its end.
public struct FinishedStatement: Sendable {
    /// The text, with its parameters and without their values.
    public let sql: String
    /// The number of rows it gave.
    public let rows: Int
    /// The time from its start to its end.
    public let duration: Duration
}

extension Connection {
    /// Calls `report` with each statement when it has ended, on the thread that uses the connection. The report must not use the connection.
    ///
    /// Source: SQLite, SQL Trace Event Codes.
    public func observeStatements(_ report: @escaping (FinishedStatement) -> Void) {
        let watch = StatementWatch(report)
        statementWatch = watch
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE)
        sqlite3_trace_v2(
            handle, events,
            { event, context, statement, detail in
                guard let context, let statement else { return 0 }
                let watch = Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue()
                switch Int32(event) {
                case SQLITE_TRACE_STMT:
                    // A trigger's program reports itself as a comment, as part of the statement that runs.
                    if let text = detail?.assumingMemoryBound(to: CChar.self), text[0] == 0x2D, text[1] == 0x2D { return 0 }
                    watch.begin(statement)
                case SQLITE_TRACE_ROW: watch.note(statement)
                default: watch.end(statement)
                }
                return 0
            }, Unmanaged.passUnretained(watch).toOpaque())
    }
}

/// The statements of a connection that run. Used by the connection's thread alone.
final class StatementWatch {
    private struct Run {
        let start: ContinuousClock.Instant
        var rows = 0
    }

    private let report: (FinishedStatement) -> Void
    private let clock = ContinuousClock()
    private var runs: [UnsafeMutableRawPointer: Run] = [:]

    init(_ report: @escaping (FinishedStatement) -> Void) { self.report = report }

    func begin(_ statement: UnsafeMutableRawPointer) { runs[statement] = Run(start: clock.now) }

    func note(_ statement: UnsafeMutableRawPointer) { runs[statement]?.rows += 1 }

    func end(_ statement: UnsafeMutableRawPointer) {
        guard let run = runs.removeValue(forKey: statement) else { return }
        let text = sqlite3_sql(OpaquePointer(statement)).map { String(cString: $0) } ?? ""
        report(FinishedStatement(sql: text, rows: run.rows, duration: run.start.duration(to: clock.now)))
    }
}
