import FireLite
import FireLiteCore
import FireLiteService
import FireLiteSync
import FireLiteTrust
import Foundation

/// Who changed, signed and sent a resource: the margin of its page, and a page with all of it.
enum TrailPage {
    static func answer(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse {
        _ = try call.layout(type)
        let resource = try call.transaction.resource(typeName: type, id: id)
        let takesTime = call.address["~all"] != nil
        let budget = takesTime ? TimeBudget(call.configuration.consoleTime) : call.budget()
        let trail = try ResourceTrail(call, of: resource, type: type, id: id, budget: budget)
        guard resource != nil || !trail.versions.isEmpty || !trail.log.isEmpty else { throw PageProblem.missing(type, id) }
        var page = resource.map { ResourcePage.frame(call, $0, type: type, id: id, tab: "Trail") } ?? VersionsPage.deletedFrame(type, id)
        for problem in trail.problems { page.content += Parts.note(Numbers.clipped(problem, 500), isError: true) }
        if !trail.isWhole {
            let all = call.address.with("~all", "1")
            let link: HTML = takesTime ? "" : " " + Parts.link("Take the time", all)
            page.content += "<p class=\"note\">Not everything was looked for: that takes longer than a page may.\(link)</p>"
        }
        page.content +=
            "<div class=\"grid halves\">\(versions(trail, type, id))\(signatures(trail))\(sending(trail))\(audit(trail))</div>"
        let (file, name) = (Parts.shell(call.store.path), Parts.shell("\(type)/\(id)"))
        let key = "WHERE type = '\(type)' AND id = '\(id.replacingBytes("'", with: "''"))'"
        page.content += Parts.how([
            (
                "Command",
                "firelite history --database \(file) \(name)\nfirelite verify --database \(file) \(name)\nfirelite audit --database \(file) proof \(name)\nfirelite outbox --database \(file) list"
            ),
            (
                "Swift",
                """
                let versions = try store.history(typeName: "\(type)", id: \(Parts.swift(id)))
                let proof = try store.read { try $0.auditProof(of: "\(type)", id: \(Parts.swift(id))) }
                """
            ), ("SQL", "SELECT * FROM _change \(key) ORDER BY seq DESC;\nSELECT * FROM _audit \(key) ORDER BY seq"),
        ])
        return page.response(call)
    }

    // MARK: - The margin

    /// What a person asks first: who changed it last, whether a signature holds, whether it was sent, whether the audit trail proves it.
    static func margin(_ call: PageCall, of resource: FHIRResource, type: String, id: String) throws -> HTML {
        let trail = try ResourceTrail(call, of: resource, type: type, id: id, budget: call.budget())
        var facts: [(String, HTML)] = []
        if let current = trail.versions.first(where: \.isCurrent) {
            let parts = [
                current.storedAt.map { Numbers.time($0) + " UTC" },
                trail.maker(of: current.version).map { "by " + Numbers.clipped($0, 80) },
            ]
            let text = parts.compactMap { $0 }.joined(separator: " ")
            if !text.isEmpty { facts.append(("changed", "\(text)")) }
        }
        for statement in trail.statements.prefix(3) { facts.append(("signed", line(statement))) }
        for entry in trail.outbox.prefix(3) { facts.append(("outbox", "\(words(entry))")) }
        for standing in trail.standings.prefix(3) {
            if let state = trail.state(standing) { facts.append(("server", "\(words(state, standing))")) }
        }
        switch trail.proof {
        case .proven: facts.append(("audit", "<span class=\"good\">proven by the trail</span>"))
        case .problem(let text): facts.append(("audit", "<span class=\"bad\">\(Numbers.clipped(text, 200))</span>"))
        case nil: if trail.hasAudit { facts.append(("audit", trail.isWhole ? "no entry about it" : "not looked for")) }
        }
        for problem in trail.problems.prefix(3) { facts.append(("unread", "<span class=\"bad\">\(Numbers.clipped(problem, 200))</span>")) }
        guard !facts.isEmpty else { return "" }
        let more = Parts.link("All of it", .resource(type, id, "trail"))
        return Parts.card("Trail", Parts.facts(facts) + "<p>\(more)</p>")
    }

    private static func line(_ statement: ResourceTrail.Statement) -> HTML {
        switch statement.standing {
        case .holds(let signature, let identity):
            "<span class=\"good\">holds</span>, by \(Numbers.clipped(identity?.name ?? signature.signer, 80))"
        case .fails: "<span class=\"bad\">does not hold</span>"
        case .unknownForm: "in a form that is not verified here"
        case .unsigned: "a Provenance without signature"
        }
    }

    private static func words(_ entry: OutboxEntry) -> String {
        let attempts = entry.attempts == 0 ? "" : ", " + Numbers.count(entry.attempts, "attempt", "attempts")
        let status = entry.status.map { ", status \($0)" } ?? ""
        return "\(entry.method.rawValue) \(entry.state.rawValue)\(attempts)\(status)" + (entry.isUncertain ? ", may have taken effect" : "")
    }

    private static func words(_ state: SyncState, _ standing: SyncStanding) -> String {
        let version = standing.version.map { ", the server has version \($0)" } ?? ""
        let status = standing.status.map { ", status \($0)" } ?? ""
        switch state {
        case .synced: return "the same as at the server" + (standing.version.map { ", version \($0)" } ?? "")
        case .pending: return "not sent yet" + version
        case .parked: return "refused by the server" + status
        case .conflict: return "changed on both sides" + version
        case .undecided: return "nobody has decided whether it was deleted here" + version
        }
    }

    // MARK: - The page

    private static func versions(_ trail: ResourceTrail, _ type: String, _ id: String) -> HTML {
        let title = "Changed"
        guard !trail.versions.isEmpty || !trail.log.isEmpty else {
            return Parts.card(
                title, Parts.empty("The store keeps neither a history nor a change log of it: `firelite track on` does so from then on."))
        }
        let rows = trail.versions.prefix(60).map { version -> HTML in
            let who = trail.maker(of: version.version) ?? "not known"
            let state: HTML = version.isCurrent ? "" : version.isDeleted ? " <span class=\"chip warn\">then deleted</span>" : ""
            return """
                <tr><td>\(Parts.link("\(version.version)", .resource(type, id, "versions", "\(version.version)")))\(state)</td>\
                <td>\(version.storedAt.map { Numbers.time($0) } ?? "unknown")</td><td>\(Numbers.clipped(who, 120))</td></tr>
                """
        }
        let log = trail.log.map { entry -> HTML in
            """
            <tr><td class="num">\(entry.number)</td><td>\(entry.date.map { Numbers.time($0) } ?? "unknown")</td><td>\(entry.kind)</td>\
            <td>\(entry.isFromServer ? "a server" : "this device or app")</td></tr>
            """
        }
        let history: HTML =
            rows.isEmpty ? "" : Parts.table("Versions", ["<th>Version</th>", "<th>Stored (UTC)</th>", "<th>By</th>"], Array(rows))
        let entries: HTML =
            log.isEmpty
            ? ""
            : "<h3>Change log</h3>"
                + Parts.table(
                    "Entries of the change log",
                    ["<th class=\"num\">Number</th>", "<th>Time (UTC)</th>", "<th>Change</th>", "<th>From</th>"],
                    log)
        return Parts.card(title, history + entries)
    }

    private static func signatures(_ trail: ResourceTrail) -> HTML {
        guard !trail.statements.isEmpty else { return Parts.card("Signed", Parts.empty("No Provenance refers to it.")) }
        let rows = trail.statements.map { statement -> HTML in
            let name = statement.id.map { Parts.link(Numbers.clipped($0, 40), .resource("Provenance", $0)) } ?? "without id"
            var more: HTML = ""
            switch statement.standing {
            case .holds(let signature, let identity):
                more = """
                    <div class="muted small">\(Numbers.time(signature.moment)) UTC, \(identity == nil ? "an identity" : "the identity") \
                    \(Numbers.clipped(signature.signer, 80)), key <span class="mono">\(Numbers.clipped(signature.keyID, 60))</span></div>
                    """
            case .fails:
                more =
                    "<div class=\"muted small\">The content has changed since, or the key is not one of an identity in the store.</div>"
            case .unknownForm, .unsigned: break
            }
            let agents = statement.agents.map { Numbers.clipped($0, 80) }.joined(separator: ", ")
            return "<tr><td>\(name)</td><td>\(statement.recorded ?? "")</td><td>\(agents)</td><td>\(line(statement))\(more)</td></tr>"
        }
        return Parts.card(
            "Signed",
            Parts.table("Provenances", ["<th>Provenance</th>", "<th>Recorded</th>", "<th>Agents</th>", "<th>Signature</th>"], rows))
    }

    private static func sending(_ trail: ResourceTrail) -> HTML {
        var facts: [(String, HTML)] = trail.outbox.map { entry -> (String, HTML) in
            (
                "outbox \(entry.number)",
                """
                \(words(entry)) <span class="muted small">to \(Numbers.clipped(entry.server, 120)), put in \(Numbers.time(entry.created)) UTC\
                \(entry.lastAttempt.map { ", last sent \(Numbers.time($0)) UTC" } ?? "")</span>\(problem(entry.error))
                """
            )
        }
        for standing in trail.standings {
            let text = trail.state(standing).map { words($0, standing) } ?? "unknown to this server's sync"
            let issues = standing.issues.prefix(3).map { issue -> HTML in problem(issue.details ?? issue.diagnostics ?? issue.code) }
            facts.append((Numbers.clipped(standing.server, 120), "\(text)\(issues)"))
        }
        guard !facts.isEmpty else {
            return Parts.card("Sent", Parts.empty("Nothing about it waits in an outbox, and the store was not synchronized."))
        }
        return Parts.card("Sent", Parts.facts(facts))
    }

    private static func problem(_ text: String?) -> HTML {
        text.map { "<div class=\"bad small\">\(Numbers.clipped($0, 300))</div>" } ?? ""
    }

    private static func audit(_ trail: ResourceTrail) -> HTML {
        guard trail.hasAudit else { return Parts.card("Audited", Parts.empty("The store keeps no audit trail.")) }
        var content = HTML()
        switch trail.proof {
        case .proven(let proof):
            content += """
                <p class="good">What is stored is what entry \(proof.entry.number) recorded. Head \(proof.head.number) of \(Numbers.time(proof.head.date)) UTC \
                covers the entry, and is signed with the key of an identity in the store.</p>
                <p class="muted small">Somebody who can write the whole file can write another trail. Compare the head with one that is kept elsewhere: \
                <code>firelite audit verify --head FILE</code>.</p>
                """
        case .problem(let text): content += Parts.note(Numbers.clipped(text, 400), isError: true)
        case nil: break
        }
        guard !trail.entries.isEmpty else {
            return Parts.card(
                "Audited", content + Parts.empty(trail.isWhole ? "The trail has no entry about it." : "The trail was not read."))
        }
        let rows = trail.entries.map { entry -> HTML in
            """
            <tr><td class="num">\(entry.number)</td><td>\(Numbers.time(entry.date))</td><td>\(Numbers.clipped(entry.party.actor, 80))\
            <div class="muted small">\(Numbers.clipped(entry.party.purpose ?? "", 80))</div></td><td>\(entry.access.action.rawValue)</td>\
            <td>\(entry.access.version.map { String($0) } ?? "")</td><td>\(entry.access.outcome.rawValue)</td></tr>
            """
        }
        return Parts.card(
            "Audited",
            content
                + Parts.table(
                    "Entries of the audit trail",
                    [
                        "<th class=\"num\">Entry</th>", "<th>Time (UTC)</th>", "<th>Who</th>", "<th>Action</th>", "<th>Version</th>",
                        "<th>Outcome</th>",
                    ], rows))
    }
}
