import FireLiteCore
import Foundation

/// Replaces links in narratives that lead to the `fullUrl` of another entry (FHIR, RESTful API, Transaction Processing Rules): the attributes
/// `href` and `src`.
struct NarrativeLinks {
    /// `Type/id` by `fullUrl`, as `BundleRequest.entryName(_:)` gives it.
    private var targets: [ExactText: String] = [:]

    mutating func add(_ fullUrl: String, _ target: String) { targets[BundleRequest.entryName(fullUrl)] = target }

    /// Replaces the links in the narratives of a resource and of those that it contains.
    func rewrite(_ resource: FHIRObject) {
        guard !targets.isEmpty else { return }
        if let narrative = resource.child("text"), let text = narrative.text("div"), text.contains("href") || text.contains("src") {
            let changed = rewritten(text)
            if changed != text { narrative.setText("div", changed) }
        }
        if resource.layout.element(named: "contained") != nil { for inner in resource.children("contained") { rewrite(inner) } }
    }

    func rewritten(_ text: String) -> String {
        text.replacing(/(\s(?:href|src)\s*=\s*)("[^"<]*"|'[^'<]*')/) { match in
            let quoted = match.output.2
            let link = quoted.dropFirst().dropLast().replacingBytes("&amp;", with: "&")
            // What follows a number sign is a place in the target.
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map({ BundleRequest.entryName(String($0)) }), let target = targets[name] else {
                return String(match.output.0)
            }
            let fragment = parts.count > 1 ? "#" + parts[1].replacingBytes("&", with: "&amp;") : ""
            return "\(match.output.1)\(quoted.prefix(1))\(target)\(fragment)\(quoted.prefix(1))"
        }
    }
}
