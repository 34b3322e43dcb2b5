import FireLite

/// Answers `firelite find` with a query of the store.
struct FindScan {
    private let request: FindRequest
    private var query: QueryRequest
    private let values: [QueryPath]

    /// - Throws: `ToolError` with status 2 for what is no condition on the type, and no path of it.
    init(_ request: FindRequest) throws {
        self.request = request
        let parser = PredicateParser(request.type._layout)
        query = QueryRequest(request.type._layout)
        do {
            query.add(.and(try request.conditions.map { try parser.condition($0) }))
            query.sort = try request.sort.map { path in
                let isDescending = path.hasPrefix("-")
                return SortKey(
                    path: try parser.valuePath(isDescending ? String(path.dropFirst()) : path), isDescending: isDescending, nulls: .last)
            }
            values = try request.values.map { try parser.valuePath($0) }
        } catch let error as FHIRStoreError {
            throw ToolError.usage(error.message)
        }
        query.limit = request.limit
        if request.form == .csv, request.values.isEmpty, !request.isCount {
            throw ToolError.usage("--csv needs --values PATH,… to say which columns there are")
        }
    }

    func run(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        let output = BufferedOutput(console.standardOutput)
        if request.isSQL || request.isExplain {
            try output.write(store.statementText(query) + "\n")
            if request.isExplain { try output.write(store.explain(query) + "\n") }
        } else if request.isCount {
            try output.write("\(store.count(query))\n")
        } else if !values.isEmpty {
            try writeValues(store, console, output)
        } else {
            try store.forEach(query) { try output.write(console.json($0) + "\n") }
        }
        try output.flush()
        return .done
    }

    /// The resources that are found.
    func resources(_ store: FHIRStore) throws -> [FHIRResource] {
        var resources: [FHIRResource] = []
        try store.forEach(query) { resources.append($0) }
        return resources
    }

    // MARK: - Values

    private func writeValues(_ store: FHIRStore, _ console: Console, _ output: BufferedOutput) throws {
        if request.form == .csv {
            try output.write(Self.csv(request.values) + "\r\n")
            return try store.forEachLiterals(query, values) { try output.write(Self.csv($0.map { $0 ?? "" }) + "\r\n") }
        }
        guard console.outputIsTerminal else {
            return try store.forEachLiterals(query, values) { try output.write(json($0) + "\n") }
        }
        var table = TextTable(values.map { _ in .left })
        table.add(request.values)
        try store.forEachLiterals(query, values) { table.add($0.map { TerminalText.visible($0 ?? "") }) }
        try output.write(table.text + "\n")
    }

    /// A line of comma-separated values (RFC 4180).
    private static func csv(_ cells: [String]) -> String {
        // By scalars: a quotation mark with an accent on it is one to who reads the line.
        cells.map { cell in
            let scalars = cell.unicodeScalars
            guard scalars.contains(where: { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }) else { return cell }
            let quoted = scalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
            return "\"" + String(String.UnicodeScalarView(quoted)) + "\""
        }.joined(separator: ",")
    }

    private func json(_ cells: [String?]) -> String {
        let members = zip(request.values, cells).compactMap { name, cell in cell.map { "\(Self.quoted(name)):\(Self.quoted($0))" } }
        return "{\(members.joined(separator: ","))}"
    }

    private static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
