import FireLite
import FireLiteTerminal

extension ExportResult {
    /// The line about resources without an id.
    var idLine: String? {
        if assignedIDs > 0 { return "given an id: \(assignedIDs)" }
        if withoutID == 0 { return nil }
        return "without an id: \(withoutID); references to them are broken in other databases: --assign-ids gives them ids"
    }

    /// The summary of an export.
    func report(_ duration: Duration) -> Report {
        var report = Report()
        report.addLine([
            .init("exported", .number(exported)), .init("files", .number(files)),
            .init("withoutID", .number(withoutID), isShown: false), .init("assignedIDs", .number(assignedIDs), isShown: false),
            .init("unreadable", .number(unreadable), isShown: false), .init("seconds", .seconds(duration)),
        ])
        if let idLine { report.addNote(idLine) }
        return report
    }
}
