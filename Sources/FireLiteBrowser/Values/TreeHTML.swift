import FireLite
import FireLiteCore

/// The three forms of a resource, each element with its number: tree, JSON, rows.
struct TreeHTML {
    let tree: ElementTree
    let resource: Address
    let release: FHIRRelease
    /// What is wrong with the elements.
    var marks = IssueMarks()

    /// The longest text of a value.
    private static let longest = 1_000

    // MARK: - Tree

    func list() -> HTML { "<ul class=\"tree\">\(tree.nodes.map(entry))</ul>" }

    private func entry(_ node: ElementTree.Node) -> HTML {
        let inner: HTML = node.children.isEmpty ? "" : "<ul>\(node.children.map(entry))</ul>"
        return """
            <li><span class="e \(marks.kind(node.key))" id="e\(node.key)" data-e="\(node.key)"><a class="n" href="#j\(node.key)">\(node.label)</a> \(value(node))</span>\(marks.notes(node.key))\(inner)</li>
            """
    }

    private func value(_ node: ElementTree.Node) -> HTML {
        switch node.item.content {
        case .string(let text):
            if node.name == "reference", let address = ValueHTML.address(of: text, release) {
                return Parts.link(Numbers.clipped(text, 200), address)
            }
            if node.name == "data", node.path.contains("."), text.utf8.count > 200 {
                let owner = String(node.path[..<(node.path.lastIndex(of: ".") ?? node.path.startIndex)])
                let address = Address(resource.segments + ["attachment"], items: [.init(name: "path", value: owner)])
                return "\(Parts.link(Numbers.bytes(text.utf8.count * 3 / 4), address))"
            }
            return "\(Numbers.clipped(text, node.name == "div" ? 120 : Self.longest))"
        case .number(let literal): return "\(Numbers.clipped(literal, 100))"
        case .bool(let value): return value ? "true" : "false"
        case .null: return "null"
        case .object, .array: return ""
        }
    }

    // MARK: - JSON

    func json() -> HTML {
        var lines: [HTML] = ["<div>{</div>"]
        members(tree.nodes, indent: 1, into: &lines)
        lines.append("<div>}</div>")
        return "<div class=\"json\">\(lines)</div>"
    }

    private func members(_ nodes: [ElementTree.Node], indent: Int, into lines: inout [HTML]) {
        let space = String(repeating: "  ", count: indent)
        var place = 0
        while place < nodes.count {
            // Neighbors of one name with positions are one list.
            var end = place + 1
            let isList = nodes[place].label != nodes[place].name
            while isList, end < nodes.count, nodes[end].name == nodes[place].name { end += 1 }
            let comma = end < nodes.count ? "," : ""
            if isList {
                lines.append("<div>\(space)<span class=\"k\">\"\(nodes[place].name)\"</span>: [</div>")
                for index in place..<end {
                    element(nodes[index], name: "", indent: indent + 1, comma: index + 1 < end ? "," : "", into: &lines)
                }
                lines.append("<div>\(space)]\(comma)</div>")
            } else {
                element(nodes[place], name: nodes[place].name, indent: indent, comma: comma, into: &lines)
            }
            place = end
        }
    }

    private func element(_ node: ElementTree.Node, name: String, indent: Int, comma: String, into lines: inout [HTML]) {
        let space = String(repeating: "  ", count: indent)
        let head: HTML = name.isEmpty ? "\(space)" : "\(space)<span class=\"k\">\"\(name)\"</span>: "
        let (kind, notes) = (marks.kind(node.key), marks.notes(node.key))
        func line(_ content: HTML) {
            lines.append("<div class=\"\(kind)\" id=\"j\(node.key)\" data-e=\"\(node.key)\">\(head)\(content)\(notes)</div>")
        }
        switch node.item.content {
        case .object, .array:
            line("{")
            members(node.children, indent: indent + 1, into: &lines)
            lines.append("<div data-e=\"\(node.key)\">\(space)}\(comma)</div>")
        case .string(let text):
            let shown = JSONText.string(Numbers.clipped(text, Self.longest))
            line("<span class=\"s\">\(shown)</span>\(comma)")
        default: line("<span class=\"v\">\(node.item.json)</span>\(comma)")
        }
    }

    // MARK: - Rows

    func rows(_ rows: [StoredRow]) -> HTML {
        let paths = RowPaths(rows)
        let entries = rows.prefix(ElementTree.maximum).map { row -> HTML in
            let path = paths.path(of: row)
            let key = tree.key(at: path).map { String($0) } ?? ""
            let cells = row.columns.filter { !$0.name.hasPrefix("_") }.map { column -> HTML in
                let inner = column.name == "value" ? path : (path.isEmpty ? "" : path + ".") + column.name.replacingBytes("_", with: ".")
                let innerKey = tree.key(at: inner).map { String($0) } ?? key
                return """
                    <div data-e="\(innerKey)"><span class="c">\(column.name)</span> \(Numbers.clipped(column.value, 200))</div>
                    """
            }
            let number = RowPaths.value(row, "_k") ?? ""
            let order = RowPaths.value(row, "_ord").map { " _ord \($0)" } ?? ""
            return """
                <div class="r" data-e="\(key)"><div><b>\(row.table)</b> <span class="c">_k \(number)\(order)</span></div>\(cells)</div>
                """
        }
        return "<div class=\"rows\">\(entries)</div>"
    }
}
