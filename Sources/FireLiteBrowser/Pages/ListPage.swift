import FireLite
import FireLiteCore
import FireLiteSearch
import FireLiteService
import Foundation

/// The resources of a type, or those that a search finds.
///
/// The parameters of the address are those of the search. Those of the page begin with `~`, which no search parameter does.
struct ListPage {
    let call: PageCall
    let layout: Layout
    let parameters: [KnownParameter]
    let columns: [String]
    /// The search without the page.
    let request: SearchRequest

    static func answer(_ call: PageCall, _ type: String) throws -> ServiceResponse {
        let layout = try call.layout(type)
        let address = call.address
        // The form of the filter leads to the search that it describes.
        if let name = address["~name"] {
            let rest = ["~name", "~modifier", "~value", "~after"].reduce(address) { $0.without($1) }
            guard let value = address["~value"] else { return .redirect(to: rest) }
            return .redirect(to: rest.adding(filterName(name, address["~modifier"]), (prefixes[address["~modifier"] ?? ""] ?? "") + value))
        }
        let page = try ListPage(call, layout)
        let isWhole = address["~all"] != nil
        var response: ServiceResponse
        switch address["~format"] {
        case nil: response = try page.found().response(call)
        case "ndjson": response = try isWhole ? page.whole("application/fhir+ndjson", "ndjson") { try $0.lines($1) } : page.ndjson()
        case "csv": response = try isWhole ? page.whole("text/csv; charset=utf-8", "csv", page.heads) { $0.rows($1) } : page.csv()
        case "json": response = try page.json()
        default: throw PageProblem(400, "The format is unknown", "Lists can be had as ndjson, csv and json.")
        }
        if address["~columns"] != nil { response.fields["Set-Cookie"] = Preferences.field(columns: page.columns, of: layout.name) }
        return response
    }

    private init(_ call: PageCall, _ layout: Layout) throws {
        self.call = call
        self.layout = layout
        parameters = try call.browser.facts.parameters(layout, call)
        let chosen = call.address["~columns"].map { $0.split(separator: ",").map(String.init) } ?? call.preferences.columns(of: layout.name)
        let known = (chosen ?? []).filter { Columns.exists($0, layout) }
        columns = known.isEmpty ? Columns.standard(layout, parameters) : Array(known.prefix(Columns.maximum))
        request = Self.searched(call).reduce(SearchRequest(type: layout.name)) { request, item in
            let isTooLarge = item.name == "_count" && (Int(item.value) ?? 0) > Self.most
            return request.where(item.name, isTooLarge ? String(Self.most) : item.value)
        }
    }

    /// The number of resources that a page has at most.
    private static let most = 1_000

    /// The parameters of the search; those that shape a Bundle have no meaning for a list.
    private static func searched(_ call: PageCall) -> [Address.Item] {
        call.address.items.filter {
            !$0.name.hasPrefix("~") && !["_summary", "_elements", "_total", "_format", "_pretty"].contains($0.name)
        }
    }

    private func search() throws -> SearchResult {
        let after = try call.address["~after"].map { try SearchCursor($0) }
        return try call.transaction.search(request.after(after), options: call.searchOptions)
    }

    /// The same, ended after some time: nil if it is over first.
    private func search(within time: Duration) throws -> SearchResult? { try call.transaction.until(.now + time) { try search() } }

    /// The same for a file.
    private func searchForFile() throws -> SearchResult {
        guard let result = try search(within: call.configuration.consoleTime) else {
            let time = Numbers.seconds(call.configuration.consoleTime)
            throw PageProblem(503, "The search takes longer than \(time)", "Take the order away, or use `firelite search`.")
        }
        return result
    }

    private var filters: [Address.Item] { Self.searched(call).filter { !["_count"].contains($0.name) && !Self.isOrder($0) } }

    private static func isOrder(_ item: Address.Item) -> Bool { item.name == "_sort" || item.name.hasPrefix("_sort:") }

    // MARK: - The time of a page

    /// The page, with what is found in its time: a search that no index serves can take as long as reading the whole file.
    private func found() throws -> Page {
        let waits = call.address["~wait"] != nil
        let long = call.configuration.consoleTime
        if let result = try search(within: waits ? long : time) { return try page(result) }
        let explanation = try call.store.explainSearch(request.address, options: call.searchOptions)
        // Where indexes serve it, the file is slow, and there is nothing better to do.
        if !waits, isServed(explanation), let result = try search(within: long) { return try page(result) }
        let order = call.address.items.filter(Self.isOrder).map(\.value).joined(separator: ", ")
        if !order.isEmpty, call.address["~after"] == nil {
            var address = call.address.without("~wait")
            address.items.removeAll(where: Self.isOrder)
            let unsorted = try ListPage(call.at(address), layout)
            let rest = filters.isEmpty ? unsorted.time : call.configuration.searchTime * 0.25
            if let result = try unsorted.search(within: rest) {
                return try unsorted.page(result, note: note("Not sorted by \(Numbers.clipped(order, 80)): sorting", "Sort", explanation))
            }
        }
        return try page(nil, note: note("Nothing is shown: the search", "Search", explanation))
    }

    /// The time of the search: all resources in the order in which they were stored are found without looking at others, and if those of an order are
    /// not found, there must be time for others.
    private var time: Duration {
        if call.address.items.contains(where: Self.isOrder) { return call.configuration.searchTime * 0.75 }
        return filters.isEmpty ? call.configuration.consoleTime : call.configuration.searchTime
    }

    /// Whether indexes lead to what is found, and to nothing else.
    private func isServed(_ explanation: SearchExplanation) -> Bool {
        explanation.missing.isEmpty
            && explanation.statements.allSatisfy { statement in
                // An order alone is that of an index, whose first rows are read.
                let isScan = statement.plan.contains("SCAN ") && !(filters.isEmpty && statement.plan.contains("USING INDEX"))
                return !isScan && !statement.plan.contains("TEMP B-TREE FOR ORDER BY")
            }
    }

    /// What is left out and why, and what to do.
    private func note(_ what: String, _ action: String, _ explanation: SearchExplanation) -> HTML {
        let time = Numbers.seconds(call.configuration.consoleTime)
        let waits = call.address["~wait"] != nil
        let why: HTML = waits ? "\(what) takes longer than \(time)." : "\(what) takes longer than a page may."
        let wait: HTML = waits ? "" : " \(Parts.link("\(action) for up to \(time)", call.address.with("~wait", "1")))."
        return "<div class=\"note\" role=\"status\"><p>\(why)\(wait)</p>\(Self.remedy(explanation))</div>"
    }

    /// What makes a search fast.
    static func remedy(_ explanation: SearchExplanation) -> HTML {
        guard !explanation.missing.isEmpty else { return "<p>A search that finds fewer resources takes less time.</p>" }
        let names = explanation.missing.map { Parts.swift($0) }.joined(separator: ", ")
        return "<p>Indexes are missing, which an app creates: <code>try store.createIndexes(forSearch: [\(names)])</code></p>"
    }

    // MARK: - The page

    /// - Parameters:
    ///   - result: what is shown; nil if there was no time to find it.
    ///   - note: what is left out.
    private func page(_ result: SearchResult?, note: HTML = HTML()) throws -> Page {
        var page = Page(layout.name)
        page.crumbs = [.init(text: "Overview", address: Address()), .init(text: layout.name, address: nil)]
        page.find = request.address
        page.isLive = call.address["~after"] == nil
        if let result { page.aside = "<span class=\"more\">\(try size(result))</span>" }
        let side = try FilterPanel(call: call, layout: layout, parameters: parameters, filters: filters, request: request).html()
        let shown = result.map { table($0) + pager($0) } ?? ""
        page.content = """
            <div class="grid side"><div class="filters">\(side)</div><div>\(chips)<section class="card">\(note)\(shown)</section>\
            \(chooser)\(how)</div></div>
            """
        return page
    }

    /// How many resources there are, if that is known.
    private func size(_ result: SearchResult) throws -> String {
        if filters.isEmpty {
            return try call.counts().first { $0.typeName == layout.name }?.rows.text("resource", "resources") ?? "0 resources"
        }
        if call.address["~after"] == nil, result.next == nil { return Numbers.count(result.matches.count, "match", "matches") }
        if call.address["~count"] != nil {
            var options = call.searchOptions
            options.countsTotal = true
            let counted = try call.transaction.until(.now + call.configuration.consoleTime) {
                try call.transaction.search(request.where("_summary", "count"), options: options).total
            }
            if let total = counted ?? nil { return Numbers.count(total, "match", "matches") }
            let time = Numbers.seconds(call.configuration.consoleTime)
            return "more than \(Numbers.count(result.matches.count)) matches: to count them takes longer than \(time)"
        }
        return "more than \(Numbers.count(result.matches.count)) matches"
    }

    /// What the search asks for; each can be taken away.
    private var chips: HTML {
        guard !filters.isEmpty else { return "" }
        let items = filters.map { item -> HTML in
            var rest = call.address.without("~after")
            if let place = rest.items.firstIndex(of: item) { rest.items.remove(at: place) }
            return """
                <li class="chip on">\(item.name) = \(Numbers.clipped(item.value, 80)) <a href="\(rest.text)" aria-label="Remove the filter \(item.name)">×</a></li>
                """
        }
        let count: HTML =
            call.address["~count"] == nil ? "<li>\(Parts.link("Count the matches", call.address.with("~count", "1")))</li>" : ""
        return "<ul class=\"chips card\" aria-label=\"Filters\">\(items)\(count)</ul>"
    }

    private func table(_ result: SearchResult) -> HTML {
        guard !result.matches.isEmpty else {
            return Parts.empty(
                filters.isEmpty ? "There are no resources of this type." : "Nothing matches. Take a filter away, or widen it.")
        }
        let rows = result.matches.map { resource -> HTML in
            let cells = columns.map { name -> HTML in "<td>\(cell(name, resource))</td>" }
            return "<tr>\(cells)</tr>"
        }
        return Parts.table("Resources", columns.map(head), rows, kind: "list")
    }

    private func head(_ name: String) -> HTML {
        guard let code = name == "id" ? "_id" : Columns.parameter(name, parameters)?.code else { return "<th scope=\"col\">\(name)</th>" }
        let sort = call.address["_sort"]
        let (isUp, isDown) = (sort == code, sort == "-" + code)
        let address = call.address.without("~after").with("_sort", isUp ? "-" + code : code)
        let state: HTML = isUp ? " aria-sort=\"ascending\"" : isDown ? " aria-sort=\"descending\"" : ""
        return "<th scope=\"col\"\(state)>\(Parts.link(name + (isUp ? " ↑" : isDown ? " ↓" : ""), address))</th>"
    }

    private func cell(_ name: String, _ resource: FHIRResource) -> HTML {
        if name == "id" {
            let id = resource.id ?? "without id"
            let text = Numbers.clipped(id, 40)
            let link = resource.id.map { Parts.link(text, .resource(layout.name, $0)) } ?? "\(text)"
            return "<span class=\"mono small nowrap\">\(link)</span>"
        }
        let values = ElementValues.at(name, of: resource, limit: 4)
        let pieces = values.prefix(3).compactMap { ValueHTML.short($0, call.release) }
        return pieces.joined(", ") + (values.count > 3 ? ", …" : "")
    }

    private func pager(_ result: SearchResult) -> HTML {
        var links: [HTML] = []
        if call.address["~after"] != nil {
            links.append("<a class=\"button quiet\" href=\"\(call.address.without("~after").text)\">First page</a>")
        }
        if let next = result.next {
            links.append("<a class=\"button quiet\" rel=\"next\" href=\"\(call.address.with("~after", next.text).text)\">Next page</a>")
        }
        func exports(_ formats: [String], of address: Address) -> HTML {
            formats.map { format -> HTML in Parts.link(format.uppercased(), address.with("~format", format)) }.joined(" · ")
        }
        var files: HTML = "What is shown as \(exports(["csv", "ndjson", "json"], of: call.address))"
        if call.address["~after"] != nil || result.next != nil {
            files += ", all as \(exports(["csv", "ndjson"], of: call.address.without("~after").with("~all", "1")))"
        }
        return "<div class=\"row noprint\">\(links)<span class=\"small muted\">\(files)</span></div>"
    }

    // MARK: - Columns

    private var chooser: HTML {
        func address(_ columns: [String]) -> Address { call.address.with("~columns", columns.joined(separator: ",")) }
        let chosen = columns.enumerated().map { place, name -> HTML in
            var rest = columns
            rest.remove(at: place)
            var left = columns
            if place > 0 { left.swapAt(place, place - 1) }
            let move: HTML = place > 0 ? "<a href=\"\(address(left).text)\" aria-label=\"Move \(name) to the left\">←</a> " : ""
            let remove: HTML = columns.count > 1 ? " <a href=\"\(address(rest).text)\" aria-label=\"Remove the column \(name)\">×</a>" : ""
            return "<li class=\"chip\">\(move)\(name)\(remove)</li>"
        }
        let others = Columns.names(layout).filter { !columns.contains($0) }.map { name -> HTML in
            "<li class=\"chip\"><a href=\"\(address(columns + [name]).text)\" aria-label=\"Add the column \(name)\">+ \(name)</a></li>"
        }
        let hidden = FilterPanel.hidden(call.address.without("~columns").without("~after"))
        return """
            <details class="card noprint"><summary>Columns</summary><div class="stack"><ul class="chips">\(chosen)</ul><ul class="chips">\(others)</ul>
            <form class="row" action="\(Address(layout.name).text)">\(hidden)<div><label for="columns">Paths, in their order</label>
            <input id="columns" name="~columns" size="48" value="\(columns.joined(separator: ","))"></div><button class="quiet">Show these</button></form></div></details>
            """
    }

    private var how: HTML {
        let search = request.address
        let statements = (try? call.store.explainSearch(search, options: call.searchOptions).statements.map(\.sqlWithValues)) ?? []
        let sql = statements.joined(separator: ";\n")
        var ways = [
            ("Search", search),
            (
                "Swift",
                "let result = try store.search(\(Parts.swift(search)))\nfor resource in result.matches { print(resource.id ?? \"\") }"
            ),
            ("Command", "firelite search \(Parts.shell(call.store.path)) \(Parts.shell(search))"),
        ]
        if !sql.isEmpty { ways.append(("SQL", Numbers.clipped(sql, 4_000))) }
        if let base = call.configuration.base { ways.append(("HTTP", "GET \(base)/\(search)")) }
        return Parts.how(ways)
    }

    // MARK: - Files

    private func ndjson() throws -> ServiceResponse {
        .file(try lines(searchForFile()), "application/fhir+ndjson", named: "\(layout.name).ndjson")
    }

    private func json() throws -> ServiceResponse {
        .file(Data(try searchForFile().bundleJSON.utf8), "application/fhir+json", named: "\(layout.name).json")
    }

    private func csv() throws -> ServiceResponse {
        .file(heads + rows(try searchForFile()), "text/csv; charset=utf-8", named: "\(layout.name).csv")
    }

    private func lines(_ result: SearchResult) throws -> Data {
        var data = Data()
        for resource in result.matches {
            data.append(FHIRJSON.data(resource))
            data.append(UInt8(ascii: "\n"))
        }
        return data
    }

    /// A line of CSV, as RFC 4180 has it.
    private func line(_ cells: [String]) -> Data {
        let quoted = cells.map { cell in
            cell.contains(where: { "\",\n\r".contains($0) }) ? "\"" + cell.replacingBytes("\"", with: "\"\"") + "\"" : cell
        }
        return Data((quoted.joined(separator: ",") + "\r\n").utf8)
    }

    private var heads: Data { line(columns) }

    /// The columns that are shown.
    private func rows(_ result: SearchResult) -> Data {
        result.matches.reduce(into: Data()) { data, resource in
            data += line(
                columns.map { name in
                    if name == "id" { return resource.id ?? "" }
                    return ElementValues.at(name, of: resource, limit: 100).compactMap { Summary.text($0) }.joined(separator: "; ")
                })
        }
    }

    /// All matches, from page to page: each is read when the client has taken the one before. What others write meanwhile is there if it comes later in the
    /// order.
    private func whole(
        _ type: String, _ ending: String, _ head: Data = Data(), _ part: @escaping @Sendable (ListPage, SearchResult) throws -> Data
    ) throws -> ServiceResponse {
        // A search with a mistake is a page that says so.
        _ = try search()
        let layout = layout
        let address = call.address.with("_count", "200")
        let pages = FollowingPages(browser: call.browser, preferences: call.preferences, address: address) { call in
            let page = try ListPage(call, layout)
            let result = try page.search()
            return (try part(page, result), result.next)
        }
        let body = HTTPBody {
            guard let data = try await pages.next() else { return nil }
            return data.isFirst ? head + data.data : data.data
        }
        return ServiceResponse(
            200, fields: ["Content-Type": type, "Content-Disposition": "attachment; filename=\"\(layout.name).\(ending)\""],
            body: .stream(body))
    }

    // MARK: - Filters

    private static let prefixes = ["ge": "ge", "le": "le", "gt": "gt", "lt": "lt", "ne": "ne", "ap": "ap"]

    private static func filterName(_ name: String, _ modifier: String?) -> String {
        guard let modifier, !modifier.isEmpty, prefixes[modifier] == nil else { return name }
        return "\(name):\(modifier)"
    }
}

/// The pages of a list, one after another, each in a snapshot of its own.
private actor FollowingPages {
    private let browser: StoreBrowser
    private let preferences: Preferences
    private let read: @Sendable (PageCall) throws -> (data: Data, next: SearchCursor?)
    /// The address of the next page; nil after the last one.
    private var address: Address?
    private var isFirst = true

    init(
        browser: StoreBrowser, preferences: Preferences, address: Address,
        read: @escaping @Sendable (PageCall) throws -> (data: Data, next: SearchCursor?)
    ) {
        (self.browser, self.preferences, self.read, self.address) = (browser, preferences, read, address)
    }

    func next() async throws -> (data: Data, isFirst: Bool)? {
        guard let address else { return nil }
        let (browser, preferences, read) = (browser, preferences, read)
        let page = try await browser.store.reading {
            try browser.store.read { transaction in
                try read(PageCall(browser, address: address, transaction: transaction, preferences: preferences))
            }
        }
        self.address = page.next.map { address.with("~after", $0.text) }
        defer { isFirst = false }
        return (page.data, isFirst)
    }
}
