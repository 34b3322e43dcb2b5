import FireLite
import FireLiteCore
import FireLiteService

/// The tables of the file: by type, each below the one that owns its rows, as a map and as tables.
enum SchemaPage {
    static func answer(_ call: PageCall) throws -> ServiceResponse {
        if let type = call.address["type"] { return try tables(of: type, call) }
        var page = Page("Schema")
        page.place = .schema
        page.crumbs = [.init(text: "Overview", address: Address()), .init(text: "Schema", address: nil)]
        let schema = try call.browser.facts.schema()
        let counts = try call.browser.facts.rowCounts(call.budget())
        let types = self.types(schema, counts, call.release)
        page.aside =
            "<span class=\"more\">\(Numbers.count(types.reduce(0) { $0 + $1.tables.count }, "table", "tables")) of resources</span>"
        guard !types.isEmpty else {
            page.content = Parts.card("Types", Parts.empty("No table yet: tables are created when data first needs them."))
            page.content += store(schema, counts) + how(call)
            return page.response(call)
        }
        page.content = Parts.card("Map", SchemaMap.types(types)) + Parts.card("Types", table(types))
        if !counts.isWhole { page.content += uncounted }
        page.content += store(schema, counts) + how(call)
        return page.response(call)
    }

    private static let uncounted = Parts.note(
        "Not every table is counted: that takes longer than a page may. `ANALYZE` leaves statistics that are shown instead.")

    private static func types(_ schema: [String: Set<String>], _ counts: TableCounts, _ release: FHIRRelease) -> [SchemaMap.TypeBox] {
        var tables: [String: [(name: String, columns: Int)]] = [:]
        for (table, columns) in schema where !table.hasPrefix("_") && !table.hasPrefix("sqlite_") {
            let type = String(table.prefix { $0 != "_" })
            guard release.hasResourceType(named: type) else { continue }
            tables[type, default: []].append((table, columns.filter { !$0.hasPrefix("_") }.count))
        }
        return tables.sorted { $0.key < $1.key }.map { type, list in
            let sorted = list.sorted { $0.name < $1.name }
            return SchemaMap.TypeBox(type: type, tables: sorted, rows: counts.sum(sorted.map(\.name)))
        }
    }

    private static func table(_ types: [SchemaMap.TypeBox]) -> HTML {
        let largest = types.map(\.columns).max() ?? 1
        let rows = types.map { box -> HTML in
            """
            <tr><td>\(Parts.link(box.type, Address("schema").with("type", box.type)))</td><td class="num">\(Numbers.count(box.tables.count))</td>\
            <td class="num">\(Numbers.count(box.columns))</td><td class="num">\(box.rows?.text ?? "–")</td>\
            <td class="barcell">\(Parts.bar(box.columns, of: largest))</td></tr>
            """
        }
        return Parts.table(
            "Types",
            [
                "<th>Type</th>", "<th class=\"num\">Tables</th>", "<th class=\"num\">Columns</th>", "<th class=\"num\">Rows</th>",
                "<th><span class=\"muted\">Share</span></th>",
            ], rows)
    }

    private static func store(_ schema: [String: Set<String>], _ counts: TableCounts) -> HTML {
        let tables = schema.keys.filter { $0.hasPrefix("_") }.sorted().map { table -> HTML in
            """
            <tr><td>\(Parts.link(table, ConsolePage.address(.sql, "SELECT * FROM \(sqlName(table)) LIMIT 100")))</td>\
            <td class="num">\(counts.counts[table]?.text ?? "–")</td><td class="mono small">\((schema[table] ?? []).sorted().joined(separator: ", "))</td></tr>
            """
        }
        return Parts.card(
            "Tables of the store and its modules",
            Parts.table("Tables", ["<th>Table</th>", "<th class=\"num\">Rows</th>", "<th>Columns</th>"], tables))
    }

    private static func how(_ call: PageCall) -> HTML {
        Parts.how([
            ("Command", "firelite schema --database \(Parts.shell(call.store.path))"),
            ("SQL", "SELECT name, sql FROM sqlite_master ORDER BY name"),
        ])
    }

    // MARK: - A type

    private static func tables(of type: String, _ call: PageCall) throws -> ServiceResponse {
        _ = try call.layout(type)
        var page = Page("Schema of \(type)")
        page.place = .schema
        page.crumbs = [
            .init(text: "Overview", address: Address()), .init(text: "Schema", address: Address("schema")), .init(text: type, address: nil),
        ]
        let schema = try call.browser.facts.schema()
        let names = schema.keys.filter { $0 == type || $0.hasPrefix(type + "_") }.sorted()
        let counts = try TableCounts(names, schema: schema, call.store, RowCounting(call.store), call.budget())
        let boxes = SchemaMap.tree(
            names, columns: { schema[$0, default: []].filter { !$0.hasPrefix("_") }.count }, rows: { counts.counts[$0] })
        page.aside = "<span class=\"more\">\(Numbers.count(names.count, "table", "tables"))</span>"
        guard !names.isEmpty else {
            page.content = Parts.card("Tables", Parts.empty("No resource of this type was ever stored."))
            page.content += how(call, type)
            return page.response(call)
        }
        let entries = try boxes.map { try entry($0, boxes, call) }
        page.content = Parts.card("Map", SchemaMap.tables(boxes)) + Parts.card("Tables", "<div class=\"stack\">\(entries)</div>")
        if !counts.isWhole { page.content += uncounted }
        page.content += how(call, type)
        return page.response(call)
    }

    private static func entry(_ box: SchemaMap.TableBox, _ boxes: [SchemaMap.TableBox], _ call: PageCall) throws -> HTML {
        let columns = try call.store.sql("PRAGMA table_info(\(sqlName(box.name)))")
        let list = columns.map { column -> HTML in
            "<tr><td class=\"mono\">\(column[1].shown)</td><td class=\"muted small\">\(column[2].shown)</td></tr>"
        }
        let owner: HTML = box.parent.map { " · in \(boxes[$0].name)" } ?? ""
        let rows = box.rows?.text("row", "rows") ?? "not counted"
        return """
            <details id="\(SchemaMap.anchor(box.name))"><summary><span class="mono">\(box.name)</span> \
            <span class="muted">\(rows) · \(Numbers.count(box.columns, "column", "columns"))\(owner)</span></summary>
            <p class="small">\(Parts.link("Show rows", ConsolePage.address(.sql, "SELECT * FROM \(sqlName(box.name)) LIMIT 100")))</p>
            \(Parts.table(box.name, ["<th>Column</th>", "<th>Type</th>"], list))</details>
            """
    }

    private static func how(_ call: PageCall, _ type: String) -> HTML {
        Parts.how([
            ("Command", "firelite schema --database \(Parts.shell(call.store.path)) \(type)"),
            (
                "SQL",
                "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND (name = '\(type)' OR name LIKE '\(type)\\_%' ESCAPE '\\')"
            ),
        ])
    }
}
