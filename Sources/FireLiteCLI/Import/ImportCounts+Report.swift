import FireLite
import FireLiteTerminal

extension ImportCounts {
    /// The summary of an import.
    func report(_ duration: Duration) -> Report {
        var report = Report()
        report.addLine([
            .init("added", .number(added)), .init("updated", .number(updated)), .init("unchanged", .number(unchanged)),
            .init("superseded", .number(superseded), isShown: superseded > 0), .init("outcomes", .number(outcomes), isShown: outcomes > 0),
            .init("rejected", .number(rejected)), .init("seconds", .seconds(duration)),
        ])
        return report
    }
}
