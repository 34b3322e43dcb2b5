import FireLite
import FireLiteKnowledge
import FireLiteTerminal

/// Writes issues as they are found, as an OperationOutcome or in another format of lists.
final class ValidationReport {
    private let output: BufferedOutput
    /// Nil to print nothing.
    private let format: ListFormat?
    private var rows: RowWriter
    /// Which of the issues are written.
    private let part: (skip: Int, limit: Int)
    /// The number of issues that were found.
    private var found = 0
    /// The number of issues that were written.
    private var issues = 0
    private(set) var errors = 0
    private(set) var resources = 0

    /// - Parameters:
    ///   - format: nil to print nothing.
    ///   - part: how many issues are left out at the start, and how many are written at most.
    init(
        _ console: Console, as format: ListFormat?, isForSpreadsheet: Bool, part: (skip: Int, limit: Int)
    ) throws {
        self.part = part
        output = BufferedOutput(console.standardOutput)
        self.format = format
        rows = RowWriter(console, as: format ?? .json, key: "", isForSpreadsheet: isForSpreadsheet)
        if let format, format != .json { try rows.begin(Self.columns.map { ($0, .left) }) }
    }

    private static let columns = ["where", "element", "severity", "what"]

    /// Adds what was found in a resource.
    ///
    /// - Parameter place: where an issue with a path is.
    func add(_ issues: [ValidationIssue], place: (_ path: String) throws -> String) throws {
        resources += 1
        for issue in issues {
            let message = issue.profile.map { "\(issue.message) (\($0))" } ?? issue.message
            try add(
                try place(issue.path), path: issue.path, severity: issue.severity, code: issue.issueType, message: message,
                id: issue.messageID.rawValue)
        }
    }

    /// Adds a text that cannot be read as a resource.
    func add(_ fault: ImportFault) throws {
        resources += 1
        var (place, path, message) = ("\(fault.file): line \(fault.line)", String?.none, fault.reason)
        // The reason begins with the column and the path, if they are known: they have cells of their own.
        if let column = fault.column, message.hasPrefix("column \(column)") {
            place += ", column \(column)"
            let rest = message.dropFirst("column \(column)".count)
            if let end = rest.range(of: ": ") {
                message = String(rest[end.upperBound...])
                path = rest.hasPrefix(", ") ? String(rest[..<end.lowerBound].dropFirst(2)) : nil
            }
        }
        try add(place, path: path, severity: .error, code: "structure", message: message, id: "unreadable")
    }

    private func add(
        _ place: String, path: String?, severity: ValidationIssue.Severity, code: String, message: String, id: String
    ) throws {
        if severity == .error { errors += 1 }
        found += 1
        guard let format, found > part.skip, issues < part.limit else { return }
        if format == .json { return try write(severity, code: code, diagnostics: "\(place): \(message)", path: path, id: id) }
        issues += 1
        let cells = [place, path ?? "", severity.rawValue, message]
        try rows.write(cells, json: JSONText.object(zip(Self.columns, cells).map { ($0, JSONText.string($1)) }))
    }

    /// Writes an issue of an OperationOutcome.
    private func write(
        _ severity: ValidationIssue.Severity, code: String, diagnostics: String, path: String? = nil, id: String? = nil
    ) throws {
        try output.write(issues == 0 ? "{\"resourceType\":\"OperationOutcome\",\"issue\":[" : ",")
        var members = ["\"severity\":\(JSONText.string(severity.rawValue))", "\"code\":\(JSONText.string(code))"]
        if let id { members.append("\"details\":{\"coding\":[{\"code\":\(JSONText.string(id))}]}") }
        members.append("\"diagnostics\":\(JSONText.string(diagnostics))")
        if let path { members.append("\"expression\":[\(JSONText.string(path))]") }
        try output.write("{\(members.joined(separator: ","))}")
        issues += 1
    }

    /// Ends the text. An OperationOutcome has an issue even if there are no errors.
    func finish(_ console: Console) throws {
        guard let format else { return }
        let place =
            found > 0 ? "this part of the \(Figures.count(found))" : "\(Figures.count(resources)) resource\(resources == 1 ? "" : "s")"
        let summary = "no issues in \(place)"
        guard format == .json else {
            return format == .table && issues == 0 ? try console.print(summary) : try rows.end(console)
        }
        if issues == 0 { try write(.information, code: "informational", diagnostics: summary) }
        try output.write("]}\n")
        try output.flush()
    }
}
