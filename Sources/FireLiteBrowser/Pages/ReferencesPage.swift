import FireLite
import FireLiteCore
import FireLiteSearch
import FireLiteService

/// What a resource refers to, and what refers to it.
enum ReferencesPage {
    struct Link {
        let path: String
        let reference: String
        let display: String?
        let address: Address?
    }

    struct Backlink {
        let column: StoreFacts.ReferenceColumn
        /// The type whose resources refer to the resource.
        let type: String
        /// The element, as a path.
        let path: String
        /// Nil if there was no time to count.
        let count: Int?
        /// The page with the resources.
        let address: Address
    }

    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        let resource = try call.resource(type, id)
        var page = ResourcePage.frame(call, resource, type: type, id: id, tab: "References")
        let links = forward(try ElementTree(resource), call.release)
        let (back, isWhole) = try backward(type, id, call)
        page.content += try "<div class=\"grid halves\">\(forwardCard(links, call))\(backwardCard(back, isWhole))</div>"
        let all = search(type, id, back)
        page.content += Parts.how([
            ("Search", all), ("Command", "firelite search \(Parts.shell(call.store.path)) \(Parts.shell(all))"),
            ("Swift", "let result = try store.search(\(Parts.swift(all)))"),
        ])
        return page.response(call)
    }

    /// The search for a resource and those that refer to it.
    static func search(_ type: String, _ id: String, _ back: [Backlink]) -> String {
        Set(back.map(\.type)).sorted().reduce("\(type)?_id=\(id)") { "\($0)&_revinclude=\($1):*" }
    }

    // MARK: - Forward

    static func forward(_ tree: ElementTree, _ release: FHIRRelease) -> [Link] {
        func links(_ nodes: [ElementTree.Node]) -> [Link] {
            nodes.flatMap { node -> [Link] in
                guard node.item.isObject, let text = node.item["reference"]?.text else { return links(node.children) }
                let address = text.hasPrefix("#") ? nil : ValueHTML.address(of: text, release)
                return [Link(path: node.path, reference: text, display: node.item["display"]?.text, address: address)]
            }
        }
        return links(tree.nodes)
    }

    private static func forwardCard(_ links: [Link], _ call: PageCall) throws -> HTML {
        guard !links.isEmpty else { return Parts.card("Refers to", Parts.empty("The resource has no references.")) }
        let budget = call.budget()
        let rows = try links.prefix(200).map { link -> HTML in
            let target =
                link.address.map { Parts.link(Numbers.clipped(link.reference, 80), $0) } ?? "\(Numbers.clipped(link.reference, 80))"
            var state = "elsewhere"
            if link.reference.hasPrefix("#") { state = "contained" }
            if let address = link.address, !budget.isSpent {
                let isThere = try call.transaction.resource(typeName: address.segments[0], id: address.segments[1]) != nil
                state = isThere ? "stored" : "not stored"
            }
            return """
                <tr><td class="mono">\(link.path)</td><td>\(target)<div class="muted small">\(Numbers.clipped(link.display ?? "", 80))</div></td><td class="muted">\(state)</td></tr>
                """
        }
        return Parts.card(
            "Refers to", Parts.table("References of the resource", ["<th>Element</th>", "<th>Target</th>", "<th>State</th>"], rows))
    }

    // MARK: - Backward

    /// Who refers to a resource, by element, as far as there is time to count.
    static func backward(_ type: String, _ id: String, _ call: PageCall) throws -> (links: [Backlink], isWhole: Bool) {
        let budget = call.budget()
        let texts = ["\(type)/\(id)"] + (try call.transaction.bases()).map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "\(type)/\(id)" }
        let marks = texts.map { _ in "?" }.joined(separator: ", ")
        var links: [Backlink] = []
        var isWhole = true
        for column in try call.browser.facts.referenceColumns() {
            let source = String(column.table.prefix { $0 != "_" })
            guard call.release.hasResourceType(named: source), try mayRefer(column, source, to: type, call) else { continue }
            let sql = "SELECT count(DISTINCT _k >> 24) FROM \(sqlName(column.table)) WHERE \(sqlName(column.column)) IN (\(marks))"
            guard let count = try budget.number(call.store, sql, texts.map { .text($0) }) else {
                isWhole = false
                links.append(try backlink(call, column: column, source: source, count: nil, type: type, id: id))
                continue
            }
            if count > 0 { links.append(try backlink(call, column: column, source: source, count: count, type: type, id: id)) }
        }
        return (links.sorted { ($1.count ?? -1, $0.type) < ($0.count ?? -1, $1.type) }, isWhole)
    }

    /// Whether an element may refer to a type, by its layout; true if that cannot be said.
    private static func mayRefer(_ column: StoreFacts.ReferenceColumn, _ source: String, to type: String, _ call: PageCall) throws -> Bool {
        guard let layout = call.release.resourceLayout(named: source), let name = path(column).split(separator: ".").first,
            let element = layout.element(named: String(name)), element.typeName == "Reference", !element.targets.isEmpty
        else { return true }
        return element.targets.contains { $0 == type || $0 == "Resource" }
    }

    /// `Observation` and `subject_reference` as `subject`; `Encounter_participant` and `individual_reference` as `participant.individual`.
    private static func path(_ column: StoreFacts.ReferenceColumn) -> String {
        let table = column.table.split(separator: "_").dropFirst().map(String.init)
        let names = column.column.split(separator: "_").map(String.init)
        return (table + (names.last == "reference" ? names.dropLast() : names)).joined(separator: ".")
    }

    private static func backlink(
        _ call: PageCall, column: StoreFacts.ReferenceColumn, source: String, count: Int?, type: String, id: String
    ) throws -> Backlink {
        let path = path(column)
        var address = ConsolePage.address(
            .sql, "SELECT * FROM \(sqlName(column.table)) WHERE \(sqlName(column.column)) = '\(type)/\(id.replacingBytes("'", with: "''"))'"
        )
        if let layout = call.release.resourceLayout(named: source), let first = path.split(separator: ".").first,
            let parameter = Columns.parameter(String(first), try call.browser.facts.parameters(layout, call)), parameter.kind == "reference"
        {
            address = Address([source], items: [.init(name: parameter.code, value: "\(type)/\(id)")])
        }
        return Backlink(column: column, type: source, path: path, count: count, address: address)
    }

    private static func backwardCard(_ links: [Backlink], _ isWhole: Bool) -> HTML {
        let note =
            isWhole
            ? HTML()
            : Parts.note(
                "Not every table is counted: that takes longer than a page may. `firelite index create --set references` makes it fast.")
        guard !links.isEmpty else {
            return Parts.card("Referred to by", (isWhole ? Parts.empty("Nothing refers to the resource.") : HTML()) + note)
        }
        let rows = links.map { link -> HTML in
            """
            <tr><td>\(Parts.link(link.type, link.address))</td><td class="mono">\(link.path)</td><td class="num">\(link.count.map { Numbers.count($0) } ?? "not counted")</td></tr>
            """
        }
        return Parts.card(
            "Referred to by",
            Parts.table("Resources that refer to it", ["<th>Type</th>", "<th>Element</th>", "<th class=\"num\">Resources</th>"], rows)
                + note)
    }
}
