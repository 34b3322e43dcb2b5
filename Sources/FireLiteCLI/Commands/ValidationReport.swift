import FireLite
import FireLiteFHIRPath
import FireLiteTerminal

/// Writes issues as they are found, as an OperationOutcome or a table.
final class ValidationReport {
    private let output: any ByteOutput
    private let isTable: Bool
    private var table = TextTable([.left, .left, .left, .left])
    private var issues = 0
    private(set) var errors = 0
    private(set) var resources = 0

    init(_ output: any ByteOutput, isTable: Bool) {
        self.output = output
        self.isTable = isTable
        table.addHeading(["where", "element", "severity", "what"])
    }

    /// Adds the issues of a resource.
    func add(_ resource: FHIRResource, place: String) throws {
        resources += 1
        for issue in resource.validate() + resource.validate(constraints: .defined(by: resource.layout.release)) {
            try add(
                place, path: issue.path, severity: issue.severity == .error ? .error : .warning, code: Self.code(issue.code),
                message: issue.message)
        }
    }

    /// Adds a text that cannot be read as a resource.
    func add(_ fault: ImportFault) throws {
        resources += 1
        try add("\(fault.file): line \(fault.line)", path: nil, severity: .error, code: "structure", message: fault.reason)
    }

    private func add(_ place: String, path: String?, severity: Severity, code: String, message: String) throws {
        if severity == .error { errors += 1 }
        guard !isTable else { return table.add(place, path ?? "", severity.rawValue, message) }
        try write(severity, code: code, diagnostics: "\(place): \(message)", path: path)
    }

    /// The codes of the value set issue-severity that are used here (<https://hl7.org/fhir/valueset-issue-severity.html>).
    private enum Severity: String {
        case error, warning, information
    }

    /// Writes an issue of an OperationOutcome.
    private func write(_ severity: Severity, code: String, diagnostics: String, path: String? = nil) throws {
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
        if isTable {
            if table.lines.count > 1 { try console.print(table) } else { try console.print(summary) }
            return
        }
        if issues == 0 {
            try write(.information, code: "informational", diagnostics: summary)
        }
        try output.write("\n]}\n")
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
