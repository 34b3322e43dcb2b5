import FireLite
import FireLiteCore

/// The tables, columns and indexes of a database, as SQLite's catalog has them.
struct FileSchema {
    struct Column {
        let name: String
        let type: String
    }

    struct Index {
        let name: String
        let sql: String
    }

    struct Table {
        let name: String
        let sql: String
        var columns: [Column] = []
        var indexes: [Index] = []
        /// The table of the rows that own this one's: `Patient_name` for `Patient_name_given`; nil for a resource type.
        var owner: String?
    }

    private(set) var tables: [Table] = []

    /// The tables of resource types and their elements.
    ///
    /// - Parameter types: only those of these types; empty for all.
    init(_ store: FHIRStore, types: [String]) throws {
        var places: [String: Int] = [:]
        try store.forEachRow("SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type = 'table' ORDER BY name") { row in
            guard let name = row.values[0].textValue, let sql = row.values[1].textValue, Self.isElementTable(name) else { return }
            let type = name.split(separator: "_").first.map(String.init) ?? name
            guard types.isEmpty || types.contains(type), store.release.hasResourceType(named: type) else { return }
            places[name] = tables.count
            tables.append(Table(name: name, sql: sql))
        }
        for table in tables.map(\.name) {
            let quoted = "'" + table.replacingBytes("'", with: "''") + "'"
            try store.forEachRow("PRAGMA table_info(\(quoted))") { row in
                guard let place = places[table], let name = row.values[1].textValue else { return }
                tables[place].columns.append(Column(name: name, type: row.values[2].textValue ?? ""))
            }
        }
        try store.forEachRow("SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name") {
            row in
            guard let place = row.values[0].textValue.flatMap({ places[$0] }), let name = row.values[1].textValue,
                let sql = row.values[2].textValue
            else { return }
            tables[place].indexes.append(Index(name: name, sql: sql))
        }
        for index in tables.indices { tables[index].owner = Self.owner(of: tables[index].name, among: places) }
    }

    /// Tables of the store itself and of its modules begin with an underscore, SQLite's with its name.
    private static func isElementTable(_ name: String) -> Bool { !name.hasPrefix("_") && !name.hasPrefix("sqlite_") }

    /// The longest name of a table that the name begins with.
    private static func owner(of name: String, among places: [String: Int]) -> String? {
        var rest = name[...]
        while let end = rest.lastIndex(of: "_") {
            rest = rest[..<end]
            if places[String(rest)] != nil { return String(rest) }
        }
        return nil
    }

    // MARK: - Forms

    /// The statements that create the tables and indexes.
    var sql: String {
        tables.flatMap { [$0.sql] + $0.indexes.map(\.sql) }.map { $0 + ";" }.joined(separator: "\n")
    }

    /// The tables with their columns, indented below their owners.
    var text: String {
        tables.map { table in
            let columns = table.columns.map { "  \($0.name)\($0.type.isEmpty ? "" : " \($0.type)")" }
            let owner = table.owner.map { " (rows of \($0))" } ?? ""
            return (["\(table.name)\(owner)"] + columns + table.indexes.map { "  index \($0.name)" }).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// A diagram in the language of Mermaid (<https://mermaid.js.org/syntax/entityRelationshipDiagram.html>).
    var mermaid: String {
        var lines = ["erDiagram"]
        for table in tables {
            lines.append("    \"\(table.name)\" {")
            lines += table.columns.map { "        \($0.type.isEmpty ? "ANY" : $0.type) \(Self.word($0.name))" }
            lines.append("    }")
        }
        for table in tables { if let owner = table.owner { lines.append("    \"\(owner)\" ||--o{ \"\(table.name)\" : has") } }
        return lines.joined(separator: "\n")
    }

    /// A diagram in the language of Graphviz (<https://graphviz.org/doc/info/lang.html>).
    var dot: String {
        var lines = ["digraph firelite {", "    rankdir=LR;", "    node [shape=plaintext];"]
        for table in tables {
            let rows = table.columns.map { "<tr><td align=\"left\">\(Self.markup($0.name)) <i>\(Self.markup($0.type))</i></td></tr>" }
            let head = "<tr><td bgcolor=\"lightgrey\"><b>\(Self.markup(table.name))</b></td></tr>"
            lines.append(
                "    \(Self.quoted(table.name)) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">\(head)\(rows.joined())</table>>];"
            )
        }
        for table in tables { if let owner = table.owner { lines.append("    \(Self.quoted(owner)) -> \(Self.quoted(table.name));") } }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String { "\"" + text.replacingBytes("\"", with: "\\\"") + "\"" }

    private static func markup(_ text: String) -> String {
        text.replacingBytes("&", with: "&amp;").replacingBytes("<", with: "&lt;").replacingBytes(">", with: "&gt;")
    }

    /// Mermaid's attributes are words of letters, digits, hyphens and underscores.
    private static func word(_ text: String) -> String {
        String(
            text.unicodeScalars.map { $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? Character($0) : "_" }
        )
    }
}

extension SQLValue {
    var textValue: String? { if case .text(let text) = self { text } else { nil } }
}
