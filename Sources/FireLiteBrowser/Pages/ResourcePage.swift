import FireLite
import FireLiteCore
import FireLiteRecords
import FireLiteService
import Foundation

/// A resource for a person: what it says, its narrative, attachments, versions and faults.
enum ResourcePage {
    /// Elements that have a place of their own on the page.
    private static let elsewhere: Set<String> = ["id", "meta", "text", "contained", "implicitRules", "language"]

    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        let resource = try call.resource(type, id)
        var page = frame(call, resource, type: type, id: id, tab: "Summary")
        let summary = Parts.card("Summary", self.summary(resource, call))
        let parts = try [summary, narrative(resource), attachments(resource, type, id), contained(resource, call)]
        let side = try [
            stored(call, resource, type: type, id: id), TrailPage.margin(call, of: resource, type: type, id: id), forward(resource, call),
            versions(type, id, call), issues(of: resource, type: type, id: id, call),
        ]
        page.content += "<div class=\"grid two\"><div>\(parts)\(how(call, type, id))</div><div>\(side)</div></div>"
        return page.response(call)
    }

    static func json(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        let resource = try call.resource(type, id)
        return ServiceResponse(
            200, fields: ["Content-Type": "application/fhir+json; charset=utf-8"], body: .data(FHIRJSON.data(resource, pretty: true)))
    }

    /// The frame of all pages of a resource.
    static func frame(_ call: PageCall, _ resource: FHIRResource, type: String, id: String, tab: String) -> Page {
        let title = Summary.title(resource).map { Numbers.clipped($0, 120) } ?? "\(type)/\(id)"
        var page = Page(title)
        page.isLive = tab != "Edit"
        page.find = "\(type)/\(id)"
        page.crumbs = [
            .init(text: "Overview", address: Address()), .init(text: type, address: Address(type)), .init(text: id, address: nil),
        ]
        var chips: [HTML] = ["<span class=\"chip\">\(type)</span>"]
        for name in ["status", "clinicalStatus", "gender"] {
            for value in ElementValues.at(name, of: resource, limit: 1) {
                if let text = Summary.text(value) { chips.append("<span class=\"chip on\">\(Numbers.clipped(text, 40))</span>") }
            }
        }
        let date: HTML = Summary.date(resource).map { "<span class=\"more\">\($0)</span>" } ?? ""
        page.aside = "<span class=\"chips\">\(chips)</span>\(date)"
        var tabs: [(String, Address)] = [("Summary", .resource(type, id))]
        if type == "Patient" { tabs.append(("Timeline", .resource(type, id, "timeline"))) }
        tabs += [
            ("Elements", .resource(type, id, "elements")), ("References", .resource(type, id, "references")),
            ("Graph", .resource(type, id, "graph")), ("Versions", .resource(type, id, "versions")),
            ("Trail", .resource(type, id, "trail")),
        ]
        if call.configuration.allowsEditing { tabs.append(("Edit", .resource(type, id, "edit"))) }
        page.content = Parts.tabs("Of this resource", tabs.map { ($0.0, $0.1, $0.0 == tab) })
        return page
    }

    // MARK: - The resource

    static func summary(_ resource: FHIRResource, _ call: PageCall) -> HTML {
        var facts: [(String, HTML)] = []
        for element in resource.layout.elements where !elsewhere.contains(element.name) {
            let values = ElementValues.of(element, resource)
            guard !values.isEmpty, facts.count < 60 else { continue }
            let lines = values.prefix(5).compactMap { value -> HTML? in
                self.line(value, call).map { "<div>\($0)</div>" }
            }
            guard !lines.isEmpty else { continue }
            let more: HTML = values.count > 5 ? "<div class=\"muted\">and \(Numbers.count(values.count - 5)) more</div>" : ""
            facts.append((element.choice.map { String($0.name.dropLast(3)) } ?? element.name, "\(lines)\(more)"))
        }
        return facts.isEmpty ? Parts.empty("The resource has no elements but its id.") : Parts.facts(facts)
    }

    /// A value with what a person needs beside it: the code of a display, the use of a name.
    private static func line(_ value: ElementValue, _ call: PageCall) -> HTML? {
        guard case .object(let object) = value else { return ValueHTML.short(value, call.release) }
        if object.layout.name == "Extension" {
            guard let url = ElementValues.text("url", of: object) else { return nil }
            let inner = ElementValues.at("value", of: object, limit: 1).first.flatMap { ValueHTML.short($0, call.release) } ?? HTML()
            return "<span class=\"muted\">\(Numbers.clipped(url.split(separator: "/").last.map(String.init) ?? url, 80))</span> \(inner)"
        }
        guard let text = ValueHTML.short(value, call.release) else { return nil }
        var notes: [String] = []
        switch object.layout.name {
        case "CodeableConcept": for coding in object.children("coding").prefix(3) { notes.append(code(coding)) }
        case "Coding": notes.append(code(object))
        case "Identifier", "ContactPoint":
            notes = [ElementValues.text("system", of: object), ElementValues.text("use", of: object)].compactMap { $0 }
        case "HumanName", "Address": notes = [ElementValues.text("use", of: object)].compactMap { $0 }
        default: break
        }
        let shown = notes.filter { !$0.isEmpty }.map { Numbers.clipped($0, 80) }.joined(separator: ", ")
        return shown.isEmpty ? text : "\(text) <span class=\"muted small\">\(shown)</span>"
    }

    private static func code(_ coding: FHIRObject) -> String {
        let system = ElementValues.text("system", of: coding).map { systems[$0] ?? $0 }
        return [system, ElementValues.text("code", of: coding)].compactMap { $0 }.joined(separator: " ")
    }

    /// Short names of the systems that FHIR's specification lists (Terminologies, External code systems).
    private static let systems = [
        "http://loinc.org": "LOINC", "http://snomed.info/sct": "SNOMED CT", "http://unitsofmeasure.org": "UCUM",
        "http://www.nlm.nih.gov/research/umls/rxnorm": "RxNorm", "http://hl7.org/fhir/sid/cvx": "CVX",
        "http://hl7.org/fhir/sid/icd-10": "ICD-10",
        "http://hl7.org/fhir/sid/icd-10-cm": "ICD-10-CM", "http://www.whocc.no/atc": "ATC",
    ]

    private static func narrative(_ resource: FHIRResource) -> HTML {
        guard let text = resource.child("text"), let div = ElementValues.text("div", of: text) else { return "" }
        let (html, isCut) = Narrative.safe(div)
        let note = isCut ? Parts.note("The narrative is longer than is shown.") : HTML()
        return Parts.card(
            "Narrative", "<div class=\"narrative\" tabindex=\"0\" role=\"region\" aria-label=\"Narrative\">\(html)</div>\(note)")
    }

    private static func attachments(_ resource: FHIRResource, _ type: String, _ id: String) throws -> HTML {
        let found = AttachmentFile.all(in: try ElementTree(resource)).prefix(20)
        guard !found.isEmpty else { return "" }
        let items = found.map { attachment -> HTML in
            let address = Address([type, id, "attachment"], items: [.init(name: "path", value: attachment.path)])
            let isPicture = AttachmentFile.pictures.contains(attachment.type)
            let preview: HTML =
                isPicture
                ? "<img class=\"preview\" src=\"\(address.text)\" alt=\"\(attachment.title ?? "Attachment at " + attachment.path)\" loading=\"lazy\">"
                : ""
            let name = Numbers.clipped(attachment.title ?? attachment.path, 80)
            return
                "<div><p>\(Parts.link(name, address)) <span class=\"muted\">\(attachment.type) · \(Numbers.bytes(attachment.bytes))</span></p>\(preview)</div>"
        }
        return Parts.card("Attachments", "<div class=\"stack\">\(items)</div>")
    }

    private static func contained(_ resource: FHIRResource, _ call: PageCall) -> HTML {
        let inner = resource.children("contained").prefix(20).compactMap { $0 as? FHIRResource }
        guard !inner.isEmpty else { return "" }
        let items = inner.map { one -> HTML in
            "<details><summary>\(one.resourceType) \(Numbers.clipped(one.id.map { "#" + $0 } ?? "", 60)) \(Numbers.clipped(Summary.title(one) ?? "", 80))</summary>\(summary(one, call))</details>"
        }
        return Parts.card("Contained", "<div class=\"stack\">\(items)</div>")
    }

    // MARK: - Beside it

    private static func stored(_ call: PageCall, _ resource: FHIRResource, type: String, id: String) throws -> HTML {
        var facts: [(String, HTML)] = [
            ("id", "<span class=\"mono\">\(id)</span>"), ("pk", "<span class=\"mono small\">\(resource.pk)</span>"),
        ]
        let newest = try call.transaction.history(typeName: type, id: id).first { $0.isCurrent }
        if let newest {
            facts.append(("version", "\(newest.version)"))
            if let date = newest.storedAt { facts.append(("stored", "\(Numbers.time(date)) UTC")) }
        }
        if let meta = resource.child("meta") {
            for name in ["versionId", "lastUpdated", "source"] {
                if let text = ElementValues.text(name, of: meta) { facts.append(("meta.\(name)", "\(Numbers.clipped(text, 80))")) }
            }
            for profile in meta.texts("profile").prefix(5) {
                facts.append(("profile", "<span class=\"small\">\(Numbers.clipped(profile, 120))</span>"))
            }
            for tag in (meta.children("tag") + meta.children("security")).prefix(5) {
                if let text = Summary.object(tag) { facts.append(("tag", "\(Numbers.clipped(text, 80))")) }
            }
        }
        facts.append(("JSON", Parts.link("open", .resource(type, id, "json"))))
        return Parts.card("Stored", Parts.facts(facts))
    }

    private static func forward(_ resource: FHIRResource, _ call: PageCall) throws -> HTML {
        let links = ReferencesPage.forward(try ElementTree(resource), call.release)
        guard !links.isEmpty else { return "" }
        let items = links.prefix(12).map { link -> HTML in
            let target =
                link.address.map { Parts.link(Numbers.clipped(link.display ?? link.reference, 60), $0) }
                ?? "\(Numbers.clipped(link.reference, 60))"
            return "<div>\(target) <span class=\"muted small\">\(link.path)</span></div>"
        }
        let more: HTML = links.count > 12 ? "<p class=\"muted\">and \(links.count - 12) more</p>" : ""
        return Parts.card("Refers to", "<div class=\"stack\">\(items)\(more)</div>")
    }

    private static func versions(_ type: String, _ id: String, _ call: PageCall) throws -> HTML {
        let versions = try call.transaction.history(typeName: type, id: id)
        guard versions.count > 1 else { return "" }
        let items = versions.prefix(6).map { version -> HTML in
            let date = version.storedAt.map { Numbers.time($0) } ?? "time unknown"
            let text = Parts.link("version \(version.version)", .resource(type, id, "versions", "\(version.version)"))
            return "<li>\(text) <span class=\"muted small\">\(date)</span></li>"
        }
        return Parts.card("Versions", "<ul>\(items)</ul><p>\(Parts.link("What changed", .resource(type, id, "versions")))</p>")
    }

    private static func issues(of resource: FHIRResource, type: String, id: String, _ call: PageCall) throws -> HTML {
        IssueList.card(PageIssue.all(of: resource, call.configuration), try ElementTree(resource), .resource(type, id, "elements"))
    }

    private static func how(_ call: PageCall, _ type: String, _ id: String) -> HTML {
        let isClass = id.utf8.allSatisfy { $0 < 0x80 }
        var ways = [
            ("Swift", "let resource = try store.resource(typeName: \"\(type)\", id: \(Parts.swift(id)))"),
            ("Command", "firelite get --database \(Parts.shell(call.store.path)) \(Parts.shell("\(type)/\(id)"))"),
            ("SQL", "SELECT * FROM \(type) WHERE id = '\(id.replacingBytes("'", with: "''"))' AND _parent IS NULL"),
        ]
        if let base = call.configuration.base, isClass { ways.append(("HTTP", "GET \(base)/\(type)/\(id)")) }
        return Parts.how(ways)
    }
}

/// The payloads of Attachments in a resource.
struct AttachmentFile {
    let path: String
    let type: String
    let title: String?
    let bytes: Int
    let data: String

    /// Types that a browser shows as pictures and that cannot contain scripts.
    static let pictures: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

    static func all(in tree: ElementTree) -> [AttachmentFile] {
        tree.all.compactMap { node in
            // Attachment, and Binary, which is the resource itself.
            guard let data = node.item["data"]?.text, let type = node.item["contentType"]?.text else { return nil }
            return AttachmentFile(path: node.path, type: type, title: node.item["title"]?.text, bytes: data.utf8.count * 3 / 4, data: data)
        }
    }

    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        let resource = try call.store.attachments.resolvingPayloads(in: try call.resource(type, id))
        let path = call.address["path"] ?? ""
        guard let found = all(in: try ElementTree(resource)).first(where: { $0.path == path }) else {
            throw PageProblem(404, "There is no attachment at this path", "The page of the resource lists its attachments.")
        }
        guard let data = Data(fhirBase64: found.data) else {
            throw PageProblem(422, "The attachment is not base64", "Its text is in the JSON.")
        }
        if pictures.contains(found.type) { return ServiceResponse(200, fields: ["Content-Type": found.type], body: .data(data)) }
        // What could be a page is never shown as one.
        let isText = found.type == "text/plain" || found.type.hasPrefix("text/plain;")
        return .file(data, isText ? "text/plain; charset=utf-8" : "application/octet-stream", named: "attachment")
    }
}
