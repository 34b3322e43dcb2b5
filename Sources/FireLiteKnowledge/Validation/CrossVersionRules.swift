import FireLiteCore
import Foundation

/// Rules for the extensions that stand for elements of other releases: `http://hl7.org/fhir/5.0/StructureDefinition/extension-Patient.deceased` (FHIR,
/// Version Management, Extensions for converting between versions).
struct CrossVersionRules {
    private let run: ValidationRun
    /// The releases by the versions that the URLs have.
    private static let releases = ["1.0": "DSTU2", "3.0": "STU3", "4.0": "R4", "4.3": "R4B", "5.0": "R5"]

    init(_ run: ValidationRun) { self.run = run }

    /// An element of another release that an extension stands for.
    private struct Subject {
        let version: String
        let path: String
    }

    private static func subject(_ url: String) -> Subject? {
        let base = "http://hl7.org/fhir/"
        let middle = "/StructureDefinition/extension-"
        guard url.hasPrefix(base), let found = url.range(of: middle) else { return nil }
        let version = url[url.index(url.startIndex, offsetBy: base.count)..<found.lowerBound]
        guard version.contains("."), version.allSatisfy({ $0.isNumber || $0 == "." }) else { return nil }
        return Subject(version: String(version), path: String(url[found.upperBound...]))
    }

    /// Checks an extension by the element that it stands for.
    ///
    /// - Returns: whether its URL is of this kind, so that no definition is needed.
    func check(_ object: FHIRObject, _ url: String) -> Bool {
        guard let subject = Self.subject(url) else { return false }
        guard let name = Self.releases[subject.version] else {
            run.at("url") { run.add(.extensionURL, "there is no release of FHIR with the version \(subject.version)") }
            return true
        }
        guard name != run.release.name else {
            run.at("url") { run.add(.extensionURL, "the element belongs to this release: use it instead of an extension") }
            return true
        }
        guard let release = run.knowledge.release(named: name) else { return true }
        guard let element = Self.element(subject.path, release) else {
            run.at("url") { run.add(.extensionURL, "FHIR \(name) has no such element") }
            return true
        }
        checkValue(object, element)
        return true
    }

    private enum Element {
        /// A resource or datatype as a whole.
        case type
        case element(LayoutElement)
    }

    private static func element(_ path: String, _ release: FHIRRelease) -> Element? {
        var parts = path.split(separator: ".").map(String.init)[...]
        guard let first = parts.popFirst(), var layout = release.layout(named: first) else { return nil }
        var found: LayoutElement?
        while let part = parts.popFirst() {
            let stem = part.hasSuffix("[x]") ? String(part.dropLast(3)) : part
            guard
                let element = layout.elements.first(where: { $0.name == stem || $0.choice?.name == stem + "[x]" || $0.choice?.name == part }
                )
            else { return nil }
            found = element
            if let inner = element.layout { layout = inner } else if !parts.isEmpty { return nil }
        }
        return found.map { .element($0) } ?? .type
    }

    /// A primitive has a value of its type; an element with elements of its own has them as parts.
    private func checkValue(_ object: FHIRObject, _ element: Element) {
        guard case .element(let element) = element, let value = object.choice("value") else { return }
        if element.kind == .object, element.layout?.kind == .backbone {
            return run.at(value) { run.add(.type, "the element has elements of its own, which are parts of the extension") }
        }
        guard element.choice == nil, let primitive = element.primitive, value.object != nil else { return }
        run.at(value) { run.add(.type, "a value of the type \(primitive.name) is needed, this has the type \(value.type)") }
    }
}
