import FireLite
import Logging

extension FHIRStore.Configuration {
    /// Logs each statement of the store with its time and the number of its rows. The text has `?` for every value.
    ///
    /// ```swift
    /// var configuration = FHIRStore.Configuration()
    /// configuration.logStatements(to: Logger(label: "store"), slowerThan: .milliseconds(100))
    /// ```
    /// What `observeStatements` was before still gets the statements; `slowStatement` applies to both.
    ///
    /// - Parameters:
    ///   - logger: the logger. It is called on the threads of the store.
    ///   - level: the level of messages. Nothing is logged, and the store does not look at statements for it, if the logger's own level is higher.
    ///     Default: debug.
    ///   - duration: the time from which on a statement is logged. Default: zero, so all of them.
    public mutating func logStatements(to logger: Logger, level: Logger.Level = .debug, slowerThan duration: Duration = .zero) {
        guard level >= logger.logLevel else { return }
        let earlier = observeStatements
        if earlier == nil { slowStatement = duration }
        observeStatements = { report in
            earlier?(report)
            guard report.duration >= duration else { return }
            logger.log(level: level, "\(report.sql)", metadata: ["duration": "\(report.duration)", "rows": "\(report.rows)"])
        }
    }
}
