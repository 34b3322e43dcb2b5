import FireLite
import FireLiteService

/// The elements of a resource, its JSON and the rows of its tables side by side, each linked to the others, with what is wrong where it is.
enum ElementsPage {
    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        let resource = try call.resource(type, id)
        var page = ResourcePage.frame(call, resource, type: type, id: id, tab: "Elements")
        let tree = try ElementTree(resource)
        let issues = PageIssue.all(of: resource, call.configuration)
        let forms = TreeHTML(tree: tree, resource: .resource(type, id), release: call.release, marks: IssueMarks(issues, tree))
        let rows = try call.transaction.rows(of: resource)
        if tree.isCut {
            page.content += Parts.note(
                "The resource has more elements than the \(ElementTree.maximum) that are shown. Its JSON has \(Numbers.bytes(tree.bytes)).")
        }
        if !issues.isEmpty { page.content += IssueList.card(issues, tree, Address(call.address.segments)) }
        page.content += """
            <div class="grid panes" data-panes>
            <section class="card pane" tabindex="0" aria-label="Elements"><h2>Elements</h2>\(forms.list())</section>
            <section class="card pane" tabindex="0" aria-label="JSON"><h2>JSON</h2>\(forms.json())</section>
            <section class="card pane" tabindex="0" aria-label="Rows"><h2>\(Numbers.count(rows.count, "row", "rows"))</h2>\(forms.rows(rows))</section>
            </div>
            """
        let name = "\(type)/\(id)"
        page.content += Parts.how([
            ("Command", "firelite get --database \(Parts.shell(call.store.path)) \(Parts.shell(name))"),
            (
                "Swift",
                "let resource = try store.resource(typeName: \"\(type)\", id: \(Parts.swift(id)))\nlet issues = resource?.validate() ?? []"
            ),
        ])
        return page.response(call)
    }
}
