import FireLite
import FireLiteCore

/// Suggests the table or column that a statement of SQL probably means by a name that does not exist.
enum SchemaNames {
    private static let table = "no such table: "
    private static let column = "no such column: "

    /// The message with a suggestion instead of its remedy; unchanged if no name is near or the message is about something else.
    ///
    /// - Parameters:
    ///   - message: the error of a statement, with its remedy.
    ///   - statement: the statement; a suggested column is one of its tables.
    static func suggesting(_ message: String, _ statement: String, _ store: FHIRStore) throws -> String {
        let remedy = ": \(ToolWords.text(of: .checkStatement))"
        guard message.hasSuffix(remedy) else { return message }
        let text = String(message.dropLast(remedy.count))
        for kind in [table, column] {
            guard let place = text.range(of: kind, options: .backwards) else { continue }
            // The name may follow that of a database, a table or an alias.
            let name = text[place.upperBound...].split(separator: ".").last.map(String.init) ?? ""
            let hint = NearWords.hint(for: name, among: try kind == table ? tables(store) : columns(statement, store))
            return hint.isEmpty ? message : text + hint
        }
        return message
    }

    private static func tables(_ store: FHIRStore) throws -> [String] {
        var names: [String] = []
        try store.forEachRow("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name") { row in
            if let name = row.values[0].textValue { names.append(name) }
        }
        return names
    }

    /// The columns of the tables that the statement names.
    private static func columns(_ statement: String, _ store: FHIRStore) throws -> [String] {
        let words = Set(statement.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        var names: [String] = []
        for table in try tables(store) where words.contains(table.lowercased()) {
            // As a statement of its own, which the SQLite of SQLCipher 3 has as well.
            try store.forEachRow("PRAGMA table_info('\(table.replacingBytes("'", with: "''"))')") { row in
                if let name = row.values[1].textValue { names.append(name) }
            }
        }
        return names
    }
}
