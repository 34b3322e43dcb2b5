import FireLiteCore
import FireLiteSQLiteBridge

/// A table or column that a statement names and the file does not have, although the release has such a type or element: tables and columns
/// are created with the first data that need them.
struct MissingPlace {
    /// Why it is missing.
    let reason: String

    /// - Returns: nil if the error is another one, or the name is none of the release.
    init?(_ error: SQLiteError, _ sql: String, _ schema: StorageSchema, lost: LostTables) {
        if let name = Self.name(in: error.message, after: "no such table: ") {
            guard let table = schema.table(named: name), !table.isInFile else { return nil }
            if !lost.shapes(with: table.name).isEmpty {
                reason = "another program has dropped it: run `firelite check`, and `firelite recover` for what is left"
                return
            }
            reason =
                table.isResource
                ? "no \(name) was ever stored; its table comes with the first one"
                : "no resource with \(Self.path(name)) was ever stored; the table comes with the first one"
        } else if let name = Self.name(in: error.message, after: "no such column: ") {
            let words = Self.words(sql)
            let tables = schema.storedTables.filter { words.contains($0.name) }
            guard let table = tables.first(where: { schema.hasColumn(name, in: $0) && !$0.hasInFile([name]) }) else { return nil }
            let path = "\(Self.path(table.name)).\(Self.path(name))"
            reason = "no resource with \(path) was ever stored; the column comes with the first one"
        } else {
            return nil
        }
    }

    /// The last part of a name that may begin with those of a database and a table.
    private static func name(in message: String, after start: String) -> String? {
        guard message.hasPrefix(start) else { return nil }
        return message.dropFirst(start.count).split(separator: ".").last.map(String.init)
    }

    private static func path(_ name: String) -> String { name.split(separator: "_").joined(separator: ".") }

    private static func words(_ sql: String) -> Set<String> {
        Set(sql.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    }
}
