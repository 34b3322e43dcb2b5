import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// Rules for primitives beyond their notation (FHIR, Data Types).
struct PrimitiveRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ value: ElementValue, _ type: PrimitiveType, in object: FHIRObject) {
        guard let text = value.text else { return }
        switch type {
        case .uri, .url, .canonical, .oid, .uuid: URLRules(run).check(text, type, in: object)
        case .string, .markdown: checkText(text, type)
        default: break
        }
    }

    private func checkText(_ text: String, _ type: PrimitiveType) {
        if text.allSatisfy(\.isWhitespace), !text.isEmpty {
            return run.add(.format, "the text consists of white space alone: leave it out")
        }
        guard run.options.refusesMarkup, let start = text.utf8.firstIndex(of: UInt8(ascii: "<")) else { return }
        let next = text[text.utf8.index(after: start)...].first
        if next.map({ $0.isLetter || $0 == "/" || $0 == "!" || $0 == "?" }) ?? false {
            run.add(.markup, "the text looks like HTML, which a viewer may run: write it without tags")
        }
    }
}

/// Rules for URLs, URIs and canonicals.
struct URLRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    /// Whether a text begins with a scheme: `http:`, `urn:`.
    static func isAbsolute(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, (first | 0x20) &- 97 < 26 else { return false }
        return scheme.allSatisfy { ($0 | 0x20) &- 97 < 26 || $0 &- 48 < 10 || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }

    func check(_ text: String, _ type: PrimitiveType, in object: FHIRObject) {
        if text.hasPrefix("oid:") || text.hasPrefix("uuid:") {
            return run.add(.url, "a URI of this kind begins with urn:oid: or urn:uuid:")
        }
        if text.hasPrefix("urn:uuid:"), !Self.isUUID(text.dropFirst(9)) {
            return run.add(.url, "after urn:uuid: must follow a UUID")
        }
        if text.hasPrefix("urn:oid:"), !Self.isOID(text.dropFirst(8)) {
            return run.add(.url, "after urn:oid: must follow an OID")
        }
        if type == .canonical, !text.hasPrefix("#"), !Self.isAbsolute(text) {
            run.add(.url, "a canonical reference must be absolute, or #id for a contained resource")
        }
        if type == .url, !Self.isAbsolute(text), !text.hasPrefix("#"), object.layout.name != "Extension",
            object.layout.name != "Parameters.parameter"
        {
            // Of an Attachment and a request it may be relative to the server.
            run.add(.url, "the URL is relative", .information)
        }
        if type == .canonical, text.hasPrefix("#") {
            let id = String(text.dropFirst())
            if let container = object.containerResource, id.isEmpty || !container.containedResources.contains(where: { $0.id == id }) {
                run.add(.reference, "needs a contained resource, which is missing")
            }
        }
    }

    static func isUUID(_ text: Substring) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && text.allSatisfy { $0.isHexDigit || $0 == "-" }
    }

    static func isOID(_ text: Substring) -> Bool {
        let arcs = text.split(separator: ".", omittingEmptySubsequences: false)
        return arcs.count > 1 && ["0", "1", "2"].contains(arcs[0])
            && arcs.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } && ($0.count == 1 || $0.first != "0") }
    }

    /// An identifier of the system of URIs is one.
    func check(identifier: FHIRObject) {
        guard let system = identifier.text(of: "system") else { return }
        if !Self.isAbsolute(system) { return run.at("system") { run.add(.url, "the system of an identifier must be absolute") } }
        guard system == "urn:ietf:rfc:3986", let value = identifier.text(of: "value") else { return }
        if !Self.isAbsolute(value) {
            return run.at("value") { run.add(.url, "an identifier of the system urn:ietf:rfc:3986 must be an absolute URI") }
        }
        if value.hasPrefix("urn:uuid:"), !Self.isUUID(value.dropFirst(9)) {
            run.at("value") { run.add(.url, "after urn:uuid: must follow a UUID") }
        }
        if value.hasPrefix("urn:oid:"), !Self.isOID(value.dropFirst(8)) {
            run.at("value") { run.add(.url, "after urn:oid: must follow an OID") }
        }
    }
}

/// Rules for codings: a system that is one, and codes that it has.
struct CodingRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ coding: FHIRObject) {
        guard let system = coding.text(of: "system") else { return }
        if !URLRules.isAbsolute(system) {
            return run.at("system") { run.add(.url, "the system of a coding must be absolute") }
        }
        if system.hasPrefix("http://hl7.org/fhir/ValueSet/") || run.knowledge.isValueSetAlone(system) {
            return run.at("system") { run.add(.code, "the system of a coding is a code system, and this is a value set") }
        }
        checkExistence(coding, system)
    }

    private func checkExistence(_ coding: FHIRObject, _ system: String) {
        guard let code = coding.text(of: "code") else { return }
        let question = CodeQuestion(system: system, version: coding.text(of: "version"), code: code, display: coding.text(of: "display"))
        let (existence, display) = run.answer(to: question)
        if existence == .notMember {
            run.at("code") { run.add(.code, "the code system \(system) has no such code") }
        } else if display == .notMember {
            run.at("display") { run.add(.display, "the code system \(system) has another display for the code") }
        }
    }

    /// A quantity in UCUM has a unit of UCUM.
    func check(quantity: FHIRObject) {
        guard let system = quantity.text(of: "system") else { return }
        if !URLRules.isAbsolute(system) {
            return run.at("system") { run.add(.url, "the system of a unit must be absolute") }
        }
        guard system == "http://unitsofmeasure.org", let code = quantity.text(of: "code") else { return }
        if !run.knowledge.isUnit(code) {
            run.at("code") { run.add(.unit, "the unit is not known in UCUM", .warning) }
        }
    }
}

/// Rules for references beyond their notation (FHIR, References).
struct ReferenceRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ reference: FHIRObject, _ place: Place) {
        if let stated = reference.text(of: "type") { checkStated(stated) }
        guard let text = reference.text(of: "reference") else { return }
        let parts = ReferenceParts(text)
        if let stated = reference.text(of: "type") {
            if parts.type.map({ $0 != stated && run.release.hasResourceType(named: $0) }) ?? false {
                run.at("type") { run.add(.referenceType, "states another type than the reference has") }
            } else if let target = run.references.target(of: reference)?.resource.resourceType, target != stated {
                run.at("type") { run.add(.referenceType, "states another type than the resource has that it leads to") }
            }
        }
        if parts.form == .other, !text.utf8.contains(UInt8(ascii: "?")), !URLRules.isAbsolute(text) {
            run.at("reference") { run.add(.reference, "is neither Type/id, nor a URL, nor #id of a contained resource") }
        }
        if text.hasPrefix("urn:uuid:"), !URLRules.isUUID(text.dropFirst(9).prefix { $0 != "#" }) {
            run.at("reference") { run.add(.reference, "after urn:uuid: should follow a UUID", .warning) }
        }
        checkTargetType(reference, place)
    }

    /// A stated type is one of the release; URLs name types of logical models.
    private func checkStated(_ stated: String) {
        guard !URLRules.isAbsolute(stated), run.release.layout(named: stated)?.isKind(of: "Resource") != true else { return }
        run.at("type") { run.add(.referenceType, "states a type that FHIR \(run.release.name) does not have") }
    }

    /// The type of a resource in the same Bundle, which the reference itself does not tell.
    private func checkTargetType(_ reference: FHIRObject, _ place: Place) {
        guard let target = run.references.target(of: reference), target.entry != nil, let parent = place.parent,
            let name = place.element, let element = element(name, in: parent.object), !element.targets.isEmpty,
            !element.targets.contains(target.resource.resourceType)
        else { return }
        run.add(.referenceType, "may refer to \(element.targets.joined(separator: ", ")), refers to \(target.resource.resourceType)")
    }

    private func element(_ name: String, in object: FHIRObject) -> LayoutElement? {
        if name.hasSuffix("[x]") { return object.layout.element(named: name.dropLast(3) + "Reference") }
        return object.layout.element(named: name)
    }
}

/// Rules for contained resources and ids (FHIR, References, Contained Resources).
struct ContainedRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ resource: FHIRResource) {
        var ids: Set<String> = []
        for (index, contained) in resource.containedResources.enumerated() {
            run.at("contained", index) {
                guard let id = contained.id else { return run.add(.contained, "a contained resource needs an id") }
                if !ids.insert(id).inserted { run.add(.contained, "another contained resource has the same id") }
                if id.hasPrefix("#") { run.add(.contained, "the id of a contained resource has no #") }
            }
        }
        // The ids of a StructureDefinition's elements are unique within each of its lists.
        if !resource.isContained, resource.resourceType != "StructureDefinition" { checkElementIDs(of: resource) }
    }

    /// Ids of elements are unique within a resource.
    private func checkElementIDs(of resource: FHIRResource) {
        var seen: Set<String> = []
        var repeated = false
        func visit(_ object: FHIRObject) {
            for slot in object.slotRun {
                slot.value.forEachChild { child in
                    guard !child.layout.isResource else { return }
                    // The id is in the first slot of every class.
                    if child.slotRun.first?.index == 0, let id = child.text(of: "id"), !seen.insert(id).inserted { repeated = true }
                    visit(child)
                }
            }
        }
        visit(resource)
        if repeated { run.add(.duplicateID, "two elements have the same id") }
    }
}

/// Rules for observations.
struct ObservationRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ resource: FHIRResource) {
        for coding in resource.child("code")?.children("coding") ?? [] {
            guard let system = coding.text(of: "system"), let code = coding.text(of: "code") else { continue }
            if let id = BuiltInDefinitions.vitalSign(code, system: system) {
                do {
                    // Releases whose profiles do not come with the library are checked by those that a resource names.
                    guard let structure = try run.knowledge.structure(Canonical(url: Knowledge.base + id)) else { continue }
                    if !run.hasValidated(resource, against: structure) { run.validate(resource, against: structure) }
                } catch {
                    run.report(error)
                }
            }
        }
        guard run.options.bestPractice else { return }
        for name in ["subject", "performer"] where resource.children(name).isEmpty {
            run.add(.mustSupport, "observations should have a \(name)", .warning)
        }
        if resource.choice("effective") == nil { run.add(.mustSupport, "observations should say when they apply", .warning) }
    }
}
