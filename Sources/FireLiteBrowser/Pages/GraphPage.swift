import FireLite
import FireLiteService

/// The references around a resource as a drawing: on the left what refers to it, on the right what it refers to.
enum GraphPage {
    private struct Box {
        let text: String
        let note: String
        let address: Address?
    }

    private static let most = 16
    private static let (width, boxWidth, boxHeight, step) = (1_000, 290, 40, 52)

    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        let resource = try call.resource(type, id)
        var page = ResourcePage.frame(call, resource, type: type, id: id, tab: "Graph")
        let links = ReferencesPage.forward(try ElementTree(resource), call.release)
        let (back, isWhole) = try ReferencesPage.backward(type, id, call)
        let right = links.prefix(most).map { Box(text: $0.display ?? $0.reference, note: $0.path, address: $0.address.map { graph($0) }) }
        let left = back.prefix(most).map { link in
            Box(text: "\(link.type) · \(link.count.map { Numbers.count($0) } ?? "not counted")", note: link.path, address: link.address)
        }
        let center = Box(text: Summary.title(resource) ?? id, note: "\(type)/\(id)", address: .resource(type, id))
        page.content += "<section class=\"card\"><h2>References around the resource</h2>\(drawing(left, center, right))</section>"
        if !isWhole { page.content += Parts.note("Not every table is counted: that takes longer than a page may.") }
        if links.count > most || back.count > most {
            page.content += "<p>\(Parts.link("All references as lists", .resource(type, id, "references")))</p>"
        }
        let all = ReferencesPage.search(type, id, back) + "&_include=*"
        page.content += Parts.how([
            ("Search", all), ("Command", "firelite search \(Parts.shell(call.store.path)) \(Parts.shell(all))"),
            ("Swift", "let result = try store.search(\(Parts.swift(all)))"),
        ])
        return page.response(call)
    }

    /// From a resource in the graph one goes on to its own graph.
    private static func graph(_ address: Address) -> Address { Address(address.segments + ["graph"]) }

    private static func drawing(_ left: [Box], _ center: Box, _ right: [Box]) -> HTML {
        let height = max(left.count, right.count, 1) * step + 12
        let middle = height / 2
        func top(_ index: Int, _ count: Int) -> Int { middle - count * step / 2 + index * step + (step - boxHeight) / 2 }
        let centerX = (width - boxWidth) / 2
        let edges =
            left.indices.map { edge(x1: boxWidth, y1: top($0, left.count) + boxHeight / 2, x2: centerX, y2: middle) }
            + right.indices.map {
                edge(x1: centerX + boxWidth, y1: middle, x2: width - boxWidth, y2: top($0, right.count) + boxHeight / 2)
            }
        let boxes =
            left.enumerated().map { box($1, 0, top($0, left.count)) } + [box(center, centerX, middle - boxHeight / 2, isMain: true)]
            + right.enumerated().map { box($1, width - boxWidth, top($0, right.count)) }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Graph of references"><svg class="figure lanes" viewBox="0 0 \(width) \(height)" role="group" \
            aria-label="References around the resource">\(edges)\(boxes)</svg></div>
            """
    }

    private static func edge(x1: Int, y1: Int, x2: Int, y2: Int) -> HTML {
        let bend = (x1 + x2) / 2
        return """
            <path class="edge" d="M\(x1) \(y1)C\(bend) \(y1) \(bend) \(y2) \(x2) \(y2)"/><circle class="c0" cx="\(x2)" cy="\(y2)" r="3"/>
            """
    }

    private static func box(_ box: Box, _ x: Int, _ y: Int, isMain: Bool = false) -> HTML {
        let shape: HTML = """
            <rect class="\(isMain ? "box main" : "box")" x="\(x)" y="\(y)" width="\(boxWidth)" height="\(boxHeight)" rx="6"/>\
            <text class="label" x="\(x + 10)" y="\(y + 17)">\(short(box.text))</text><text x="\(x + 10)" y="\(y + 32)">\(short(box.note))</text>
            """
        return box.address.map { "<a href=\"\($0.text)\" aria-label=\"\(short(box.text)), \(short(box.note))\">\(shape)</a>" } ?? shape
    }

    private static func short(_ text: String) -> String { text.count > 38 ? String(text.prefix(37)) + "…" : text }
}
