import FireLite
import FireLiteCore
import FireLiteService
import Foundation

/// The form that changes a resource: a field for each primitive, as its type wants it, and the whole JSON, with what is wrong beside it.
struct EditForm {
    /// Resources with a longer JSON are edited with the tool: the page has it four times, escaped.
    private static let maximumBytes = 250_000

    /// The resource as it is stored.
    let resource: FHIRResource
    let type: String
    let id: String
    /// The JSON in the text field.
    let text: String
    /// The resource from which the changes began, and its JSON.
    let base: FHIRResource
    let baseText: String
    /// The values that were sent, by path; those of the base if there are none.
    var values: [String: String] = [:]
    /// What is wrong with them.
    var issues: [PageIssue] = []
    /// What is said above the form.
    var notes = HTML()

    /// The form of a resource that nobody has changed yet.
    init(_ resource: FHIRResource, type: String, id: String) {
        self.init(
            resource, type: type, id: id, text: FHIRJSON.string(resource, pretty: true), base: resource, baseText: FHIRJSON.string(resource)
        )
    }

    init(_ resource: FHIRResource, type: String, id: String, text: String, base: FHIRResource, baseText: String) {
        self.resource = resource
        self.type = type
        self.id = id
        self.text = text
        self.base = base
        self.baseText = baseText
    }

    func page(_ call: PageCall) throws -> Page {
        guard baseText.utf8.count <= Self.maximumBytes else {
            throw PageProblem(
                413, "The resource is too large for a form",
                "Its JSON has \(Numbers.bytes(baseText.utf8.count)). `firelite edit` changes it in an editor.")
        }
        var page = ResourcePage.frame(call, resource, type: type, id: id, tab: "Edit")
        page.isLive = false
        page.checksForms = true
        let action = Address.resource(type, id, "edit").text
        let check = Address.resource(type, id, "check").text
        let fields = try EditFields(base)
        page.content += notes
        page.content += """
            <div class="grid halves"><form class="card stack" method="post" action="\(action)" data-check="\(check)"><h2>Elements</h2>
            <input type="hidden" name="mode" value="fields"><input type="hidden" name="base" value="\(baseText)">\(Self.status)\
            \(fields.html(values: values, issues: issues))
            <div class="row"><button>Save</button></div></form>
            <div><form class="card stack" method="post" action="\(action)" data-check="\(check)"><h2>JSON</h2><input type="hidden" name="mode" value="json">
            <input type="hidden" name="base" value="\(baseText)">\(Self.status)
            <div><label for="json">The whole resource</label><textarea id="json" name="json" rows="28" spellcheck="false">\n\(text)</textarea></div>
            <div class="row"><button>Save</button><button class="quiet" name="check" value="yes">Only check</button></div></form>
            <form class="card stack" method="post" action="\(action)"><h2>Delete</h2><input type="hidden" name="mode" value="delete">
            <input type="hidden" name="base" value="\(baseText)">
            <label class="inline"><input type="checkbox" name="confirm" value="yes" required> Delete \(type)/\(Numbers.clipped(id, 64))</label>
            <p class="muted small">With a history the resource can be restored from its versions.</p>
            <div class="row"><button class="quiet">Delete</button></div></form></div></div>
            """
        page.content += Parts.how([
            ("Command", "firelite edit --database \(Parts.shell(call.store.path)) \(Parts.shell("\(type)/\(id)"))"),
            ("Swift", "try store.write { try $0.upsert(resource) }"),
        ])
        return page
    }

    /// Where the script says what it has found while somebody types.
    private static let status: HTML =
        "<p class=\"small muted\" role=\"status\" data-summary></p><ul class=\"issues\" data-rest hidden></ul>"
}

/// The fields of a resource's primitives, with their places.
struct EditFields {
    private struct Field {
        let node: ElementTree.Node
        let value: String
        let element: LayoutElement?
        var id: String { "f\(node.key)" }
    }

    private var fields: [Field] = []
    private let release: FHIRRelease
    /// The number of fields of a form.
    private static let most = 300

    init(_ resource: FHIRResource) throws {
        release = resource.layout.release
        add(try ElementTree(resource).nodes, resource.layout)
    }

    private mutating func add(_ nodes: [ElementTree.Node], _ layout: Layout?) {
        for node in nodes where fields.count < Self.most {
            let element = layout?.element(named: node.name)
            switch node.item.content {
            case .object:
                add(node.children, element?.layout ?? node.item["resourceType"]?.text.flatMap { release.resourceLayout(named: $0) })
            case .string(let text) where Self.isEditable(node, text): fields.append(Field(node: node, value: text, element: element))
            case .number(let literal): fields.append(Field(node: node, value: literal, element: element))
            case .bool(let value): fields.append(Field(node: node, value: value ? "true" : "false", element: element))
            default: break
            }
        }
    }

    private static func isEditable(_ node: ElementTree.Node, _ text: String) -> Bool {
        !node.name.hasPrefix("_") && !["resourceType", "id", "div", "data"].contains(node.name) && !node.path.contains("extension")
            && text.utf8.count <= 4_000
            && !node.path.hasPrefix("meta.")
    }

    /// The id of the field that an issue is about: that of its element, or of the element that it is in; nil if there is none.
    func id(at path: String) -> String? {
        guard !path.isEmpty else { return nil }
        if let field = fields.first(where: { $0.node.path == path }) { return field.id }
        // `birthDate.extension[0]` is about the field of the date.
        return fields.first { path.hasPrefix($0.node.path + ".") }?.id
    }

    /// Those of the values that differ from what the resource has: a form sends all of them.
    func changed(_ values: [String: String]) -> [String: String] {
        let own = Dictionary(fields.map { ($0.node.path, $0.value) }) { first, _ in first }
        return values.filter { own[$0.key] != nil && own[$0.key] != $0.value }
    }

    func html(values: [String: String], issues: [PageIssue]) -> [HTML] {
        var texts: [String: [String]] = [:]
        for issue in issues { if let id = id(at: issue.path) { texts[id, default: []].append(issue.line) } }
        return fields.map { html($0, value: values[$0.node.path] ?? $0.value, faults: texts[$0.id] ?? []) }
    }

    private func html(_ field: Field, value: String, faults: [String]) -> HTML {
        let name = "e:" + field.node.path
        let id = field.id
        let needed: HTML = (field.element?.min ?? 0) > 0 ? " required" : ""
        let invalid: HTML = faults.isEmpty ? "" : " aria-invalid=\"true\""
        let marks: HTML = "\(invalid) aria-describedby=\"\(id)-issue\""
        let codes = field.element?.binding.flatMap { release.codes(ofBinding: $0) } ?? []
        let input: HTML
        switch field.element?.primitive {
        case .boolean: input = choice(id, name: name, values: ["true", "false"], chosen: value, marks)
        case .code where !codes.isEmpty: input = choice(id, name: name, values: codes.map(String.init), chosen: value, marks)
        case .date:
            input = text(
                id, name: name, value: value,
                "\(needed)\(marks) placeholder=\"2020-05-01\" pattern=\"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?\"")
        case .dateTime, .instant: input = text(id, name: name, value: value, "\(needed)\(marks) placeholder=\"2020-05-01T09:00:00Z\"")
        case .decimal, .integer, .positiveInt, .unsignedInt, .integer64:
            input = text(id, name: name, value: value, "\(needed)\(marks) inputmode=\"decimal\"")
        case .markdown: input = "<textarea id=\"\(id)\" name=\"\(name)\" rows=\"3\"\(marks)>\n\(value)</textarea>"
        default: input = text(id, name: name, value: value, "\(needed)\(marks)")
        }
        let hidden: HTML = faults.isEmpty ? " hidden" : ""
        return """
            <div><label for="\(id)">\(field.node.path)</label>\(input)<p class="issue" id="\(id)-issue"\(hidden)>\(faults.joined(separator: "; "))</p></div>
            """
    }

    private func text(_ id: String, name: String, value: String, _ more: HTML) -> HTML {
        "<input id=\"\(id)\" name=\"\(name)\" value=\"\(value)\" size=\"40\"\(more)>"
    }

    private func choice(_ id: String, name: String, values: [String], chosen: String, _ more: HTML) -> HTML {
        let all = values.contains(chosen) ? values : [chosen] + values
        let options = all.map { value -> HTML in
            value == chosen ? "<option value=\"\(value)\" selected>\(value)</option>" : "<option value=\"\(value)\">\(value)</option>"
        }
        return "<select id=\"\(id)\" name=\"\(name)\"\(more)>\(options)</select>"
    }
}
