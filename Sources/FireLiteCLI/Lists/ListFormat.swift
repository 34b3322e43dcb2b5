/// How a command prints what it lists.
enum ListFormat: String, CaseIterable {
    /// Aligned columns for people.
    case table
    /// Comma-separated values (RFC 4180), with a line of column names.
    case csv
    /// One JSON object with everything that the command found, as `--json` prints it.
    case json
    /// One JSON object a line for each row.
    case ndjson

    /// The option `--format`.
    ///
    /// - Parameters:
    ///   - formats: those that the command has.
    ///   - standard: what it prints without the option.
    static func option(_ formats: [String] = allCases.map(\.rawValue), standard: String) -> OptionDefinition {
        .option("format", formats.joined(separator: "|"), kind: .choice(formats), "how to print the list (default: \(standard))")
    }

    /// The default of commands whose output is rows or resources.
    static let standardOfRows = "table on a terminal, ndjson otherwise"

    static let spreadsheet = OptionDefinition.flag(
        "spreadsheet", "put ' before cells that look like formulas, with --format csv")
}

extension ParsedArguments {
    /// The value of `--format`; nil if it is not given. `--json` is `--format json`.
    ///
    /// - Throws: `ToolError` with status 2 for another format.
    func format() throws -> ListFormat? {
        guard let name = self["format"] else { return has("json") ? .json : nil }
        guard let format = ListFormat(rawValue: name) else {
            throw ToolError.usage("--format is '\(name)', none of \(ListFormat.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        if has("json"), format != .json { throw ToolError.usage("--json and --format \(name) are given: choose one") }
        return format
    }

    /// Whether cells get an apostrophe for spreadsheets.
    ///
    /// - Throws: `ToolError` with status 2 without `--format csv`.
    func isForSpreadsheet(_ format: ListFormat?) throws -> Bool {
        guard has("spreadsheet") else { return false }
        if format != .csv { throw ToolError.usage("--spreadsheet needs --format csv") }
        return true
    }
}
