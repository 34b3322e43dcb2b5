import FireLite
import FireLiteCore
import FireLiteRecords
import FireLiteService
import Foundation

/// Changes of resources, if they are allowed: a form with the primitives that a resource has, its whole JSON, deletion, and earlier versions.
enum EditPages {
    // MARK: - The form

    static func form(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        guard call.configuration.allowsEditing else { throw off }
        let resource = try whole(call.store, call.resource(type, id))
        return try EditForm(resource, type: type, id: id).page(call).response(call)
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

    // MARK: - Changes

    /// Answers a form: changes the resource, or says what is wrong with it.
    static func post(_ address: Address, _ form: Address, _ browser: StoreBrowser) async throws -> ServiceResponse {
        try requireEditing(browser)
        let (type, id) = (address.segments[0], address.segments[1])
        let isCheck = form["check"] != nil
        return try await isCheck
            ? reading(browser, address) { try change($0, form, type: type, id: id) }
            : browser.store.writing {
                try browser.store.write {
                    try change(
                        PageCall(browser, address: address, transaction: $0, preferences: Preferences(cookies: nil)), form, type: type,
                        id: id)
                }
            }
    }

    /// What is wrong with a form while somebody fills it, as JSON for the page's script. Nothing is stored.
    static func check(_ address: Address, _ form: Address, _ browser: StoreBrowser) async throws -> ServiceResponse {
        try requireEditing(browser)
        let (type, id) = (address.segments[0], address.segments[1])
        return try await reading(browser, address) { call in
            let attempt = try EditAttempt(form, type: type, id: id, call.configuration, call.layout(type))
            let fields = form["mode"] == "fields" ? try EditFields(attempt.base) : nil
            let issues = attempt.issues.prefix(100).map { issue -> JSONItem in
                .object([
                    "path": .string(Numbers.clipped(issue.path, 300)), "text": .string(issue.line),
                    "field": fields?.id(at: issue.path).map { JSONItem.string($0) },
                ])
            }
            let summary = PageIssue.summary(attempt.issues) ?? "No fault found."
            let json = JSONItem.object(["summary": .string(summary), "issues": .array(issues)]).json
            return .text(json, "application/json")
        }
    }

    private static func requireEditing(_ browser: StoreBrowser) throws {
        guard browser.configuration.allowsEditing, browser.store.configuration.access == .readWrite else { throw off }
    }

    private static func reading(
        _ browser: StoreBrowser, _ address: Address, _ body: @escaping @Sendable (PageCall) throws -> ServiceResponse
    ) async throws -> ServiceResponse {
        try await browser.store.reading {
            try browser.store.read {
                try body(PageCall(browser, address: address, transaction: $0, preferences: Preferences(cookies: nil)))
            }
        }
    }

    private static func change(_ call: PageCall, _ form: Address, type: String, id: String) throws -> ServiceResponse {
        let layout = try call.layout(type)
        if form["mode"] == "restore" { return try restore(call, form, type: type, id: id) }
        let stored = try whole(call.store, call.resource(type, id))
        if form["mode"] == "delete" { return try delete(call, form, stored, type: type, id: id) }
        let attempt = try EditAttempt(form, type: type, id: id, call.configuration, layout)
        func again(_ notes: HTML, base: FHIRResource, status: Int) throws -> ServiceResponse {
            let baseText = base == attempt.base ? attempt.baseText : FHIRJSON.string(base)
            var edit = EditForm(stored, type: type, id: id, text: attempt.text, base: base, baseText: baseText)
            edit.values = try EditFields(attempt.base).changed(attempt.values)
            edit.issues = attempt.issues
            edit.notes = notes
            var response = try edit.page(call).response(call)
            response.status = status
            return response
        }
        guard let edited = attempt.edited, !attempt.isRefused else {
            let note: HTML = "Nothing is stored: the resource would not be valid."
            return try again(notes(note, attempt.issues, isError: true), base: attempt.base, status: 422)
        }
        let merge = ThreeWayMerge(base: attempt.base, local: edited, remote: stored)
        guard merge.clashes.isEmpty else { return try again(conflict(merge.clashes), base: stored, status: 409) }
        guard let writing = call.transaction as? WriteTransaction else {
            return try again(
                notes("No error was found. Nothing is stored yet.", attempt.issues, isError: false), base: attempt.base, status: 200)
        }
        try writing.upsert(stored == attempt.base ? edited : merge.resource)
        return .redirect(to: .resource(type, id))
    }

    /// What is said above the form, with the issues.
    private static func notes(_ text: HTML, _ issues: [PageIssue], isError: Bool) -> HTML {
        let list = issues.prefix(20).map { issue -> HTML in
            "<li>\(Numbers.clipped(issue.path, 120)) \(issue.line)</li>"
        }
        return isError
            ? "<div class=\"note error\" role=\"alert\">\(text)<ul>\(list)</ul></div>"
            : "<div class=\"note\" role=\"status\">\(text)<ul>\(list)</ul></div>"
    }

    private static func delete(
        _ call: PageCall, _ form: Address, _ stored: FHIRResource, type: String, id: String
    ) throws -> ServiceResponse {
        guard let text = form["base"] else { throw EditAttempt.notWhole }
        let base = try FHIRJSON.resource(from: Data(text.utf8), release: call.release)
        guard form["confirm"] == "yes" else { throw PageProblem(400, "Nothing is deleted", "Confirm it by the box.") }
        guard stored == base else {
            throw PageProblem(409, "Nothing is deleted", "Others have changed the resource since the page was opened.")
        }
        if let writing = call.transaction as? WriteTransaction { try writing.delete(typeName: type, id: id) }
        return .redirect(to: Address(type))
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
}
