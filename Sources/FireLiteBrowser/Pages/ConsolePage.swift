import FireLite
import FireLiteCore
import FireLiteFHIRPath
import FireLiteSearch
import FireLiteService
import Foundation

/// Questions to the store in four languages: FHIR search, FHIRPath, SQL, and SQL on FHIR. Nothing is written.
enum ConsolePage {
    enum Kind: String, CaseIterable {
        case search, fhirpath, sql, view

        var title: String {
            switch self {
            case .search: "FHIR search"
            case .fhirpath: "FHIRPath"
            case .sql: "SQL"
            case .view: "SQL on FHIR"
            }
        }
    }

    /// What the console is asked.
    private struct Question {
        let kind: Kind
        let text: String
        /// The resource that a FHIRPath is evaluated on, as `Type/id`; empty for none.
        let on: String
    }

    /// The console with a question that it answers at once.
    static func address(_ kind: Kind, _ text: String) -> Address {
        Address(["console"], items: [.init(name: "kind", value: kind.rawValue), .init(name: "text", value: text)])
    }

    static func answer(_ call: PageCall) throws -> ServiceResponse {
        let kind = call.address["kind"].flatMap { Kind(rawValue: $0) } ?? .search
        let text = call.address["text"] ?? ""
        let question = Question(kind: kind, text: text, on: call.address["on"] ?? "")
        var page = Page("Console")
        page.place = .console
        page.crumbs = [.init(text: "Overview", address: Address()), .init(text: "Console", address: nil)]
        page.content = Parts.tabs(
            "Languages",
            Kind.allCases.map { ($0.title, Address(["console"], items: [.init(name: "kind", value: $0.rawValue)]), $0 == kind) })
        page.content += try form(question, call)
        if !text.isEmpty {
            do {
                let start = ContinuousClock.now
                let answer = try self.answer(question, call)
                let seconds = (ContinuousClock.now - start) / .milliseconds(1)
                page.content += "<p class=\"muted small\">Answered in \(Int(seconds.rounded(.up))) ms</p>" + answer
            } catch {
                // A statement with a mistake is part of the work at a console, and stays in its field.
                let problem = PageProblem(error)
                page.content += Parts.note("\(problem.title): \(Numbers.clipped(problem.remedy, 1_000))", isError: true)
            }
            page.content += how(question, call)
        }
        return page.response(call)
    }

    private static func form(_ question: Question, _ call: PageCall) throws -> HTML {
        let kind = question.kind
        let target: HTML =
            kind == .fhirpath
            ? """
            <div><label for="on">Evaluated on the resource</label><input id="on" name="on" size="40" value="\(question.on)" placeholder="Patient/123, or nothing"></div>
            """ : ""
        let types = try call.counts().filter { $0.count > 0 }.map(\.typeName)
        let examples = try self.examples(kind, types, call).map { example -> HTML in
            var address = self.address(kind, example.text)
            if !example.on.isEmpty { address = address.with("on", example.on) }
            return "<li>\(Parts.link(Numbers.clipped(example.name, 90), address))</li>"
        }
        let list: HTML = examples.isEmpty ? "" : "<div class=\"small\"><span class=\"muted\">Examples:</span><ul>\(examples)</ul></div>"
        return """
            <section class="card"><form class="stack" action="/browse/console"><input type="hidden" name="kind" value="\(kind.rawValue)">
            <div><label for="text">\(kind.title) (Control and Enter runs it)</label>
            <textarea id="text" name="text" spellcheck="false" rows="5">\(question.text)</textarea></div>\(target)<button>Run</button></form>\(list)</section>
            """
    }

    private static func examples(_ kind: Kind, _ types: [String], _ call: PageCall) throws -> [(name: String, text: String, on: String)] {
        let type = types.first { $0 == "Patient" } ?? types.first
        guard let type else { return [] }
        switch kind {
        case .search: return ["\(type)?_count=20", "\(type)?_sort=-_lastUpdated&_count=20"].map { ($0, $0, "") }
        case .sql:
            let statements = [
                "SELECT type, count(*) AS resources FROM _resource JOIN _shape USING (shape) GROUP BY type ORDER BY 2 DESC",
                "SELECT * FROM \(type) LIMIT 20",
            ]
            return statements.map { ($0, $0, "") }
        case .fhirpath:
            let id = try call.store.sql("SELECT id FROM \(sqlName(type)) WHERE id IS NOT NULL AND _parent IS NULL LIMIT 1").first?[0]
                .textValue
            guard let id else { return [] }
            let paths = type == "Patient" ? ["name.given.first()", "telecom.where(system = 'phone').value"] : ["descendants().count()"]
            return paths.map { ($0, $0, "\(type)/\(id)") }
        case .view:
            return ViewDefinition.standard(for: call.release).filter { types.contains($0.resource) }.prefix(4)
                .map { ("The ready-made view \($0.name ?? $0.resource)", $0.json, "") }
        }
    }

    // MARK: - Answers

    private static func answer(_ question: Question, _ call: PageCall) throws -> HTML {
        switch question.kind {
        case .search: try search(question.text, call)
        case .fhirpath: try path(question.text, question.on, call)
        case .sql: try statement(question.text, call)
        case .view: try view(question.text, call)
        }
    }

    /// The number of resources that a search includes at most.
    private static let mostIncluded = 1_000

    private static func search(_ text: String, _ call: PageCall) throws -> HTML {
        var options = call.searchOptions
        options.maximumIncluded = mostIncluded
        let most = call.configuration.consoleRows
        var request = try SearchRequest(text)
        if request.parameters.contains(where: { $0.name == "_count" && (Int($0.value) ?? 0) > most }) {
            request = request.without(["_count"]).where("_count", String(most))
        }
        let result = try call.transaction.until(.now + call.configuration.consoleTime) {
            try call.transaction.search(request, options: options)
        }
        let explanation = try call.store.explainSearch(text, options: call.searchOptions)
        let answer = try result.map { try matches($0, request, text, call) } ?? ended(explanation, call)
        return answer + plan(explanation)
    }

    private static func ended(_ explanation: SearchExplanation, _ call: PageCall) -> HTML {
        let time = Numbers.seconds(call.configuration.consoleTime)
        let note = Parts.note("The search takes longer than \(time), and was ended.", isError: true)
        return Parts.card("No answer", note + ListPage.remedy(explanation))
    }

    private static func matches(_ result: SearchResult, _ request: SearchRequest, _ text: String, _ call: PageCall) throws -> HTML {
        let most = call.configuration.consoleRows
        let found = result.matches + result.included
        let rows = found.prefix(most).map { resource -> HTML in
            let name = "\(resource.resourceType)/\(Numbers.clipped(resource.id ?? "", 64))"
            let link = resource.id.map { Parts.link(name, .resource(resource.resourceType, $0)) } ?? "\(name)"
            return """
                <tr><td>\(link)</td><td>\(Summary.date(resource) ?? "")</td><td>\(Numbers.clipped(Summary.title(resource) ?? "", 120))</td></tr>
                """
        }
        let shown = Numbers.count(result.matches.count, "match", "matches")
        let isFirst = !request.parameters.contains { $0.name == "_cursor" }
        let isCounted = result.total != nil || isFirst && result.next == nil
        let count = result.total.map { Numbers.count($0, "match", "matches") } ?? (isCounted ? shown : "more than \(shown)")
        let heads: [HTML] = ["<th>Resource</th>", "<th>Date</th>", "<th>About</th>"]
        var table = rows.isEmpty ? HTML() : Parts.table("Matches", heads, Array(rows))
        if rows.isEmpty, result.total ?? 0 == 0 { table = Parts.empty("Nothing matches.") }
        if found.count > most {
            table += Parts.note("The first \(Numbers.count(most)) of \(Numbers.count(found.count)) resources, included ones among them.")
        }
        var links: [HTML] = []
        if !isCounted, !request.parameters.contains(where: { $0.name == "_total" }) {
            links.append(Parts.link("Count all matches", address(.search, text + "&_total=accurate")))
        }
        if let type = request.type, call.release.hasResourceType(named: type), request.compartment == nil {
            let items = request.parameters.map { Address.Item(name: $0.name, value: $0.value) }
            links.append(Parts.link("Open as a list", Address([type], items: items)))
        }
        return Parts.card(count, links.isEmpty ? table : table + "<p>\(links.joined(" · "))</p>")
    }

    private static func plan(_ explanation: SearchExplanation) -> HTML {
        let plans = explanation.statements.map { statement -> HTML in
            "<h3>\(statement.type)</h3><pre>\(Numbers.clipped(statement.sqlWithValues, 4_000))</pre><h3>Plan</h3><pre>\(statement.plan)</pre>"
        }
        let missing = explanation.missing.isEmpty ? HTML() : ListPage.remedy(explanation)
        return "<details class=\"card\"><summary>Statement and plan</summary><div class=\"stack\">\(plans)\(missing)</div></details>"
    }

    private static func path(_ text: String, _ on: String, _ call: PageCall) throws -> HTML {
        var options = FHIRPathOptions()
        options.maximumMatchingTime = .milliseconds(500)
        let path = try FHIRPath(text, options: options)
        var context = FHIRPathContext()
        context.release = call.release
        context.now = call.now
        context.timeZone = call.configuration.timeZone
        context.resolve = { try call.transaction.resource(reference: $0) }
        context.bases = try call.transaction.bases()
        let values: [FHIRPathValue]
        if on.isEmpty {
            values = try path.evaluate(context: context)
        } else {
            let parts = on.split(separator: "/").map(String.init)
            guard parts.count == 2 else { throw PageProblem(400, "The resource is not named", "Write it as Type/id.") }
            values = try path.evaluate(on: call.resource(parts[0], parts[1]), context: context)
        }
        guard !values.isEmpty else { return Parts.card("No value", Parts.empty("The expression gives the empty collection.")) }
        let rows = values.prefix(call.configuration.consoleRows).map { value -> HTML in
            let shown = value.literal ?? value.object.map { FHIRJSON.string($0) } ?? ""
            return "<tr><td class=\"muted\">\(value.type)</td><td class=\"mono\">\(Numbers.clipped(shown, 1_000))</td></tr>"
        }
        return Parts.card(Numbers.count(values.count, "value", "values"), Parts.table("Values", ["<th>Type</th>", "<th>Value</th>"], rows))
    }

    private static func statement(_ text: String, _ call: PageCall) throws -> HTML {
        let result = try ResultTable.of(text, call)
        let plan = try call.store.sql("EXPLAIN QUERY PLAN " + text).map { $0.values.last?.shown ?? "" }.joined(separator: "\n")
        return result.html() + "<details class=\"card\"><summary>Plan</summary><pre>\(plan)</pre></details>"
    }

    private static func view(_ text: String, _ call: PageCall) throws -> HTML {
        let view = try ViewDefinition(json: Data(text.utf8))
        try view.validate(for: call.release)
        var table = ResultTable(columns: view.columnNames, limit: call.configuration.consoleRows)
        let end = ContinuousClock.now + call.configuration.consoleTime
        do {
            try call.store.forEachRow(of: view) { row in
                guard ContinuousClock.now < end else {
                    throw PageProblem(503, "The view takes too long", "Narrow it with a condition in `where`.")
                }
                try table.add(row.values.map { ($0.text, nil) })
            }
        } catch is ResultTable.Full {}
        // Not every view is a statement.
        let sql = try? call.store.sql(of: view)
        let statement: HTML =
            sql.map { "<details class=\"card\"><summary>Statement</summary><pre>\(Numbers.clipped($0, 8_000))</pre></details>" } ?? ""
        return table.html() + statement
    }

    private static func how(_ question: Question, _ call: PageCall) -> HTML {
        let file = Parts.shell(call.store.path)
        let text = question.text
        switch question.kind {
        case .search:
            return Parts.how([
                ("Swift", "let result = try store.search(\(Parts.swift(text)))"),
                ("Command", "firelite search \(file) \(Parts.shell(text))"),
            ])
        case .fhirpath:
            let target = question.on.isEmpty ? "" : " " + Parts.shell(question.on)
            return Parts.how([
                ("Swift", "let path = try FHIRPath(\(Parts.swift(text)))\nlet values = try path.evaluate(on: resource)"),
                ("Command", "firelite fhirpath --database \(file) \(Parts.shell(text))\(target)"),
            ])
        case .sql:
            return Parts.how([
                ("Swift", "let rows = try store.sql(\(Parts.swift(text)))"), ("Command", "firelite sql \(file) \(Parts.shell(text))"),
            ])
        case .view:
            return Parts.how([
                (
                    "Swift",
                    "let view = try ViewDefinition(json: Data(\(Parts.swift(text)).utf8))\ntry store.forEachRow(of: view) { print($0.json) }"
                ), ("Command", "firelite view --database \(file) --definition view.json"),
            ])
        }
    }
}

/// The rows of a statement, bounded in number and size, as a table and as bars if they are numbers by name.
struct ResultTable {
    /// Ends the rows.
    struct Full: Error {}

    /// The size in bytes that a value of a statement may have while it is computed.
    private static let maximumLength = 32 << 20

    private let columns: [String]
    private let limit: Int
    private var rows: [[(text: String, number: Double?)]] = []
    private var bytes = 0
    private var isCut = false

    init(columns: [String], limit: Int) {
        self.columns = columns
        self.limit = limit
    }

    /// The rows of a statement that only reads, limited in number and time.
    static func of(_ sql: String, _ call: PageCall) throws -> ResultTable {
        let end = ContinuousClock.now + call.configuration.consoleTime
        var table = ResultTable(columns: [], limit: call.configuration.consoleRows)
        do {
            try call.store.forEachRow(
                sql, arguments: [], maximumLength: maximumLength, isCancelled: { ContinuousClock.now >= end },
                columns: { table = ResultTable(columns: $0, limit: call.configuration.consoleRows) },
                { row in
                    try table.add(
                        row.values.map { value in
                            switch value {
                            case .integer(let number): (value.shown, Double(number))
                            case .real(let number): (value.shown, number)
                            default: (value.shown, nil)
                            }
                        })
                })
        } catch is Full {}
        return table
    }

    /// - Throws: ``Full`` if there are more rows than are shown.
    mutating func add(_ row: [(text: String, number: Double?)]) throws {
        guard rows.count < limit, bytes < 1_000_000 else {
            isCut = true
            throw Full()
        }
        let cells = row.map { (Numbers.clipped($0.text, 400), $0.number) }
        bytes += cells.reduce(0) { $0 + $1.0.utf8.count }
        rows.append(cells)
    }

    func html() -> HTML {
        guard !rows.isEmpty else { return Parts.card("No row", Parts.empty("The statement gives no row.")) }
        let numeric = columns.indices.map { index in rows.allSatisfy { $0[index].number != nil } }
        let chart = columns.count == 2 && numeric[1] && !isCut && (2...60).contains(rows.count)
        let largest = chart ? rows.compactMap { $0[1].number }.max() ?? 0 : 0
        var heads = columns.enumerated().map { index, name -> HTML in
            numeric[index] ? "<th class=\"num\">\(Numbers.clipped(name, 60))</th>" : "<th>\(Numbers.clipped(name, 60))</th>"
        }
        if chart { heads.append("<th><span class=\"muted\">Bar</span></th>") }
        let body = rows.map { row -> HTML in
            let cells = row.enumerated().map { index, cell -> HTML in
                numeric[index] ? "<td class=\"num\">\(cell.text)</td>" : "<td>\(cell.text)</td>"
            }
            let part = largest > 0 ? max(0, (row.last?.number ?? 0) / largest) : 0
            let bar: HTML = chart ? "<td class=\"barcell\">\(Parts.bar(Int((part * 1_000).rounded()), of: 1_000))</td>" : ""
            return "<tr>\(cells)\(bar)</tr>"
        }
        let title = isCut ? "The first \(Numbers.count(rows.count, "row", "rows"))" : Numbers.count(rows.count, "row", "rows")
        return Parts.card(title, Parts.table("Rows", heads, body, kind: "list"))
    }
}
