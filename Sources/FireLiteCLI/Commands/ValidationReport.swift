import FireLite
import FireLiteKnowledge
import FireLiteTerminal

/// Writes issues as they are found, as an OperationOutcome or a table.
final class ValidationReport {
    private let output: any ByteOutput
    private let isTable: Bool
    private let isQuiet: Bool
    private let validator: FHIRValidator
    private let profiles: [String]
    private var table = TextTable([.left, .left, .left, .left])
    private var issues = 0
    private(set) var errors = 0
    private(set) var resources = 0

    init(_ output: any ByteOutput, isTable: Bool, isQuiet: Bool, validator: FHIRValidator, profiles: [String]) {
        self.output = output
        self.isTable = isTable
        self.isQuiet = isQuiet
        self.validator = validator
        self.profiles = profiles
        table.addHeading(["where", "element", "severity", "what"])
    }

    /// Adds the issues of a resource.
    func add(_ resource: FHIRResource, place: String) throws {
        resources += 1
        for issue in validator.validate(resource, against: profiles) {
            // Remarks are for who asks for them.
            if issue.severity == .information, !validator.options.bestPractice { continue }
            let message = issue.profile.map { "\(issue.message) (\($0))" } ?? issue.message
            try add(
                place, path: issue.path, severity: issue.severity, code: issue.issueType, message: message, id: issue.messageID.rawValue)
        }
    }

    /// Adds a text that cannot be read as a resource.
    func add(_ fault: ImportFault) throws {
        resources += 1
        try add(
            "\(fault.file): line \(fault.line)", path: nil, severity: .error, code: "structure", message: fault.reason, id: "unreadable")
    }

    private func add(
        _ place: String, path: String?, severity: ValidationIssue.Severity, code: String, message: String, id: String
    ) throws {
        if severity == .error { errors += 1 }
        if isQuiet { return }
        guard !isTable else { return table.add(place, path ?? "", severity.rawValue, message) }
        try write(severity, code: code, diagnostics: "\(place): \(message)", path: path, id: id)
    }

    /// Writes an issue of an OperationOutcome.
    private func write(
        _ severity: ValidationIssue.Severity, code: String, diagnostics: String, path: String? = nil, id: String? = nil
    ) throws {
        try output.write(issues == 0 ? "{\"resourceType\":\"OperationOutcome\",\"issue\":[\n" : ",\n")
        var members = ["\"severity\":\(JSONText.string(severity.rawValue))", "\"code\":\(JSONText.string(code))"]
        if let id { members.append("\"details\":{\"coding\":[{\"code\":\(JSONText.string(id))}]}") }
        members.append("\"diagnostics\":\(JSONText.string(diagnostics))")
        if let path { members.append("\"expression\":[\(JSONText.string(path))]") }
        try output.write("{\(members.joined(separator: ","))}")
        issues += 1
    }

    /// Ends the text. An OperationOutcome has an issue even if there are no errors.
    func finish(_ console: Console) throws {
        if isQuiet { return }
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
}
