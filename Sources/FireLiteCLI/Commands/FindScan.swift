import FireLite
import FireLiteRecords
import FireLiteTerminal

/// Answers `firelite find` with a query of the store.
struct FindScan {
    private let request: FindRequest
    private var query: QueryRequest
    private let values: [ValueColumn]

    /// - Throws: `ToolError` with status 2 for an invalid condition or path.
    init(_ request: FindRequest) throws {
        self.request = request
        let parser = PredicateParser(request.layout)
        query = QueryRequest(request.layout)
        do {
            query.add(try parser.conditions(request.conditions))
            if let words = request.words { query.add(.matching(FullTextTerm.terms(words))) }
            if !request.annotations.isEmpty { query.add(try Records.isAnnotated(request.annotations, request.layout.name)) }
            query.sort = try request.sort.map { path in
                let isDescending = path.hasPrefix("-")
                return SortKey(
                    path: try parser.valuePath(isDescending ? String(path.dropFirst()) : path), isDescending: isDescending, nulls: .last)
            }
            values = try request.values.map { try parser.column($0) }
        } catch let error as FHIRStoreError {
            throw ToolError.usage(error)
        } catch let error as RecordError {
            throw ToolError.usage(error)
        }
        query.limit = request.limit
        if request.form == .csv, request.values.isEmpty, !request.isCount {
            throw ToolError.usage("--csv needs --values PATH,… for its columns")
        }
    }

    func run(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        if request.isSQL || request.isExplain || request.isCount {
            try console.print(report(store), asJSON: request.form == .json)
            return .done
        }
        let output = BufferedOutput(console.standardOutput)
        if !values.isEmpty {
            try writeValues(store, console, output)
        } else {
            let isPlain = request.form == .json
            try store.forEach(query) { found in
                let resource =
                    try request.printsReferences ? store.attachments.opened(found) : store.attachments.resolvingPayloads(in: found)
                try output.write((isPlain ? FHIRJSON.string(resource) : console.json(resource)) + "\n")
            }
        }
        try output.flush()
        return .done
    }

    /// What is asked for instead of results.
    private func report(_ store: FHIRStore) throws -> Report {
        var report = Report()
        if request.isSQL || request.isExplain {
            report.addValue("sql", .text(try store.statementText(query)))
            if request.isExplain { report.addTexts("plan", try store.explain(query).split(separator: "\n").map(String.init)) }
        } else {
            report.addValue("count", .number(try store.count(query)))
        }
        return report
    }

    /// The resources found.
    func resources(_ store: FHIRStore) throws -> [FHIRResource] {
        var resources: [FHIRResource] = []
        try store.forEach(query) { resources.append($0) }
        return resources
    }

    // MARK: - Values

    private func writeValues(_ store: FHIRStore, _ console: Console, _ output: BufferedOutput) throws {
        if request.form == .csv {
            let csv = CommaSeparated(isForTerminal: console.outputIsTerminal, isForSpreadsheet: request.isForSpreadsheet)
            try output.write(csv.line(request.values))
            return try store.forEachCells(query, values) { try output.write(csv.line($0.map(Self.text))) }
        }
        guard console.outputIsTerminal, request.form != .json else {
            return try store.forEachCells(query, values) { try output.write(json($0) + "\n") }
        }
        var table = TextTable(values.map { if case .count = $0.kind { .right } else { .left } })
        table.addHeading(request.values)
        try store.forEachCells(query, values) { table.add($0.map(Self.text)) }
        try console.print(table)
    }

    /// A cell for people to read; values of a list are separated.
    private static func text(_ cell: ValueCell) -> String {
        switch cell {
        case .absent: ""
        case .value(let literal): literal
        case .list(let literals): literals.joined(separator: "; ")
        case .count(let number): "\(number)"
        }
    }

    private func json(_ cells: [ValueCell]) -> String {
        var members: [(name: String, json: String)] = []
        for (index, cell) in cells.enumerated() {
            let type = values[index].type
            let json: String
            switch cell {
            case .absent: continue
            case .value(let literal): json = JSONText.primitive(literal, type)
            case .list(let literals): json = "[" + literals.map { JSONText.primitive($0, type) }.joined(separator: ",") + "]"
            case .count(let number): json = "\(number)"
            }
            members.append((request.values[index], json))
        }
        return JSONText.object(members)
    }
}
