import FireLite
import FireLiteCore
import FireLiteService

/// The tables of the file: by type, each below the one that owns its rows.
enum SchemaPage {
    static func answer(_ call: PageCall) throws -> ServiceResponse {
        if let type = call.address["type"] { return try tables(of: type, call) }
        var page = Page("Schema")
        page.place = .schema
        page.crumbs = [.init(text: "Overview", address: Address()), .init(text: "Schema", address: nil)]
        let schema = try call.browser.facts.schema()
        var types: [String: (tables: Int, columns: Int)] = [:]
        for (table, columns) in schema where !table.hasPrefix("_") && !table.hasPrefix("sqlite_") {
            let type = String(table.prefix { $0 != "_" })
            guard call.release.hasResourceType(named: type) else { continue }
            types[type, default: (0, 0)].tables += 1
            types[type, default: (0, 0)].columns += columns.filter { !$0.hasPrefix("_") }.count
        }
        let largest = types.values.map(\.columns).max() ?? 1
        let rows = types.sorted { $0.key < $1.key }.map { type, size -> HTML in
            """
            <tr><td>\(Parts.link(type, Address("schema").with("type", type)))</td><td class="num">\(Numbers.count(size.tables))</td>\
            <td class="num">\(Numbers.count(size.columns))</td><td class="barcell">\(Parts.bar(size.columns, of: largest))</td></tr>
            """
        }
        page.aside =
            "<span class=\"more\">\(Numbers.count(types.values.reduce(0) { $0 + $1.tables }, "table", "tables")) of resources</span>"
        page.content = Parts.card(
            "Types",
            rows.isEmpty
                ? Parts.empty("No table yet: tables are created when data first needs them.")
                : Parts.table(
                    "Types",
                    [
                        "<th>Type</th>", "<th class=\"num\">Tables</th>", "<th class=\"num\">Columns</th>",
                        "<th><span class=\"muted\">Share</span></th>",
                    ], rows))
        page.content += store(schema)
        page.content += Parts.how([
            ("Command", "firelite schema --database \(Parts.shell(call.store.path))"),
            ("SQL", "SELECT name, sql FROM sqlite_schema ORDER BY name"),
        ])
        return page.response(call)
    }

    private static func store(_ schema: [String: Set<String>]) -> HTML {
        let tables = schema.keys.filter { $0.hasPrefix("_") }.sorted().map { table -> HTML in
            "<tr><td>\(Parts.link(table, ConsolePage.address(.sql, "SELECT * FROM \(sqlName(table)) LIMIT 100")))</td><td class=\"mono small\">\((schema[table] ?? []).sorted().joined(separator: ", "))</td></tr>"
        }
        return Parts.card("Tables of the store and its modules", Parts.table("Tables", ["<th>Table</th>", "<th>Columns</th>"], tables))
    }

    private static func tables(of type: String, _ call: PageCall) throws -> ServiceResponse {
        _ = try call.layout(type)
        var page = Page("Schema of \(type)")
        page.place = .schema
        page.crumbs = [
            .init(text: "Overview", address: Address()), .init(text: "Schema", address: Address("schema")), .init(text: type, address: nil),
        ]
        let names = try call.browser.facts.schema().keys.filter { $0 == type || $0.hasPrefix(type + "_") }.sorted()
        let budget = call.budget()
        let entries = try names.map { name -> HTML in
            let count = try budget.number(call.store, "SELECT count(*) FROM \(sqlName(name))")
            let columns = try call.store.sql("SELECT name, type FROM pragma_table_info(?)", arguments: [.text(name)])
            let list = columns.map { column -> HTML in
                "<tr><td class=\"mono\">\(column[0].shown)</td><td class=\"muted small\">\(column[1].shown)</td></tr>"
            }
            let rows = count.map { Numbers.count($0, "row", "rows") } ?? "not counted"
            return """
                <details><summary><span class="mono">\(name)</span> <span class="muted">\(rows) · \(Numbers.count(columns.count, "column", "columns"))</span></summary>
                <p class="small">\(Parts.link("Show rows", ConsolePage.address(.sql, "SELECT * FROM \(sqlName(name)) LIMIT 100")))</p>
                \(Parts.table(name, ["<th>Column</th>", "<th>Type</th>"], list))</details>
                """
        }
        page.aside = "<span class=\"more\">\(Numbers.count(names.count, "table", "tables"))</span>"
        page.content = Parts.card(
            "Tables", names.isEmpty ? Parts.empty("No resource of this type was ever stored.") : "<div class=\"stack\">\(entries)</div>")
        page.content += Parts.how([("Command", "firelite schema --database \(Parts.shell(call.store.path)) \(type)")])
        return page.response(call)
    }
}
