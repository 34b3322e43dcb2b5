import FireLiteCore
import FireLiteSearch

/// The side of a list: a builder of filters, and facets.
struct FilterPanel {
    let call: PageCall
    let layout: Layout
    let parameters: [KnownParameter]
    let filters: [Address.Item]
    let request: SearchRequest

    func html() throws -> HTML { try builder + facets() + SavedSearchesPage.panel(call, type: layout.name) }

    private var builder: HTML {
        let names = [("_id", "token"), ("_lastUpdated", "date")] + parameters.map { ($0.code, $0.kind) }
        let options = names.map { name, kind -> HTML in "<option value=\"\(name)\">\(name) (\(kind))</option>" }
        let modifiers: [(String, String)] = [
            ("", "is, or begins with"), ("contains", "contains"), ("exact", "is exactly"), ("not", "is not"),
            ("missing", "is missing: true or false"),
            ("ge", "≥ or from"), ("le", "≤ or until"), ("gt", ">"), ("lt", "<"), ("ap", "about"), ("of-type", "of type"),
            ("text", "has the text"),
        ]
        let ways = modifiers.map { value, text -> HTML in "<option value=\"\(value)\">\(text)</option>" }
        return """
            <section class="card"><h2>Filter</h2><form class="stack" action="\(Address(layout.name).text)">\(Self.hidden(call.address.without("~after")))
            <div><label for="filter-name">Search parameter</label><select id="filter-name" name="~name">\(options)</select></div>
            <div><label for="filter-modifier">Comparison</label><select id="filter-modifier" name="~modifier">\(ways)</select></div>
            <div><label for="filter-value">Value</label><input id="filter-value" name="~value" size="22" placeholder="system|code, date, text"></div>
            <button>Add the filter</button></form></section>
            """
    }

    /// The parameters of an address, for a form.
    static func hidden(_ address: Address) -> [HTML] {
        address.items.map { item -> HTML in "<input type=\"hidden\" name=\"\(item.name)\" value=\"\(item.value)\">" }
    }

    private func facets() throws -> HTML {
        var (facets, isWhole) = try call.browser.facts.facets(layout, parameters, call)
        if !filters.isEmpty, !facets.isEmpty {
            let counted = try Facets.counted(facets, in: request, call)
            (facets, isWhole) = (counted.facets, isWhole && counted.isWhole)
        }
        guard !facets.isEmpty || !isWhole else { return "" }
        let lists = facets.map { facet -> HTML in
            let items = facet.values.map { value -> HTML in
                let chosen = Address.Item(name: facet.parameter, value: SearchRequest.escaped(value.code))
                let isOn = filters.contains(chosen)
                var address = call.address.without("~after")
                if isOn { address.items.removeAll { $0 == chosen } } else { address.items.append(chosen) }
                let current: HTML = isOn ? " aria-current=\"true\"" : ""
                let count = value.count.map { Numbers.count($0) } ?? ""
                return """
                    <li><a href="\(address.text)"\(current)>\(Numbers.clipped(value.label, 48))</a><span class="muted">\(count)</span></li>
                    """
            }
            return "<div class=\"facet\"><h3>\(facet.title)</h3><ul>\(items)</ul></div>"
        }
        let note = isWhole ? HTML() : Parts.note("Not everything is counted: that takes longer than a page may.")
        return "<section class=\"card\"><h2>Values</h2>\(lists)\(note)</section>"
    }
}
