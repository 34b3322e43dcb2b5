import FireLite
import FireLiteFHIRPath
import FireLiteTerminal

/// Writes issues as they are found, as an OperationOutcome or in another format of lists.
final class ValidationReport {
    private let output: BufferedOutput
    private let format: ListFormat
    private var rows: RowWriter
    private var issues = 0
    private(set) var errors = 0
    private(set) var resources = 0

    init(_ console: Console, as format: ListFormat, isForSpreadsheet: Bool) throws {
        output = BufferedOutput(console.standardOutput)
        self.format = format
        rows = RowWriter(console, as: format, key: "", isForSpreadsheet: isForSpreadsheet)
        if format != .json { try rows.begin(Self.columns.map { ($0, .left) }) }
    }

    private static let columns = ["where", "element", "severity", "what"]

    /// Adds the issues of a resource.
    func add(_ resource: FHIRResource, place: String) throws {
        resources += 1
        for issue in resource.validate() + resource.validate(constraints: .defined(by: resource.layout.release)) {
            try add(place, issue.path, issue.severity == .error ? .error : .warning, Self.code(issue.code), issue.message)
        }
    }

    /// Adds a text that cannot be read as a resource.
    func add(_ fault: ImportFault) throws {
        resources += 1
        try add("\(fault.file): line \(fault.line)", nil, .error, "structure", fault.reason)
    }

    private func add(_ place: String, _ path: String?, _ severity: Severity, _ code: String, _ message: String) throws {
        if severity == .error { errors += 1 }
        if format == .json { return try write(severity, code, "\(place): \(message)", path) }
        issues += 1
        let cells = [place, path ?? "", severity.rawValue, message]
        try rows.write(cells, json: JSONText.object(zip(Self.columns, cells).map { ($0, JSONText.string($1)) }))
    }

    /// The codes of the value set issue-severity that are used here (<https://hl7.org/fhir/valueset-issue-severity.html>).
    private enum Severity: String {
        case error, warning, information
    }

    /// Writes an issue of an OperationOutcome.
    private func write(_ severity: Severity, _ code: String, _ diagnostics: String, _ path: String? = nil) throws {
        try output.write(issues == 0 ? "{\"resourceType\":\"OperationOutcome\",\"issue\":[\n" : ",\n")
        var members = [
            "\"severity\":\(JSONText.string(severity.rawValue))", "\"code\":\(JSONText.string(code))",
            "\"diagnostics\":\(JSONText.string(diagnostics))",
        ]
        if let path { members.append("\"expression\":[\(JSONText.string(path))]") }
        try output.write("{\(members.joined(separator: ","))}")
        issues += 1
    }

    /// Ends the text. An OperationOutcome has an issue even if there are no errors.
    func finish(_ console: Console) throws {
        let summary = "no issues in \(Figures.count(resources)) resource\(resources == 1 ? "" : "s")"
        guard format == .json else {
            return format == .table && issues == 0 ? try console.print(summary) : try rows.end(console)
        }
        if issues == 0 { try write(.information, "informational", summary) }
        try output.write("\n]}\n")
        try output.flush()
    }

    /// The code of the value set issue-type (<https://hl7.org/fhir/valueset-issue-type.html>).
    private static func code(_ code: FHIRIssue.Code) -> String {
        switch code {
        case .missing, .empty: "required"
        case .tooMany, .secondChoice: "structure"
        case .unknownCode: "code-invalid"
        case .format: "value"
        case .reference: "invalid"
        case .constraint: "invariant"
        default: "invalid"
        }
    }
}
