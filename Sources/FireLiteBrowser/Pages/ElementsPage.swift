import FireLite
import FireLiteService

/// The elements of a resource, its JSON and the rows of its tables side by side, each linked to the others.
enum ElementsPage {
    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        let resource = try call.resource(type, id)
        var page = ResourcePage.frame(call, resource, type: type, id: id, tab: "Elements")
        let tree = try ElementTree(resource)
        let forms = TreeHTML(tree: tree, resource: .resource(type, id), release: call.release)
        let rows = try call.transaction.rows(of: resource)
        if tree.isCut {
            page.content += Parts.note(
                "The resource has more elements than the \(ElementTree.maximum) that are shown. Its JSON has \(Numbers.bytes(tree.bytes)).")
        }
        page.content += """
            <div class="grid panes" data-panes>
            <section class="card pane" tabindex="0" aria-label="Elements"><h2>Elements</h2>\(forms.list())</section>
            <section class="card pane" tabindex="0" aria-label="JSON"><h2>JSON</h2>\(forms.json())</section>
            <section class="card pane" tabindex="0" aria-label="Rows"><h2>\(Numbers.count(rows.count, "row", "rows"))</h2>\(forms.rows(rows))</section>
            </div>
            """
        return page.response(call)
    }
}
