import FireLite
import FireLiteCore
import FireLiteRecords
import FireLiteService
import Foundation

/// Changes of resources, if they are allowed: a form with the primitives that a resource has, its whole JSON, deletion, and earlier versions.
enum EditPages {
    /// The number of fields of the form.
    private static let maximumFields = 300
    /// Resources with a longer JSON are edited with the tool.
    private static let maximumBytes = 1_000_000

    /// What the form shows.
    private struct FormContent {
        /// The resource as it is stored.
        let resource: FHIRResource
        let type: String
        let id: String
        /// The JSON in the text field.
        let text: String
        /// The JSON from which the changes began.
        let base: String
        /// What is said above the form.
        let notes: HTML
    }

    // MARK: - The form

    static func form(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        guard call.configuration.allowsEditing else { throw off }
        let resource = try whole(call.store, call.resource(type, id))
        let content = FormContent(
            resource: resource, type: type, id: id, text: FHIRJSON.string(resource, pretty: true), base: FHIRJSON.string(resource),
            notes: HTML())
        return try page(call, content).response(call)
    }

    private static var off: PageProblem {
        PageProblem(
            403, "Editing is off",
            "The pages only read. `firelite browse --edit`, or firelite-server with --editing, lets them change resources.")
    }

    /// The resource with its payloads, as the form shows it.
    private static func whole(_ store: FHIRStore, _ resource: FHIRResource) throws -> FHIRResource {
        try store.attachments.resolvingPayloads(in: resource).copy()
    }

    private static func page(_ call: PageCall, _ content: FormContent) throws -> Page {
        let (type, id, base) = (content.type, content.id, content.base)
        guard base.utf8.count <= maximumBytes else {
            throw PageProblem(
                413, "The resource is too large for a form",
                "Its JSON has \(Numbers.bytes(base.utf8.count)). `firelite edit` changes it in an editor.")
        }
        var page = ResourcePage.frame(call, content.resource, type: type, id: id, tab: "Edit")
        page.isLive = false
        let action = Address.resource(type, id, "edit").text
        let fields = try fields(of: content.resource)
        page.content += content.notes
        page.content += """
            <div class="grid halves"><form class="card stack" method="post" action="\(action)"><h2>Elements</h2>
            <input type="hidden" name="mode" value="fields"><input type="hidden" name="base" value="\(base)">\(fields)
            <div class="row"><button>Save</button></div></form>
            <div><form class="card stack" method="post" action="\(action)"><h2>JSON</h2><input type="hidden" name="mode" value="json">
            <input type="hidden" name="base" value="\(base)">
            <div><label for="json">The whole resource</label><textarea id="json" name="json" rows="28" spellcheck="false">\(content.text)</textarea></div>
            <div class="row"><button>Save</button><button class="quiet" name="check" value="yes">Only check</button></div></form>
            <form class="card stack" method="post" action="\(action)"><h2>Delete</h2><input type="hidden" name="mode" value="delete">
            <input type="hidden" name="base" value="\(base)">
            <label class="inline"><input type="checkbox" name="confirm" value="yes" required> Delete \(type)/\(Numbers.clipped(id, 64))</label>
            <p class="muted small">With a history the resource can be restored from its versions.</p>
            <div class="row"><button class="quiet">Delete</button></div></form></div></div>
            """
        return page
    }

    /// A field for each primitive that the resource has, as its type wants it.
    private static func fields(of resource: FHIRResource) throws -> [HTML] {
        var fields: [HTML] = []
        let release = resource.layout.release
        func add(_ nodes: [ElementTree.Node], _ layout: Layout?) {
            for node in nodes where fields.count < maximumFields {
                let element = layout?.element(named: node.name)
                switch node.item.content {
                case .object:
                    add(node.children, element?.layout ?? node.item["resourceType"]?.text.flatMap { release.resourceLayout(named: $0) })
                case .string(let text) where isEditable(node, text):
                    fields.append(field(node, value: text, element: element, release: release))
                case .number(let literal): fields.append(field(node, value: literal, element: element, release: release))
                case .bool(let value):
                    fields.append(field(node, value: value ? "true" : "false", element: element, release: release))
                default: break
                }
            }
        }
        let tree = try ElementTree(resource)
        add(tree.nodes, resource.layout)
        return fields
    }

    private static func isEditable(_ node: ElementTree.Node, _ text: String) -> Bool {
        !node.name.hasPrefix("_") && !["resourceType", "id", "div", "data"].contains(node.name) && !node.path.contains("extension")
            && text.utf8.count <= 4_000
            && !node.path.hasPrefix("meta.")
    }

    private static func field(_ node: ElementTree.Node, value: String, element: LayoutElement?, release: FHIRRelease) -> HTML {
        let name = "e:" + node.path
        let id = "f\(node.key)"
        let needed: HTML = (element?.min ?? 0) > 0 ? " required" : ""
        let input: HTML
        let codes = element?.binding.flatMap { release.codes(ofBinding: $0) } ?? []
        switch element?.primitive {
        case .boolean: input = choice(id, name: name, values: ["true", "false"], chosen: value)
        case .code where !codes.isEmpty: input = choice(id, name: name, values: codes.map(String.init), chosen: value)
        case .date:
            input = text(
                id, name: name, value: value, needed: needed,
                more: " placeholder=\"2020-05-01\" pattern=\"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?\"")
        case .dateTime, .instant: input = text(id, name: name, value: value, needed: needed, more: " placeholder=\"2020-05-01T09:00:00Z\"")
        case .decimal, .integer, .positiveInt, .unsignedInt, .integer64:
            input = text(id, name: name, value: value, needed: needed, more: " inputmode=\"decimal\"")
        case .markdown: input = "<textarea id=\"\(id)\" name=\"\(name)\" rows=\"3\">\(value)</textarea>"
        default: input = text(id, name: name, value: value, needed: needed, more: "")
        }
        return "<div><label for=\"\(id)\">\(node.path)</label>\(input)</div>"
    }

    private static func text(_ id: String, name: String, value: String, needed: HTML, more: HTML) -> HTML {
        "<input id=\"\(id)\" name=\"\(name)\" value=\"\(value)\" size=\"40\"\(needed)\(more)>"
    }

    private static func choice(_ id: String, name: String, values: [String], chosen: String) -> HTML {
        let all = values.contains(chosen) ? values : [chosen] + values
        let options = all.map { value -> HTML in
            value == chosen ? "<option value=\"\(value)\" selected>\(value)</option>" : "<option value=\"\(value)\">\(value)</option>"
        }
        return "<select id=\"\(id)\" name=\"\(name)\">\(options)</select>"
    }

    // MARK: - Changes

    static func post(_ address: Address, _ request: ServiceRequest, _ browser: StoreBrowser) async throws -> ServiceResponse {
        guard browser.configuration.allowsEditing, browser.store.configuration.access == .readWrite else { throw off }
        // Browsers that know the field say whose page sends the form (Fetch Metadata).
        if let site = request.fields["Sec-Fetch-Site"], site != "same-origin" {
            throw PageProblem(403, "The form is not the server's own", "Another site's page has sent it.")
        }
        guard address.segments.count == 3, address.segments[2] == "edit" else { throw PageProblem.nowhere }
        guard let items = Address.items(String(decoding: request.body, as: UTF8.self), keepsEmpty: true) else {
            throw PageProblem(400, "The form cannot be read", "It is not percent-encoded UTF-8, or has too many fields.")
        }
        let form = Address([], items: items)
        let (type, id) = (address.segments[0], address.segments[1])
        let isCheck = form["check"] != nil
        return try await isCheck
            ? browser.store.reading {
                try browser.store.read {
                    try change(
                        PageCall(browser, address: address, transaction: $0, preferences: Preferences(cookies: nil)), form, type: type,
                        id: id)
                }
            }
            : browser.store.writing {
                try browser.store.write {
                    try change(
                        PageCall(browser, address: address, transaction: $0, preferences: Preferences(cookies: nil)), form, type: type,
                        id: id)
                }
            }
    }

    private static func change(_ call: PageCall, _ form: Address, type: String, id: String) throws -> ServiceResponse {
        let layout = try call.layout(type)
        if form["mode"] == "restore" { return try restore(call, form, type: type, id: id) }
        guard let text = form["base"] else { throw PageProblem(400, "The form is not whole", "Open the page again.") }
        let base = try FHIRJSON.resource(from: Data(text.utf8), release: call.release)
        let stored = try whole(call.store, call.resource(type, id))
        if form["mode"] == "delete" {
            guard form["confirm"] == "yes" else { throw PageProblem(400, "Nothing is deleted", "Confirm it by the box.") }
            guard stored == base else {
                throw PageProblem(409, "Nothing is deleted", "Others have changed the resource since the page was opened.")
            }
            if let writing = call.transaction as? WriteTransaction { try writing.delete(typeName: type, id: id) }
            return .redirect(to: Address(type))
        }
        let json = try form["mode"] == "fields" ? changed(base, form, layout) : form["json"] ?? ""
        func again(_ notes: HTML, base: String, status: Int) throws -> ServiceResponse {
            let content = FormContent(resource: stored, type: type, id: id, text: json, base: base, notes: notes)
            var response = try page(call, content).response(call)
            response.status = status
            return response
        }
        let edited: FHIRResource
        do { edited = try FHIRJSON.resource(from: Data(json.utf8), release: call.release) } catch let error as FHIRDecodingError {
            return try again(Parts.note("Nothing is stored: \(error.description)", isError: true), base: text, status: 422)
        }
        guard edited.resourceType == type, edited.id == id else {
            return try again(
                Parts.note("Nothing is stored: the type and the id cannot be changed.", isError: true), base: text, status: 422)
        }
        let issues = edited.validate()
        let list = issues.prefix(20).map { issue -> HTML in "<li>\(Numbers.clipped("\(issue.path) \(issue.message)", 300))</li>" }
        if issues.contains(where: { $0.severity == .error }) {
            let note: HTML =
                "<div class=\"note error\" role=\"alert\">Nothing is stored: the resource would not be valid.<ul>\(list)</ul></div>"
            return try again(note, base: text, status: 422)
        }
        let merge = ThreeWayMerge(base: base, local: edited, remote: stored)
        guard merge.clashes.isEmpty else {
            return try again(conflict(merge.clashes), base: FHIRJSON.string(stored), status: 409)
        }
        guard let writing = call.transaction as? WriteTransaction else {
            let note: HTML = "<div class=\"note\" role=\"status\">No error was found. Nothing is stored yet.<ul>\(list)</ul></div>"
            return try again(note, base: text, status: 200)
        }
        try writing.upsert(stored == base ? edited : merge.resource)
        return .redirect(to: .resource(type, id))
    }

    private static func restore(_ call: PageCall, _ form: Address, type: String, id: String) throws -> ServiceResponse {
        guard let version = form["version"].flatMap({ Int64($0) }), let writing = call.transaction as? WriteTransaction,
            try writing.restore(typeName: type, id: id, version: version) != nil
        else { throw PageProblem(404, "The version is not kept", "It was pruned, or was never stored.") }
        return .redirect(to: .resource(type, id))
    }

    private static func conflict(_ clashes: [ElementClash]) -> HTML {
        func cell(_ text: String?) -> HTML { "<td class=\"mono\">\(Numbers.clipped(text ?? "", 200))</td>" }
        let rows = clashes.prefix(50).map { clash -> HTML in
            "<tr><td class=\"mono\">\(clash.path)</td>\(cell(clash.base))\(cell(clash.local))\(cell(clash.remote))</tr>"
        }
        let table = Parts.table("Conflicts", ["<th>Element</th>", "<th>Was</th>", "<th>Yours</th>", "<th>Stored now</th>"], rows)
        return """
            <div class="note error" role="alert">Nothing is stored: others have changed the same elements. Your text is below; saving it again replaces theirs.</div>
            <section class="card"><h2>Conflicts</h2>\(table)</section>
            """
    }

    /// The JSON of a resource with the values of the form's fields; an empty field removes its element.
    private static func changed(_ resource: FHIRResource, _ form: Address, _ layout: Layout) throws -> String {
        var values: [String: String] = [:]
        for item in form.items where item.name.hasPrefix("e:") { values[String(item.name.dropFirst(2))] = item.value }
        func read(_ json: String) throws -> JSONItem {
            do throws(JSONItemError) { return try JSONItemReader.read(Array(json.utf8)) } catch {
                throw PageProblem(400, "A value cannot be read", error.problem)
            }
        }
        func value(_ item: JSONItem, _ path: String) throws -> JSONItem? {
            switch item.content {
            case .object(let members):
                let kept = try members.compactMap { member -> JSONItem.Member? in
                    let name = member.name.hasPrefix("_") ? String(member.name.dropFirst()) : member.name
                    let here = path.isEmpty ? name : "\(path).\(name)"
                    if member.name.hasPrefix("_") { return member }
                    guard member.value.isArray else { return try value(member.value, here).map { .init(name: member.name, value: $0) } }
                    let items = try member.value.items.enumerated().compactMap { place, one in try value(one, "\(here)[\(place)]") }
                    // Extensions of the texts of a list stand at the same positions.
                    if items.count < member.value.items.count, members.contains(where: { $0.name == "_" + member.name }) {
                        throw PageProblem(
                            422, "Nothing is stored", "The texts of \(here) have extensions at their positions: change them in the JSON.")
                    }
                    return items.isEmpty ? nil : .init(name: member.name, value: .array(items))
                }
                return kept.isEmpty ? nil : .object(kept)
            case .string(let old):
                guard let new = values[path], new != old else { return item }
                return new.isEmpty ? nil : .string(new.replacing("\r\n", with: "\n"))
            case .number(let old):
                guard let new = values[path], new != old else { return item }
                // What is no number stays a text, and the reader says so with its place.
                return new.isEmpty ? nil : JSONText.isNumber(new) ? .number(new) : .string(new)
            case .bool(let old):
                guard let new = values[path], new != (old ? "true" : "false") else { return item }
                return new.isEmpty ? nil : ["true", "false"].contains(new) ? .bool(new == "true") : .string(new)
            default: return item
            }
        }
        return try value(read(FHIRJSON.string(resource)), "")?.json ?? "{}"
    }
}
