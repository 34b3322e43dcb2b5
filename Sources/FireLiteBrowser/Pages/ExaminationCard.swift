import FireLite
import FireLiteService
import Foundation

/// What the check of the file and the validation of its resources last said, and buttons that begin them.
enum ExaminationCard {
    static let address = Address("examine")

    static func card(_ call: PageCall) -> HTML {
        let parts = Examinations.Kind.allCases.map { kind -> HTML in
            let report = call.browser.examinations.report(kind)
            let isRunning = report.map { $0.ended == nil } ?? false
            return "<h3>\(name(kind))</h3>\(words(kind, report, call))\(isRunning ? HTML() : button(kind, isFirst: report == nil))"
        }
        return Parts.card("Check and validation", parts.reduce(into: HTML()) { $0 += $1 })
    }

    private static func name(_ kind: Examinations.Kind) -> String {
        switch kind {
        case .check: "The file"
        case .validate: "The resources"
        }
    }

    private static func button(_ kind: Examinations.Kind, isFirst: Bool) -> HTML {
        let verb = kind == .check ? "Check the file" : "Validate the resources"
        return """
            <form method="post" action="\(address.text)"><input type="hidden" name="kind" value="\(kind.rawValue)">\
            <button class="quiet">\(verb)\(isFirst ? "" : " again")</button></form>
            """
    }

    private static func words(_ kind: Examinations.Kind, _ report: Examinations.Report?, _ call: PageCall) -> HTML {
        guard let report else {
            return "<p class=\"muted\">Not \(kind == .check ? "checked" : "validated") since the server was started.</p>"
        }
        guard let ended = report.ended else { return "<p>Running since \(Numbers.time(report.begun)) UTC. This page shows the result.</p>" }
        let when: HTML =
            "<span class=\"muted small\">\(Numbers.time(ended)) UTC\(isOutdated(report, call) ? "; the file has changed since" : "")</span>"
        switch report.outcome {
        case .running: return "<p>\(when)</p>"
        case .failed(let problem): return Parts.note("It could not be finished: \(problem)", isError: true) + "<p>\(when)</p>"
        case .faults(let faults):
            guard !faults.isEmpty else { return "<p>Sound. \(when)</p>" }
            let items = faults.prefix(20).map { fault -> HTML in "<li>\(Numbers.clipped(fault, 300))</li>" }
            return Parts.note(Numbers.count(faults.count, "fault", "faults"), isError: true) + "<p>\(when)</p><ul>\(items)</ul>"
        case .issues(let issues):
            let text =
                "\(Numbers.count(issues.resources, "resource", "resources")): \(Numbers.count(issues.errors, "error", "errors")) in "
                + "\(Numbers.count(issues.wrongCount, "resource", "resources")), \(Numbers.count(issues.warnings, "warning", "warnings"))."
            let items = issues.wrong.map { wrong -> HTML in
                let errors = Numbers.count(wrong.errors, "error", "errors")
                guard let id = wrong.id else { return "<li>\(wrong.type) without an id: \(errors)</li>" }
                return
                    "<li>\(Parts.link("\(wrong.type)/\(id)", .resource(wrong.type, id))) <span class=\"muted small\">\(errors)</span></li>"
            }
            let list: HTML = items.isEmpty ? "" : "<details><summary>Resources with errors</summary><ul>\(items)</ul></details>"
            return "<p>\(text) \(when)</p>\(list)"
        }
    }

    private static func isOutdated(_ report: Examinations.Report, _ call: PageCall) -> Bool {
        let state = call.browser.facts.state()
        return state != "memory" && state != report.state
    }

    // MARK: - Beginning

    static func post(_ form: Address, _ browser: StoreBrowser) throws -> ServiceResponse {
        guard let kind = form["kind"].flatMap({ Examinations.Kind(rawValue: $0) }) else {
            throw PageProblem(400, "The form is not whole", "Open the overview again.")
        }
        browser.examinations.begin(kind, browser)
        return .redirect(to: Address())
    }
}
