import FireLite
import FireLiteService
import Foundation

/// The searches that people have saved, and how they are saved and removed.
enum SavedSearchesPage {
    static let address = Address("searches")

    static func answer(_ call: PageCall) throws -> ServiceResponse {
        var page = Page("Saved searches")
        page.crumbs = [.init(text: "Overview", address: Address()), .init(text: "Saved searches", address: nil)]
        let searches = try call.browser.searches.all()
        let rows = searches.map { search -> HTML in
            let name = search.address.map { Parts.link(search.name, $0) } ?? "\(search.name)"
            return """
                <tr><td>\(name)</td><td>\(search.type)</td><td class="mono small">\(Numbers.clipped(search.query, 300))</td><td>\(remover(search))</td></tr>
                """
        }
        let table =
            rows.isEmpty
            ? Parts.empty("None yet. The list of a type saves its search under a name.")
            : Parts.table(
                "Saved searches",
                ["<th>Name</th>", "<th>Type</th>", "<th>Search</th>", "<th><span class=\"muted\">Change</span></th>"], rows)
        page.content = Parts.card(Numbers.count(searches.count, "search", "searches"), table)
        page.content += Parts.note(place(call))
        page.content += Parts.how(
            searches.prefix(20).map { search -> (name: String, text: String) in
                let text = search.type + (search.query.isEmpty ? "" : "?" + search.query)
                return (
                    "Command for \(Numbers.clipped(search.name, 60))",
                    "firelite search \(Parts.shell(call.store.path)) \(Parts.shell(text))"
                )
            })
        return page.response(call)
    }

    private static func place(_ call: PageCall) -> String {
        guard let file = call.configuration.searchesFile else { return "Searches are kept in memory, until the server ends." }
        return "Searches are kept in the file \(file.path), which only its owner can read. The store does not change."
    }

    private static func remover(_ search: SavedSearch) -> HTML {
        """
        <form method="post" action="\(address.text)"><input type="hidden" name="mode" value="remove"><input type="hidden" name="type" value="\(search.type)">\
        <input type="hidden" name="name" value="\(search.name)"><button class="quiet" aria-label="Remove the search \(search.name)">Remove</button></form>
        """
    }

    /// The searches of all types, for the overview; empty if there are none.
    static func card(_ call: PageCall) -> HTML {
        do {
            let searches = try call.browser.searches.all()
            guard !searches.isEmpty else { return "" }
            return Parts.card("Saved searches", list(searches.prefix(20)) + "<p>\(Parts.link("All of them", address))</p>")
        } catch { return Parts.card("Saved searches", Parts.note(PageProblem(error).remedy, isError: true)) }
    }

    private static func list(_ searches: some Sequence<SavedSearch>) -> HTML {
        let items = searches.map { search -> HTML in
            let text = Numbers.clipped(search.name, 60)
            let link = search.address.map { Parts.link(text, $0) } ?? "\(text)"
            return "<li>\(link) <span class=\"muted small\">\(search.type)</span></li>"
        }
        return "<ul>\(items)</ul>"
    }

    /// The searches of a type, and a form that saves the one that is shown.
    static func panel(_ call: PageCall, type: String) -> HTML {
        var content = HTML()
        do {
            let own = try call.browser.searches.all().filter { $0.type == type }
            if !own.isEmpty { content += list(own.prefix(40)) + "<p>\(Parts.link("Change them", address))</p>" }
        } catch { content += Parts.note(PageProblem(error).remedy, isError: true) }
        return """
            <section class="card"><h2>Saved searches</h2>\(content)<form class="stack" method="post" action="\(address.text)">
            <input type="hidden" name="mode" value="save"><input type="hidden" name="type" value="\(type)">
            <input type="hidden" name="query" value="\(query(call.address))">
            <div><label for="search-name">Name of this search</label><input id="search-name" name="name" size="22" maxlength="\(SavedSearches.most.name)" required></div>
            <button class="quiet">Save the search</button></form></section>
            """
    }

    /// The query of a list without the page that is turned to.
    private static func query(_ address: Address) -> String {
        let kept = ["~after", "~count", "~format"].reduce(address) { $0.without($1) }
        return kept.items.map { "\(Address.encoded($0.name))=\(Address.encoded($0.value))" }.joined(separator: "&")
    }

    // MARK: - Changes

    static func post(_ form: Address, _ browser: StoreBrowser) throws -> ServiceResponse {
        guard let type = form["type"], browser.store.release.hasResourceType(named: type) else {
            throw PageProblem(400, "The form is not whole", "Open the list again.")
        }
        let name = (form["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        switch form["mode"] {
        case "save":
            let search = SavedSearch(name: name, type: type, query: form["query"] ?? "")
            try browser.searches.save(search)
            return .redirect(to: search.address ?? address)
        case "remove":
            try browser.searches.remove(type: type, name: form["name"] ?? "")
            return .redirect(to: address)
        default: throw PageProblem(400, "The form is not whole", "Open the list again.")
        }
    }
}
