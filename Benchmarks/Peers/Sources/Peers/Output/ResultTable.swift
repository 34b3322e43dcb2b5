/// Rows of text as tables.
enum ResultTable {
    /// Columns of equal width, the first to the left and the others to the right.
    static func text(_ rows: [[String]]) -> String {
        let widths = (0..<(rows.first?.count ?? 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + padding : padding + text
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func markdown(_ rows: [[String]]) -> String {
        guard let header = rows.first else { return "" }
        let rule = header.indices.map { $0 == 0 ? "---" : "--:" }
        return ([header, rule] + rows.dropFirst()).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}
