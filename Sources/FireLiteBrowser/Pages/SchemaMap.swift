/// The map of the schema: drawings made on the server, whose boxes are links. The tables beside them say the same.
enum SchemaMap {
    /// A type with its tables.
    struct TypeBox {
        let type: String
        /// The tables with the number of their columns, the type's own first.
        let tables: [(name: String, columns: Int)]
        let rows: RowCount?

        var columns: Int { tables.reduce(0) { $0 + $1.columns } }
    }

    /// A table below the one that owns its rows.
    struct TableBox {
        let name: String
        /// The number of tables above it.
        let depth: Int
        /// The place of the table above it in the list; nil for the type's own.
        let parent: Int?
        let columns: Int
        let rows: RowCount?
    }

    // MARK: - Types

    private static let (width, boxWidth, boxHeight, gap) = (1_000, 238, 78, 16)
    private static let perLine = 4

    /// All types, each with a strip of its tables as wide as their columns are many.
    static func types(_ boxes: [TypeBox]) -> HTML {
        let lines = (boxes.count + perLine - 1) / perLine
        let height = max(lines * (boxHeight + gap) - gap, 1)
        let shapes = boxes.enumerated().map { index, box in
            typeBox(box, index % perLine * (boxWidth + gap), index / perLine * (boxHeight + gap))
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Map of the types"><svg class="figure lanes" viewBox="-1 -1 \(width + 2) \(height + 2)" role="group" \
            aria-label="Map of the types">\(shapes)</svg></div>
            """
    }

    private static func typeBox(_ box: TypeBox, _ x: Int, _ y: Int) -> HTML {
        let size = "\(Numbers.count(box.tables.count, "table", "tables")) · \(Numbers.count(box.columns, "column", "columns"))"
        let rows = box.rows?.text("row", "rows") ?? "rows not counted"
        return """
            <a href="\(Address("schema").with("type", box.type).text)" aria-label="\(box.type), \(size), \(rows)">\
            <rect class="box" x="\(x)" y="\(y)" width="\(boxWidth)" height="\(boxHeight)" rx="6"/>\
            <text class="label" x="\(x + 10)" y="\(y + 19)">\(short(box.type, 30))</text><text x="\(x + 10)" y="\(y + 36)">\(size)</text>\
            <text x="\(x + 10)" y="\(y + 52)">\(rows)</text>\(strip(box, x: x + 10, y: y + 61, width: boxWidth - 20))</a>
            """
    }

    private static func strip(_ box: TypeBox, x: Int, y: Int, width: Int) -> HTML {
        let whole = max(box.columns, 1)
        var (place, pieces) = (0, HTML())
        // More tables than there are points would not be seen.
        for table in box.tables.prefix(60) {
            let (left, right) = (x + place * width / whole, x + (place + table.columns) * width / whole)
            place += table.columns
            pieces += """
                <rect class="cell" x="\(left)" y="\(y)" width="\(max(right - left - 1, 1))" height="8"><title>\(table.name): \(table.columns)</title></rect>
                """
        }
        return pieces
    }

    // MARK: - Tables of a type

    private static let (tableWidth, tableHeight, step, indent) = (330, 38, 46, 170)

    /// The tables below each other, each under the one that owns its rows.
    static func tables(_ boxes: [TableBox]) -> HTML {
        let depth = boxes.map(\.depth).max() ?? 0
        let width = max(depth * indent + tableWidth, Self.width)
        func left(_ box: TableBox) -> Int { box.depth * indent + 1 }
        // A line down from each owner to the last of its tables, and one from there to each of them.
        var last: [Int: Int] = [:]
        for (index, box) in boxes.enumerated() { if let parent = box.parent { last[parent] = index } }
        let edges = boxes.enumerated().map { index, box -> HTML in
            let middle = index * step + tableHeight / 2
            let down: HTML =
                last[index].map {
                    "<path class=\"edge\" d=\"M\(left(box) + 20) \(index * step + tableHeight)V\($0 * step + tableHeight / 2)\"/>"
                }
                ?? ""
            guard let parent = box.parent else { return down }
            return "\(down)<path class=\"edge\" d=\"M\(left(boxes[parent]) + 20) \(middle)H\(left(box))\"/>"
        }
        let shapes = boxes.enumerated().map { index, box in tableBox(box, left(box), index * step + 1) }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Map of the tables"><svg class="figure lanes" viewBox="0 0 \(width) \(boxes.count * step)" \
            role="group" aria-label="Map of the tables">\(edges)\(shapes)</svg></div>
            """
    }

    private static func tableBox(_ box: TableBox, _ x: Int, _ y: Int) -> HTML {
        let size = Numbers.count(box.columns, "column", "columns")
        let rows = box.rows?.text("row", "rows") ?? "rows not counted"
        let kind = box.parent == nil ? "box main" : "box"
        return """
            <a href="#\(anchor(box.name))" aria-label="\(box.name), \(size), \(rows)"><rect class="\(kind)" x="\(x)" y="\(y)" width="\(tableWidth)" \
            height="\(tableHeight - 2)" rx="6"/><text class="label" x="\(x + 10)" y="\(y + 16)">\(short(box.name, 42))</text>\
            <text x="\(x + 10)" y="\(y + 30)">\(size) · \(rows)</text></a>
            """
    }

    /// The id of a table's section on the page.
    static func anchor(_ table: String) -> String { "t-" + table }

    /// The end of a name tells tables apart.
    private static func short(_ text: String, _ limit: Int) -> String { text.count > limit ? "…" + text.suffix(limit - 1) : text }

    /// The tables of a type in the order of their names, with those above them.
    static func tree(_ names: [String], columns: (String) -> Int, rows: (String) -> RowCount?) -> [TableBox] {
        var boxes: [TableBox] = []
        for name in names.sorted() {
            // Of the tables whose names begin this one's, the longest name comes last.
            let parent = boxes.lastIndex { name.hasPrefix($0.name + "_") }
            boxes.append(
                TableBox(
                    name: name, depth: parent.map { boxes[$0].depth + 1 } ?? 0, parent: parent, columns: columns(name), rows: rows(name)))
        }
        return boxes
    }
}
