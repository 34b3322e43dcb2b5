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
        query.offset = request.skip
        let isReport = request.isSQL || request.isExplain || request.isCount
        if isReport, request.format == .csv || request.format == .ndjson {
            throw ToolError.usage("--count, --sql and --explain are printed as text or json")
        }
        if request.isForSpreadsheet, request.format != .csv { throw ToolError.usage("--spreadsheet needs --format csv") }
    }

    func run(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        var scan = self
        if let id = request.after { scan.query.cursor = try cursor(after: id, store) }
        return try scan.print(store, console)
    }

    /// The place of a resource in the order of the results.
    private func cursor(after id: String, _ store: FHIRStore) throws -> QueryCursor {
        guard let cursor = try store.cursor(of: query, at: id) else {
            throw ToolError.incomplete("--after: there is no \(request.layout.name) with this id")
        }
        return cursor
    }

    private func print(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        if request.isSQL || request.isExplain || request.isCount {
            try console.print(report(store), asJSON: request.format == .json)
        } else if !values.isEmpty {
            try writeValues(store, console)
        } else {
            try writeResources(store, console)
        }
        return .done
    }

    private func writeResources(_ store: FHIRStore, _ console: Console) throws {
        guard let format = request.format else {
            let output = BufferedOutput(console.standardOutput)
            try store.forEach(query) { try output.write(console.json(whole($0, store)) + "\n") }
            return try output.flush()
        }
        var writer = RowWriter(console, as: format, key: "results", isForSpreadsheet: request.isForSpreadsheet)
        try writer.begin(SearchTable.columns.map { ($0, .left) })
        try store.forEach(query) { found in
            try writer.write(SearchTable.cells(of: found), json: FHIRJSON.string(try whole(found, store)))
        }
        try writer.end(console)
    }

    private func whole(_ resource: FHIRResource, _ store: FHIRStore) throws -> FHIRResource {
        try request.printsReferences ? store.attachments.opened(resource) : store.attachments.resolvingPayloads(in: resource)
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

    private func writeValues(_ store: FHIRStore, _ console: Console) throws {
        let format = request.format ?? (console.outputIsTerminal ? .table : .ndjson)
        var writer = RowWriter(console, as: format, key: "results", isForSpreadsheet: request.isForSpreadsheet)
        let names = zip(request.values, values)
        try writer.begin(names.map { name, column in (name, { if case .count = column.kind { true } else { false } }() ? .right : .left) })
        try store.forEachCells(query, values) { try writer.write($0.map(Self.text), json: json($0)) }
        try writer.end(console)
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
