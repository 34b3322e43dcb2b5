import FireLite
import FireLiteService
import Foundation

/// What the store holds: its types with counts and sizes, and what else the file keeps.
enum OverviewPage {
    static func answer(_ call: PageCall) throws -> ServiceResponse {
        var page = Page("Overview")
        page.place = .overview
        page.isLive = true
        let counts = try call.counts()
        let total = RowCount.sum(counts.map(\.rows))
        page.aside =
            "<span class=\"more\">\(total.text("resource", "resources")) of \(Numbers.count(counts.count, "type", "types"))</span>"
        let types = try self.types(counts, call)
        let rest = try [
            facts(call), ExaminationCard.card(call), SavedSearchesPage.card(call), modules(call), indexes(call), views(call),
        ]
        let how = Parts.how([
            ("Command", "firelite info \(Parts.shell(call.store.path))"),
            ("Swift", "let counts = try store.counts()\nlet statistics = try store.statistics()"),
            ("SQL", "SELECT s.type, count(*) FROM _resource r JOIN _shape s USING (shape) GROUP BY s.type ORDER BY 2 DESC"),
        ])
        page.content = "<div class=\"grid two\"><div>\(types)\(how)</div><div>\(rest)</div></div>"
        return page.response(call)
    }

    private static func types(_ counts: [TypeNumber], _ call: PageCall) throws -> HTML {
        guard !counts.isEmpty else {
            return Parts.card("Types", Parts.empty("The store is empty. `firelite import` puts resources into it."))
        }
        let sizes = try call.browser.facts.sizes(call.budget())
        let largest = counts.map(\.count).max() ?? 1
        let rows = counts.sorted { ($1.count, $0.typeName) < ($0.count, $1.typeName) }.map { count -> HTML in
            let size = sizes.map { $0[count.typeName].map { Numbers.bytes($0) } ?? "" } ?? "–"
            return """
                <tr><td>\(Parts.link(count.typeName, Address(count.typeName)))</td><td class="num">\(count.rows.text)</td>\
                <td class="num muted">\(size)</td><td class="barcell">\(Parts.bar(count.count, of: largest))</td></tr>
                """
        }
        let table = Parts.table(
            "Types",
            [
                "<th>Type</th>", "<th class=\"num\">Resources</th>", "<th class=\"num\">Size</th>",
                "<th><span class=\"muted\">Share</span></th>",
            ],
            rows)
        var notes = HTML()
        if !counts.allSatisfy(\.rows.isExact) {
            notes += Parts.note("Numbers with “about” are estimates: to count takes longer than a page may. The statement below counts.")
        }
        if sizes == nil { notes += Parts.note("Sizes are not shown: it takes longer than a page may, or SQLite cannot.") }
        return Parts.card("Types", table + notes)
    }

    private static func facts(_ call: PageCall) throws -> HTML {
        let store = call.store
        let history = try call.transaction.tracked(.history)
        let log = try call.transaction.tracked(.changes)
        var facts: [(String, HTML)] = [("File", "<span class=\"mono\">\(store.path)</span>")]
        if let bytes = call.browser.facts.bytes() { facts.append(("Size", "\(Numbers.bytes(bytes)), with the write-ahead log")) }
        facts.append(("Release", "FHIR \(store.release.name) \(store.release.version)"))
        facts.append(("History", words(history)))
        facts.append(("Change log", words(log)))
        let bases = try call.transaction.bases()
        if !bases.isEmpty { facts.append(("Bases", "<span class=\"mono\">\(bases.joined(separator: ", "))</span>")) }
        facts.append(("Encrypted", store.configuration.key == nil ? "no" : "yes"))
        if let base = call.configuration.base { facts.append(("FHIR server", "<span class=\"mono\">\(base)</span>")) }
        return Parts.card("The file", Parts.facts(facts))
    }

    private static func words(_ types: TrackedTypes) -> HTML {
        switch types {
        case .all: "on, for every type"
        case .only(let names) where names.isEmpty: "off"
        case .only(let names): "on, for \(names.sorted().joined(separator: ", "))"
        }
    }

    /// The tables of the store's modules: annotations, outbox, samples, audit, payloads.
    private static func modules(_ call: PageCall) throws -> HTML {
        let names = try call.store.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_%' ESCAPE '\\' ORDER BY name")
            .compactMap { $0[0].textValue }.filter { !["_meta", "_resource", "_shape"].contains($0) }
        guard !names.isEmpty else { return "" }
        let counts = try TableCounts(names, schema: call.browser.facts.schema(), call.store, RowCounting(call.store), call.budget())
        let rows = names.map { name -> HTML in
            let count = counts.counts[name]?.text ?? "–"
            let address = ConsolePage.address(.sql, "SELECT * FROM \(sqlName(name)) LIMIT 100")
            return "<tr><td>\(Parts.link(name, address))</td><td class=\"num\">\(count)</td></tr>"
        }
        return Parts.card(
            "Modules", Parts.table("Tables of modules", ["<th>Table</th>", "<th class=\"num\">Rows</th>"], rows))
    }

    private static func indexes(_ call: PageCall) throws -> HTML {
        let indexes = try call.store.indexes()
        guard !indexes.isEmpty else {
            return Parts.card(
                "Indexes",
                "<p class=\"muted\">None but those on ids. <code>firelite index</code> makes searches and lists of references fast.</p>")
        }
        let rows = indexes.prefix(40).map { index -> HTML in
            "<tr><td class=\"mono\">\(index.name)</td><td>\(index.kind.rawValue)\(index.isBuilt ? "" : ", not built")</td></tr>"
        }
        let more: HTML = indexes.count > 40 ? "<p class=\"muted\">and \(indexes.count - 40) more</p>" : ""
        return Parts.card("Indexes", Parts.table("Indexes", ["<th>Index</th>", "<th>Kind</th>"], rows) + more)
    }

    private static func views(_ call: PageCall) throws -> HTML {
        let names = try call.store.sql("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name LIMIT 100").compactMap {
            $0[0].textValue
        }
        guard !names.isEmpty else { return "" }
        let items = names.map { name -> HTML in
            "<li>\(Parts.link(name, ConsolePage.address(.sql, "SELECT * FROM \(sqlName(name)) LIMIT 100")))</li>"
        }
        return Parts.card("Views", "<ul>\(items)</ul>")
    }
}

/// The field at the top of every page: leads to a resource, a search, or resources that contain words.
enum FindPage {
    static func answer(_ call: PageCall) throws -> ServiceResponse {
        let text = (call.address["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return .redirect(to: Address()) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, call.release.hasResourceType(named: parts[0]), !parts[1].contains("?") {
            return .redirect(to: .resource(parts[0], parts[1]))
        }
        let halves = text.split(separator: "?", maxSplits: 1).map(String.init)
        if let type = halves.first, call.release.hasResourceType(named: type) {
            guard let items = halves.count > 1 ? Address.items(halves[1]) : [] else {
                throw PageProblem(400, "The search cannot be read", "It is not percent-encoded UTF-8.")
            }
            return .redirect(to: Address([type], items: items))
        }
        // An id alone: whichever resources have it.
        var found: [Address] = []
        for count in try call.counts() where found.count < 20 {
            if try call.transaction.resource(typeName: count.typeName, id: text) != nil { found.append(.resource(count.typeName, text)) }
        }
        if found.count == 1 { return .redirect(to: found[0]) }
        var page = Page("Nothing has been found")
        page.find = text
        page.crumbs = [.init(text: "Overview", address: Address()), .init(text: "Find", address: nil)]
        if found.isEmpty {
            page.content = Parts.card(
                "How to find a resource",
                """
                <p>Write <code>Type/id</code>, an id alone, a type, or a FHIR search: <code>Patient?name=peter</code>, \
                <code>Observation?code=8480-6&amp;_sort=-date</code>.</p>
                """)
        } else {
            page.title = "\(found.count) resources have this id"
            page.content = Parts.card(
                "Resources",
                "<ul>\(found.map { address -> HTML in "<li>\(Parts.link(address.segments.joined(separator: "/"), address))</li>" })</ul>")
        }
        return page.response(call)
    }
}
