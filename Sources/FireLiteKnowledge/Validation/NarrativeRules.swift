import FireLiteCore
import Foundation

/// Rules for the XHTML of narratives (FHIR, Narrative), beside the constraints txt-1 and txt-2.
struct NarrativeRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ resource: FHIRResource) {
        guard let text = resource.child("text"), let div = text.text("div") else {
            if run.options.bestPractice, resource.layout.element(named: "text") != nil, !resource.isContained {
                run.add(.narrative, "a resource should have a narrative", .warning)
            }
            return
        }
        run.at("text") {
            run.at("div") {
                checkLinks(div, resource)
                if run.release.name != "DSTU2", !Self.declaresNamespace(div) {
                    run.add(.narrative, "the namespace of XHTML is missing in the div")
                }
            }
        }
    }

    private static func declaresNamespace(_ div: String) -> Bool {
        guard let end = div.firstIndex(of: ">") else { return true }
        return div[..<end].contains("http://www.w3.org/1999/xhtml")
    }

    /// Links within the narrative lead to an id in it, or to a contained resource.
    private func checkLinks(_ div: String, _ resource: FHIRResource) {
        // Most narratives have no links within.
        guard Self.contains("href=", div), div.utf8.contains(UInt8(ascii: "#")) else { return }
        let targets = Self.attributes("href", in: div).filter { $0.hasPrefix("#") && $0.count > 1 }
        guard !targets.isEmpty else { return }
        var known = Set(Self.attributes("id", in: div) + Self.attributes("name", in: div))
        let container = resource.containerResource ?? resource
        known.formUnion(container.containedResources.compactMap(\.id))
        known.formUnion(Self.ids(in: resource))
        // In a Bundle a link may lead to the narrative of another entry, once they are put together.
        let severity: ValidationIssue.Severity = container.ownerObject == nil ? .error : .warning
        for target in targets where !known.contains(String(target.dropFirst())) {
            run.add(.narrative, "a link within the narrative leads to nothing", severity)
        }
    }

    /// Whether a text has some bytes, without looking at characters.
    private static func contains(_ part: StaticString, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            part.withUTF8Buffer { part in
                guard let first = part.first, bytes.count >= part.count else { return false }
                return (0...(bytes.count - part.count)).contains { bytes[$0] == first && bytes[$0...].starts(with: part) }
            }
        }
    }

    private static func ids(in object: FHIRObject) -> [String] {
        var ids: [String] = []
        object.forEachChild { value in
            guard let child = value.children else { return }
            if let id = child.text("id") { ids.append(id) }
            ids += Self.ids(in: child)
        }
        return ids
    }

    /// The values of an attribute in the tags of a text.
    static func attributes(_ name: String, in text: String) -> [String] {
        var values: [String] = []
        var rest = text[...]
        while let found = rest.range(of: " \(name)=") ?? rest.range(of: "\n\(name)=") {
            rest = rest[found.upperBound...]
            guard let quote = rest.first, quote == "\"" || quote == "'" else { continue }
            rest = rest.dropFirst()
            values.append(String(rest.prefix { $0 != quote }))
        }
        return values
    }
}
