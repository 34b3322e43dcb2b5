/// Rows of text in aligned columns, two spaces apart.
package struct TextTable {
    package enum Alignment {
        case left, right
    }

    private let alignments: [Alignment]
    private var rows: [[String]] = []
    private var hasHeading = false

    package init(_ alignments: [Alignment]) { self.alignments = alignments }

    /// Adds a row; missing cells at its end are empty. Characters that control a terminal or begin a line are escaped.
    package mutating func add(_ cells: String...) { add(cells) }

    package mutating func add(_ cells: [String]) { rows.append(cells.map { TerminalText.visible($0) }) }

    /// Adds the row of headings, which must be the first.
    package mutating func addHeading(_ cells: [String]) {
        hasHeading = true
        add(cells)
    }

    package var lines: [String] {
        let widths = alignments.indices.map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() where column < alignments.count {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += (column == 0 ? "" : "  ") + (alignments[column] == .left ? cell + padding : padding + cell)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    package var text: String { text(.plain) }

    /// The lines, with the headings in bold if the palette has it.
    package func text(_ palette: Palette) -> String {
        var lines = lines
        if hasHeading { lines[0] = palette.bold(lines[0]) }
        return lines.joined(separator: "\n")
    }
}

/// Two texts side by side, or one below the other if they are too wide.
package enum SideBySide {
    private static let separator = "  │  "

    package static func lines(_ left: [String], _ right: [String], width: Int) -> [String] {
        let leftWidth = left.map(\.count).max() ?? 0
        let rightWidth = right.map(\.count).max() ?? 0
        guard leftWidth + separator.count + rightWidth <= width else { return left + [""] + right }
        return (0..<max(left.count, right.count)).map { index in
            let cell = index < left.count ? left[index] : ""
            guard index < right.count else { return cell }
            return cell + String(repeating: " ", count: leftWidth - cell.count) + separator + right[index]
        }
    }
}
