#if canImport(os)
    import os

    extension FHIRStore.Configuration {
        /// Shows each statement of the store as a signpost event in Instruments, with its time, the number of its rows and its text, which has `?` for
        /// every value.
        ///
        /// Events cost little while Instruments does not record. What `observeStatements` was before still gets the statements.
        ///
        /// - Parameters:
        ///   - subsystem: the app's identifier.
        ///   - category: the name of the instrument's row. Default: `FHIRStore`.
        public mutating func signpostStatements(subsystem: String, category: String = "FHIRStore") {
            let earlier = observeStatements
            let signposter = OSSignposter(subsystem: subsystem, category: category)
            observeStatements = { report in
                earlier?(report)
                guard signposter.isEnabled else { return }
                let milliseconds =
                    Double(report.duration.components.attoseconds) / 1e15 + Double(report.duration.components.seconds) * 1_000
                signposter.emitEvent(
                    "Statement", "\(milliseconds, format: .fixed(precision: 3)) ms, \(report.rows) rows: \(report.sql, privacy: .public)")
            }
        }
    }
#endif
