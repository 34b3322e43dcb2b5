import FireLite
import FireLiteCore
import FireLiteService
import Foundation

/// The versions of a resource, and how two of them differ.
enum VersionsPage {
    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        _ = try call.layout(type)
        let versions = try call.transaction.history(typeName: type, id: id)
        guard let newest = versions.first else { throw PageProblem.missing(type, id) }
        let current = try call.transaction.resource(typeName: type, id: id)
        var page = current.map { ResourcePage.frame(call, $0, type: type, id: id, tab: "Versions") } ?? deletedFrame(type, id)
        if versions.count == 1, !(try call.transaction.tracked(.history)).contains(type) {
            page.content += Parts.note(
                "The store keeps no earlier versions of this type: `firelite track on history` makes it do so from then on.")
        }
        let later = call.address["to"].flatMap { Int64($0) } ?? newest.version
        let earlier = call.address["from"].flatMap { Int64($0) } ?? versions.first { $0.version < later }?.version
        let list = self.list(versions, type: type, id: id, earlier: earlier, later: later)
        let difference = try earlier.map { try self.difference(call, type: type, id: id, from: $0, to: later) } ?? HTML()
        page.content += "<div class=\"grid halves\">\(list)\(difference)</div>"
        page.content += Parts.how([
            ("Command", "firelite diff --database \(Parts.shell(call.store.path)) \(Parts.shell("\(type)/\(id)"))"),
            ("Swift", "let versions = try store.history(typeName: \"\(type)\", id: \(Parts.swift(id)))"),
            ("SQL", "SELECT * FROM _change WHERE type = '\(type)' AND id = '\(id.replacingBytes("'", with: "''"))' ORDER BY seq DESC"),
        ])
        return page.response(call)
    }

    static func deletedFrame(_ type: String, _ id: String) -> Page {
        var page = Page("\(type)/\(id)")
        page.aside = "<span class=\"chip warn\">deleted</span>"
        page.crumbs = [
            .init(text: "Overview", address: Address()), .init(text: type, address: Address(type)), .init(text: id, address: nil),
        ]
        return page
    }

    private static func list(_ versions: [ResourceVersion], type: String, id: String, earlier: Int64?, later: Int64) -> HTML {
        let shown = versions.prefix(200)
        let rows = shown.enumerated().map { place, version -> HTML in
            let ended: HTML = version.isDeleted ? " <span class=\"chip warn\">then deleted</span>" : ""
            let name = Parts.link("\(version.version)", .resource(type, id, "versions", "\(version.version)")) + ended
            let mark = version.version == later ? "new" : version.version == earlier ? "old" : ""
            var compare = HTML()
            if let before = shown.dropFirst(place + 1).first {
                compare = Parts.link(
                    "what changed",
                    Address.resource(type, id, "versions").with("from", "\(before.version)").with("to", "\(version.version)"))
            }
            return """
                <tr><td class="\(mark)">\(name)</td><td>\(version.storedAt.map { Numbers.time($0) } ?? "unknown")</td>\
                <td>\(version.isCurrent ? "now" : version.replacedAt.map { Numbers.time($0) } ?? "unknown")</td><td>\(compare)</td></tr>
                """
        }
        return Parts.card(
            Numbers.count(versions.count, "version", "versions"),
            Parts.table("Versions", ["<th>Version</th>", "<th>Stored (UTC)</th>", "<th>Replaced (UTC)</th>", "<th>Difference</th>"], rows))
    }

    private static func state(_ call: PageCall, type: String, id: String, version: Int64) throws -> FHIRResource {
        guard let state = try call.transaction.resource(typeName: type, id: id, version: version) else {
            throw PageProblem(404, "Version \(version) is not kept", "It is a deletion, was pruned, or was never stored.")
        }
        return state
    }

    private static func difference(_ call: PageCall, type: String, id: String, from earlier: Int64, to later: Int64) throws -> HTML {
        let old = try state(call, type: type, id: id, version: earlier)
        let differences = try old.differences(to: state(call, type: type, id: id, version: later))
        let title = "From version \(earlier) to \(later)"
        guard !differences.isEmpty else { return Parts.card(title, Parts.empty("The versions say the same.")) }
        let rows = differences.prefix(500).map { difference -> HTML in
            """
            <tr><td class="mono">\(difference.path)</td><td class="old mono">\(Numbers.clipped(difference.old ?? "", 300))</td>\
            <td class="new mono">\(Numbers.clipped(difference.new ?? "", 300))</td></tr>
            """
        }
        return Parts.card(title, Parts.table("Differences", ["<th>Element</th>", "<th>Before</th>", "<th>After</th>"], rows))
    }

    private static func isGone(_ call: PageCall, _ type: String, _ id: String) throws -> Bool {
        try call.transaction.resource(typeName: type, id: id) == nil
    }

    static func version(_ call: PageCall, type: String, id: String, number: String) throws -> ServiceResponse {
        _ = try call.layout(type)
        guard let version = Int64(number) else { throw PageProblem.nowhere }
        let resource = try state(call, type: type, id: id, version: version)
        var page = ResourcePage.frame(call, resource, type: type, id: id, tab: "Versions")
        page.crumbs = [
            .init(text: "Overview", address: Address()), .init(text: type, address: Address(type)),
            .init(text: id, address: .resource(type, id)), .init(text: "version \(version)", address: nil),
        ]
        let tree = try ElementTree(resource)
        let forms = TreeHTML(tree: tree, resource: .resource(type, id), release: call.release)
        if call.configuration.allowsEditing,
            try call.transaction.history(typeName: type, id: id).first?.version != version || isGone(call, type, id)
        {
            page.content += """
                <form class="row" method="post" action="\(Address.resource(type, id, "edit").text)"><input type="hidden" name="mode" value="restore">
                <input type="hidden" name="version" value="\(number)"><button>Restore this version</button></form>
                """
        }
        page.content += """
            <div class="grid halves" data-panes><section class="card pane" tabindex="0" aria-label="Elements"><h2>Elements</h2>\(forms.list())</section>
            <section class="card pane" tabindex="0" aria-label="JSON"><h2>JSON</h2>\(forms.json())</section></div>
            """
        let file = Parts.shell(call.store.path)
        page.content += Parts.how([
            ("Command", "firelite get --database \(file) --version \(version) \(Parts.shell("\(type)/\(id)"))"),
            ("Swift", "let resource = try store.resource(typeName: \"\(type)\", id: \(Parts.swift(id)), version: \(version))"),
        ])
        return page.response(call)
    }
}

/// What has changed last in the store.
enum ChangesPage {
    static func answer(_ call: PageCall) throws -> ServiceResponse {
        var page = Page("Changes")
        page.place = .changes
        page.isLive = true
        page.crumbs = [.init(text: "Overview", address: Address()), .init(text: "Changes", address: nil)]
        let versions = try call.transaction.history(typeName: nil, since: .distantPast, limit: 100)
        page.content = try versions.isEmpty ? latest(call) : history(versions)
        page.content += Parts.how([
            ("Command", "firelite history --database \(Parts.shell(call.store.path))"),
            ("Swift", "let versions = try store.history(limit: 100)"),
            ("SQL", "SELECT * FROM _change ORDER BY seq DESC LIMIT 100"),
        ])
        return page.response(call)
    }

    private static func history(_ versions: [ResourceVersion]) -> HTML {
        let rows = versions.map { version -> HTML in
            let id = version.id ?? ""
            let text = "\(version.typeName)/\(Numbers.clipped(id, 64))"
            let name: HTML = id.isEmpty ? "\(text)" : Parts.link(text, .resource(version.typeName, id, "versions"))
            let kind: HTML = version.isDeleted ? "<span class=\"chip warn\">deleted</span>" : version.version == 1 ? "added" : "changed"
            let date = version.storedAt ?? version.replacedAt
            return
                "<tr><td>\(date.map { Numbers.time($0) } ?? "unknown")</td><td>\(name)</td><td class=\"num\">\(version.version)</td><td>\(kind)</td></tr>"
        }
        return Parts.card(
            "The last 100 versions",
            Parts.table(
                "Versions", ["<th>Time (UTC)</th>", "<th>Resource</th>", "<th class=\"num\">Version</th>", "<th>Change</th>"], rows))
    }

    /// Without a history each resource still knows when it was last written.
    private static func latest(_ call: PageCall) throws -> HTML {
        let note = Parts.note("The history has no versions, or the store keeps none. These resources were written last.")
        guard
            let found = try call.budget().rows(
                call.store, "SELECT root, type, updated FROM _resource JOIN _shape USING (shape) ORDER BY updated DESC, root DESC LIMIT 50")
        else { return note + Parts.card("Written last", Parts.empty("Sorting them takes longer than a page may.")) }
        let rows = try found.compactMap { row -> HTML? in
            guard let root = row[0].intValue, let type = row[1].textValue else { return nil }
            let id = try call.store.sql("SELECT id FROM \(sqlName(type)) WHERE _k = ?", arguments: [.integer(Int64(root) << 24)]).first?[0]
                .textValue
            let name = id.map { Parts.link("\(type)/\(Numbers.clipped($0, 64))", .resource(type, $0)) } ?? "\(type) without id"
            let date = row[2].intValue.map { Numbers.time(Date(timeIntervalSince1970: Double($0) / 1_000)) } ?? ""
            return "<tr><td>\(date)</td><td>\(name)</td></tr>"
        }
        return note + Parts.card("Written last", Parts.table("Resources", ["<th>Time (UTC)</th>", "<th>Resource</th>"], rows))
    }
}
