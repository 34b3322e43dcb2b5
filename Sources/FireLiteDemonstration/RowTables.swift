import FireLite
import FireLiteTerminal

/// The rows of a resource, table by table: a line for each column, with its name and its value in each row.
enum RowTables {
    /// Longer values are cut, so that the columns stay close together.
    private static let longestValue = 22

    static func lines(_ rows: [StoredRow]) -> [String] {
        var tables: [(name: String, rows: [StoredRow])] = []
        for row in rows {
            if let index = tables.firstIndex(where: { $0.name == row.table }) {
                tables[index].rows.append(row)
            } else {
                tables.append((row.table, [row]))
            }
        }
        return tables.flatMap { table in
            let names = columns(of: table.rows)
            var text = TextTable([.left] + table.rows.map { _ in .left })
            for name in names { text.add(["  " + name] + table.rows.map { value($0, name) }) }
            return [table.name] + text.lines
        }
    }

    /// The columns in which any row has a value, in their order.
    private static func columns(of rows: [StoredRow]) -> [String] {
        var names: [String] = []
        for row in rows { for column in row.columns where !names.contains(column.name) { names.append(column.name) } }
        return names
    }

    private static func value(_ row: StoredRow, _ name: String) -> String {
        let value = row.columns.first { $0.name == name }?.value ?? ""
        return value.count > longestValue ? value.prefix(longestValue - 1) + "…" : value
    }
}
