import FireLite
import FireLiteKnowledge
import FireLiteRecords
import FireLiteSearch
import FireLiteTerminal
import Foundation

/// `firelite search`: finds resources by FHIR's search parameters.
struct SearchCommand: Command {
    static let definition = CommandDefinition(
        name: "search", summary: "find resources by FHIR's search parameters",
        options: DatabaseArgument.options + ServerSearchArgument.options + [
            KeyringFile.option,
            CodesArgument.option,
            ListFormat.option(standard: "table on a terminal, json otherwise"), ListFormat.spreadsheet,
            .option("limit", "N", "print at most N matches, as _count does"),
            .option("skip", "N", "leave out the first N matches; --after is faster, and not disturbed by changes"),
            .option("after", "CURSOR", "only matches after this place, which the end of a page prints"),
            .flag("count", "print only the number of matches, on all pages"),
            .flag("ids", "print only Type/id of each match, one a line; Type/id#id of a contained one"),
            .flag("explain", "print the SQL statement, SQLite's query plan and the indexes that serve or are missing"),
            .option(
                "base", "URL", kind: .other,
                "the base of the Bundle's links and full URLs; references under it are the store's"),
            .flag("references", "print references instead of payloads that are kept apart"),
            .flag("lenient", "ignore parameters and names that do not exist, and search for codes unknown to FHIR"),
        ],
        operands: "SEARCH", operandCount: 1...1, operandKinds: [.other], ownOperand: .search,
        jsonKeys: [
            JSONKey("count", "with --count: the number of matches"),
            JSONKey("statements", "with --explain: a list: type, sql, plan"),
            JSONKey("indexes", "with --explain: the names of the indexes that serve the parameters"),
            JSONKey("missing", "with --explain: the parameters without an index"),
        ],
        discussion: """
            SEARCH is what follows the base address of a FHIR server, percent-encoded or not:

              Patient?name=peter&birthdate=ge1970     all parameters must be met; commas separate alternatives
              Observation?code=http://loinc.org|8480-6&_sort=-date&_count=20
              Observation?subject:Patient.name=peter  a reference leads to a resource that meets the condition
              Patient?_has:Observation:patient:code=8480-6
              Patient?_id=1&_revinclude=Observation:patient
              Patient/1/Observation, Patient/1/*      a compartment
              Patient/1/$everything                   the resource and its compartment
              ?_type=Patient,Practitioner&_lastUpdated=ge2024

            Parameters are those of the release, and those of SearchParameter resources in the file. Dates without a zone are in
            the machine's. :in, :not-in, :above and :below use the definitions and the packages in the file, and the codes of
            --knowledge.
            Parameters that the type does not have are errors, and so are unknown names in _type, _elements, _include and
            _revinclude, codes that FHIR does not know where it binds an element to a list of codes, such as gender, and
            references as Type/id to types that do not exist or that the parameter does not refer to; with --lenient they are
            reported on standard error. Put SEARCH in single quotes.

            --format json prints a Bundle of type searchset, ndjson the matches alone, one a line.

            \(ServerSearchArgument.discussion)

            Examples: firelite search health.sqlite 'Patient?name=joseph&_sort=-birthdate'
                      firelite search health.sqlite 'Patient?gender=female' --count
                      firelite search health.sqlite Patient --limit 20 --format ndjson
            """)

    private enum Form {
        case matches(ListFormat?)
        case count, ids, explanation
    }

    private let database: DatabaseArgument
    private let request: SearchRequest
    private let address: String
    private let form: Form
    private let isLenient: Bool
    private let printsReferences: Bool
    private let base: String?
    private let skip: Int
    private let server: ServerSearchArgument?
    private let isJSON: Bool
    private let isForSpreadsheet: Bool
    private let knowledge: CodesArgument

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        knowledge = CodesArgument(arguments)
        let format = try arguments.format()
        isForSpreadsheet = try arguments.isForSpreadsheet(format)
        isJSON = format == .json
        do {
            request = try Self.paged(SearchRequest(arguments.operands[0]), arguments)
        } catch let error as SearchError {
            throw ToolError.usage(error)
        }
        address = request.address
        let forms: [(name: String, form: Form)] = [("count", .count), ("ids", .ids), ("explain", .explanation)]
        let given = forms.filter { arguments.has($0.name) }
        if given.count > 1 { throw ToolError.usage("--\(given[0].name) and --\(given[1].name) are given: choose one") }
        form = given.first?.form ?? .matches(format)
        if let format, let name = given.first?.name, name == "ids" || format != .json {
            throw ToolError.usage("--\(name) and --format \(format) are given: choose one")
        }
        isLenient = arguments.has("lenient")
        printsReferences = arguments.has("references")
        base = arguments["base"]
        skip = try arguments.number("skip", in: 0...Int.max) ?? 0
        server = try ServerSearchArgument(arguments)
        if server != nil, arguments.has("skip") { throw ToolError.usage("--server and --skip are given: choose one") }
        if server != nil, case .explanation = form { throw ToolError.usage("--server and --explain are given: choose one") }
    }

    /// The search with the page that the options name.
    private static func paged(_ request: SearchRequest, _ arguments: ParsedArguments) throws -> SearchRequest {
        var request = request
        if let limit = try arguments.number("limit", in: 1...Int.max) {
            if request.parameters.contains(where: { $0.name == "_count" }) {
                throw ToolError.usage("--limit and _count are given: choose one")
            }
            request = request.count(limit)
        }
        guard let after = arguments["after"] else { return request }
        do { return request.after(try SearchCursor(after)) } catch is SearchError {
            throw ToolError.usage("--after is '\(after)', not a cursor: the end of a page prints the one of the next")
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try server == nil ? database.openForReading() : database.open()
        do {
            var terminology: Terminology?
            // What is in the resources alone the search finds itself.
            if try !knowledge.paths.isEmpty || database.located({ try store.hasPackages }) {
                var known = Terminology(release: store.release)
                try database.located { try knowledge.add(to: &known, of: store) }
                terminology = known
            }
            // One state of the file for resources and their payloads.
            return try database.located {
                let options = options(terminology)
                try checkCodes(store, options, console)
                let found = try server.map { try $0.search(store, request: request, options: options, console: console) }
                return try store.read { _ in try run(store, options: options, found: found, console: console) }
            }
        } catch let error as AttachmentError {
            throw ToolError.incomplete("\(ToolWords.text(of: error)): --references prints resources without payloads that are kept apart")
        } catch let error as SearchError {
            throw ToolError.usage(error)
        }
    }

    private func options(_ terminology: Terminology?) -> SearchOptions {
        var options = SearchOptions()
        if let terminology {
            options.codesInValueSet = { try terminology.codes(inValueSet: $0) }
            options.relatedCodes = { try terminology.codes(relatedTo: $0, in: $1, areBelow: $2) }
        }
        options.handling = isLenient ? .lenient : .strict
        options.base = base
        return options
    }

    private func checkCodes(_ store: FHIRStore, _ options: SearchOptions, _ console: Console) throws {
        let unknown = try store.read { try $0.unknownCodes(in: request, options: options) }
        if let first = unknown.first, !isLenient { throw ToolError.usage("\(first): --lenient searches for it nevertheless") }
        for code in unknown { console.report("firelite search: \(code)") }
    }

    /// - Parameter found: what the server and the database have found; nil to search the database.
    private func run(_ store: FHIRStore, options: SearchOptions, found: SearchResult?, console: Console) throws -> ExitStatus {
        switch form {
        case .explanation: try console.print(report(store.explainSearch(address, options: options)), asJSON: isJSON)
        case .count:
            let result = try found ?? store.search(request.where("_summary", "count"), options: options)
            reportIssues(result, console)
            var report = Report()
            report.addValue("count", .number(result.total ?? result.matches.count))
            try console.print(report, asJSON: isJSON)
        case .ids:
            let result = try found ?? page(store, options)
            reportIssues(result, console)
            let output = BufferedOutput(console.standardOutput)
            for match in result.matches { if let reference = result.reference(to: match) { try output.write("\(reference)\n") } }
            try output.flush()
            reportNext(of: result, console)
        case .matches(let format):
            let result = try found ?? page(store, options)
            reportIssues(result, console)
            try print(result, as: format ?? (console.outputIsTerminal ? .table : .json), store, console)
        }
        return .done
    }

    /// The matches, without the first ones that `--skip` leaves out.
    private func page(_ store: FHIRStore, _ options: SearchOptions) throws -> SearchResult {
        guard skip > 0 else { return try store.search(request, options: options) }
        let skipped = try store.search(
            request.without(["_include", "_revinclude", "_include:iterate", "_revinclude:iterate"]).count(skip), options: options)
        if let next = skipped.next { return try store.search(request.after(next), options: options) }
        return SearchResult(
            request, release: store.release, matches: [], included: [], total: skipped.total, base: base)
    }

    private func print(_ result: SearchResult, as format: ListFormat, _ store: FHIRStore, _ console: Console) throws {
        guard format == .json else {
            var writer = RowWriter(console, as: format, key: "matches", isForSpreadsheet: isForSpreadsheet)
            try writer.begin(SearchTable.columns.map { ($0, .left) })
            for match in result.matches {
                try writer.write(SearchTable.cells(of: match), json: FHIRJSON.string(try whole(match, store)))
            }
            try writer.end(console)
            if format == .table, let total = result.total { try console.print("\(total) in all") }
            return reportNext(of: result, console)
        }
        let json = try result.bundleJSON { try whole($0, store) }
        guard console.outputIsTerminal else { return try console.print(json) }
        let bundle = try FHIRJSON.resource(from: Data(json.utf8), release: store.release)
        try console.print(FHIRJSON.string(bundle, pretty: true))
    }

    /// Says where the next page begins, where that is not taken for a match. A Bundle has a link.
    private func reportNext(of result: SearchResult, _ console: Console) {
        if let next = result.next { console.report("there are more: --after \(next.text)") }
    }

    private func whole(_ resource: FHIRResource, _ store: FHIRStore) throws -> FHIRResource {
        try printsReferences ? store.attachments.opened(resource) : store.attachments.resolvingPayloads(in: resource)
    }

    private func reportIssues(_ result: SearchResult, _ console: Console) {
        for issue in result.issues { console.report("ignored: \(issue)") }
    }

    private func report(_ explanation: SearchExplanation) -> Report {
        var report = Report()
        let items = explanation.statements.map { statement in
            (
                lines: "\(statement.sql)\n\(statement.plan)".split(separator: "\n").map(String.init),
                figures: [
                    Report.Figure("type", .text(statement.type)), Report.Figure("sql", .text(statement.sql)),
                    Report.Figure("plan", .texts(statement.plan.split(separator: "\n").map(String.init))),
                ]
            )
        }
        report.addItems("statements", items)
        if !explanation.indexes.isEmpty { report.addNote("indexes: \(explanation.indexes.joined(separator: ", "))") }
        if !explanation.missing.isEmpty { report.addNote("without an index: \(explanation.missing.joined(separator: ", "))") }
        report.addMember("indexes", .texts(explanation.indexes))
        report.addMember("missing", .texts(explanation.missing))
        return report
    }
}
