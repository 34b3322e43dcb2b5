import FireLiteCore
import FireLiteService

/// What is wrong with a resource, and where.
struct PageIssue: Hashable {
    enum Severity: String {
        case error, warning, information
    }

    let severity: Severity
    /// The path from the resource, `name[0].given[1]`; empty for the whole resource.
    let path: String
    let text: String

    /// - Parameter path: FHIR's path, which begins with the resource's type.
    init(_ severity: Severity, at path: String, _ text: String) {
        self.severity = severity
        self.path = path.firstIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
        self.text = text
    }

    private init(_ severity: Severity, path: String, text: String) {
        self.severity = severity
        self.path = path
        self.text = text
    }

    /// The same at another element.
    func moved(_ path: String) -> PageIssue { PageIssue(severity, path: path, text: text) }

    /// All that is wrong with a resource by the rules of its release, and by the profiles that the pages know.
    static func all(of resource: FHIRResource, _ configuration: StoreBrowser.Configuration) -> [PageIssue] {
        let own = resource.validate().map { PageIssue($0.severity == .error ? .error : .warning, at: $0.path, $0.message) }
        guard let validator = configuration.validator else { return own }
        do {
            // The validator repeats the rules of the release in its own words.
            let known = Set(own.map(\.path))
            let more = try validator.issues(of: resource, against: []).map { issue in
                PageIssue(Severity(rawValue: issue.severity.rawValue) ?? .warning, at: issue.path ?? "", issue.text)
            }
            return own + more.filter { $0.path.isEmpty || !known.contains($0.path) }
        } catch {
            return own + [PageIssue(.warning, at: "", "The profiles could not be checked: \(PageProblem(error).remedy)")]
        }
    }

    /// `2 errors, 1 warning`; nil if there is nothing to say.
    static func summary(_ issues: [PageIssue]) -> String? {
        let kinds: [(Severity, String, String)] = [
            (.error, "error", "errors"), (.warning, "warning", "warnings"), (.information, "note", "notes"),
        ]
        let parts = kinds.compactMap { severity, one, many -> String? in
            let count = issues.count { $0.severity == severity }
            return count == 0 ? nil : Numbers.count(count, one, many)
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The text with its kind, so that color is not all that tells them apart.
    var line: String { "\(severity.rawValue): \(Numbers.clipped(text, 300))" }
}

/// The issues of a resource by the numbers of its elements.
struct IssueMarks {
    private(set) var issues: [Int: [PageIssue]] = [:]
    /// The number of issues shown beside one element.
    private static let most = 3

    init() {}

    init(_ all: [PageIssue], _ tree: ElementTree) {
        for issue in all { if let key = tree.key(at: issue.path) { issues[key, default: []].append(issue) } }
    }

    /// The class that marks the element: `fault` if there is an error, `doubt` for anything else; empty without an issue.
    func kind(_ key: Int) -> String {
        guard let found = issues[key] else { return "" }
        return found.contains { $0.severity == .error } ? "fault" : "doubt"
    }

    /// What is said beside the element.
    func notes(_ key: Int) -> HTML {
        guard let found = issues[key] else { return "" }
        let lines = found.prefix(Self.most).map { issue -> HTML in "<span class=\"issue\">\(issue.line)</span>" }
        let more: HTML = found.count > Self.most ? "<span class=\"issue\">and \(found.count - Self.most) more</span>" : ""
        return "\(lines)\(more)"
    }
}

/// The list of what is wrong, each with a link to where it is.
enum IssueList {
    /// The number of issues on a page.
    private static let most = 50

    static func card(_ issues: [PageIssue], _ tree: ElementTree, _ elements: Address) -> HTML {
        guard let summary = PageIssue.summary(issues) else {
            return Parts.card("Validity", "<p class=\"good\">No fault against the release’s cardinalities, codes and formats.</p>")
        }
        let items = issues.prefix(most).map { issue -> HTML in
            let chip: HTML =
                issue.severity == .error
                ? "<span class=\"chip warn\">error</span>" : "<span class=\"chip\">\(issue.severity.rawValue)</span>"
            let path = issue.path.isEmpty ? "the resource" : Numbers.clipped(issue.path, 80)
            let place = tree.key(at: issue.path).map { Parts.link(path, elements.at("e\($0)")) } ?? "\(path)"
            return "<div>\(chip) \(place) \(Numbers.clipped(issue.text, 200))</div>"
        }
        let more: HTML = issues.count > most ? "<p class=\"muted\">and \(Numbers.count(issues.count - most)) more</p>" : ""
        return Parts.card("Validity", "<p>\(summary)</p><div class=\"stack\">\(items)\(more)</div>", id: "validity")
    }
}
