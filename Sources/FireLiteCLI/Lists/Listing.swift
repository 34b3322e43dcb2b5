import FireLite
import FireLiteTerminal

/// What a command lists in its report, for the options of lists.
struct ListDefinition {
    /// The key of the list in the report.
    let key: String
    /// The first operands with which the command lists; nil if it always does.
    var actions: [String]?
    /// The keys of the columns whose values name a row for `--after`, joined by slashes; empty for a list without paging.
    var rowKeys: [String] = []
    /// The names of the options that the list adds to its command.
    var added: [String] = []

    /// The options that a list adds to a command, without those that the command has itself.
    func options(besides own: [OptionDefinition]) -> [OptionDefinition] {
        let formats = [ListFormat.option(standard: "table"), ListFormat.spreadsheet]
        let after = OptionDefinition.option("after", rowKeys.joined(separator: "/").uppercased(), "only rows after this one")
        let paging: [OptionDefinition] =
            [.option("limit", "N", "print at most N rows"), .option("skip", "N", "leave out the first N rows"), after]
        return (formats + (rowKeys.isEmpty ? [] : paging)).filter { option in !own.contains { $0.name == option.name } }
            .map { option in actions.map { option.only(with: $0) } ?? option }
    }

    /// The list of a command that has got these options.
    func adding(_ names: [String]) -> ListDefinition {
        var list = self
        list.added = names
        return list
    }
}

/// How a command prints the list of its report, and which part of it.
struct Listing {
    let key: String
    let format: ListFormat
    let isForSpreadsheet: Bool
    let rowKeys: [String]
    let limit: Int?
    let skip: Int
    let after: String?

    /// - Throws: `ToolError` with status 2.
    init(_ arguments: ParsedArguments, _ definition: CommandDefinition) throws {
        guard let list = definition.list else {
            (key, format, isForSpreadsheet, rowKeys) = ("", arguments.has("json") ? .json : .table, false, [])
            (limit, skip, after) = (nil, 0, nil)
            return
        }
        key = list.key
        let given = try arguments.format()
        format = given ?? .table
        isForSpreadsheet = try arguments.isForSpreadsheet(given)
        rowKeys = list.rowKeys
        let pages = !list.rowKeys.isEmpty
        limit = pages ? try arguments.number("limit", in: 1...Int.max) : nil
        skip = pages ? try arguments.number("skip", in: 0...Int.max) ?? 0 : 0
        // A command with such an option of its own starts there itself.
        after = pages && list.added.contains("after") ? arguments["after"] : nil
    }

    /// The same for another list of the report.
    ///
    /// - Parameter rowKeys: the keys of the columns whose values name a row; the same as before unless given.
    func of(_ key: String, rowKeys: [String]? = nil) -> Listing { Listing(copying: self, key: key, rowKeys: rowKeys ?? self.rowKeys) }

    private init(copying other: Listing, key: String, rowKeys: [String]) {
        self.key = key
        self.rowKeys = rowKeys
        (format, isForSpreadsheet) = (other.format, other.isForSpreadsheet)
        (limit, skip, after) = (other.limit, other.skip, other.after)
    }

    /// How many rows need to be read; nil for all.
    var most: Int? {
        guard let limit, after == nil else { return nil }
        let (sum, isTooMany) = limit.addingReportingOverflow(skip)
        return isTooMany ? nil : sum
    }

    /// The positions of the rows that are printed.
    ///
    /// - Throws: `ToolError` with status 1 if the list has no row that `--after` names.
    func part(of rows: [[FigureValue]], _ columns: [Report.Column]) throws -> Range<Int> {
        var start = 0
        if let after {
            let places = rowKeys.compactMap { key in columns.firstIndex { $0.key == key } }
            guard let found = rows.firstIndex(where: { row in places.map { row[$0].plain }.joined(separator: "/") == after }) else {
                throw ToolError.incomplete("--after is '\(after)', which the list does not have")
            }
            start = found + 1
        }
        start = min(rows.count, skip > rows.count ? rows.count : start + skip)
        return start..<(limit.map { min(rows.count - start, $0) + start } ?? rows.count)
    }
}

extension Console {
    /// Writes the results of a command in the form of its list.
    func print(_ report: Report, _ listing: Listing) throws {
        var report = report
        try report.page(listing)
        switch listing.format {
        case .table: try print(report, asJSON: false)
        case .json: try print(report, asJSON: true)
        case .csv, .ndjson:
            let output = BufferedOutput(standardOutput)
            let csv = CommaSeparated(isForTerminal: outputIsTerminal, isForSpreadsheet: listing.isForSpreadsheet)
            for line in report.lines(of: listing.key, as: listing.format, csv) { try output.write(line) }
            try output.flush()
        }
    }
}
