import FireLiteCore
import FireLiteR4
import Foundation

/// A check of one view: creating, rewriting, listing issues.
struct GuideCheck {
    let name: String
    let url: String
    let type: String
    let make: (inout Maker) -> FHIRResource
    let rewrite: (FHIRResource) -> Void
    let issues: (FHIRResource) -> [FHIRIssue]
}

/// Makes random values that a profile allows; the code of `Made.swift` creates views of them.
struct Maker {
    let guides: Guides
    private var state: UInt64
    private var links = 0
    var depth = 0

    init(_ guides: Guides, seed: UInt64) { (self.guides, state) = (guides, seed &* 0x9E37_79B9_7F4A_7C15 &+ 1) }

    private mutating func number(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }

    /// Whether an element that may be absent is set.
    mutating func wants(_ profile: String, _ element: String) -> Bool { depth < 6 && number(below: 100) < 40 }

    mutating func list<Value>(_ make: (inout Maker) -> Value) -> [Value] { (0...number(below: 2)).map { _ in make(&self) } }

    /// Which of several types a choice element has: one that a value set, if there is one, can be used with.
    mutating func choice(_ count: Int, _ types: [String], _ profile: String, _ element: String) -> Int {
        // Vital signs of a period break the constraint vs-1 as it is written: a period is no dateTime with a text.
        if let dateTime = types.firstIndex(of: "FHIRDateTime"), guides.constraints(element, of: profile).contains("vs-1") {
            return dateTime
        }
        if let concept = types.firstIndex(of: "CodeableConcept"), !guides.codes(element, of: profile).isEmpty { return concept }
        return number(below: count)
    }

    private mutating func code(_ profile: String, _ element: String) -> (system: String?, code: String)? {
        let codes = guides.codes(element, of: profile)
        return codes.isEmpty ? nil : codes[number(below: codes.count)]
    }

    // MARK: - Primitives

    mutating func value(_ type: String.Type, _ profile: String, _ element: String) -> String {
        if let code = code(profile, element) { return code.code }
        let name = element.split(separator: ".").last ?? ""
        if name == "linkId" {
            // No two in a questionnaire are the same.
            links += 1
            return "link \(links)"
        }
        if name == "reference" { return "\(guides.target(String(element.dropLast(10)), of: profile) ?? "Patient")/\(1 + number(below: 9))" }
        if element.hasSuffix("valueQuantity.code") || element.hasSuffix("value[x].code") {
            return profile.hasSuffix("temperature") ? "Cel" : profile.hasSuffix("weight") ? "kg" : "cm"
        }
        return ["questionnaire", "system", "url", "profile", "instantiatesUri", "fullUrl"].contains(name)
            ? "http://example.org/\(number(below: 9))" : "text \(number(below: 9))"
    }

    mutating func value(_ type: Bool.Type, _ profile: String, _ element: String) -> Bool { number(below: 2) == 0 }
    mutating func value(_ type: Int.Type, _ profile: String, _ element: String) -> Int { 1 + number(below: 9) }
    mutating func value(_ type: FHIRDecimal.Type, _ profile: String, _ element: String) -> FHIRDecimal {
        FHIRDecimal(1 + number(below: 99))
    }
    mutating func value(_ type: FHIRDate.Type, _ profile: String, _ element: String) -> FHIRDate { "2020-02-03" }
    mutating func value(_ type: FHIRDateTime.Type, _ profile: String, _ element: String) -> FHIRDateTime { "2020-02-03T04:05:06Z" }
    mutating func value(_ type: FHIRInstant.Type, _ profile: String, _ element: String) -> FHIRInstant { "2020-02-03T04:05:06Z" }
    mutating func value(_ type: FHIRTime.Type, _ profile: String, _ element: String) -> FHIRTime { "04:05:06" }

    mutating func value<Code: FHIRCode>(_ type: Code.Type, _ profile: String, _ element: String) -> Code {
        if let code = code(profile, element) { return Code(rawValue: code.code) }
        return Code.known[number(below: Code.known.count)]
    }

    // MARK: - Objects

    mutating func value<Object: FHIRObject>(_ type: Object.Type, _ profile: String, _ element: String) -> Object {
        let object = type.init()
        fill(object, profile, element)
        return object
    }

    private mutating func fill(_ object: FHIRObject, _ profile: String, _ element: String) {
        depth += 1
        defer { depth -= 1 }
        switch object {
        case let concept as CodeableConcept:
            concept.text = "text"
            let document = (system: Optional("http://loinc.org"), code: "34133-9")
            let hint = profile.hasSuffix("us-core-documentreference") && element.hasSuffix("type") ? document : nil
            if let code = hint ?? code(profile, element) {
                concept.coding = [
                    Coding {
                        $0.system = code.system; $0.code = code.code
                    }
                ]
            }
        case let coding as Coding:
            let found = code(profile, element)
            (coding.system, coding.code) = (found?.system ?? "http://example.org/codes", found?.code ?? "a")
        case let reference as Reference: reference.reference = "\(guides.target(element, of: profile) ?? "Patient")/\(1 + number(below: 9))"
        case let name as HumanName: (name.family, name.given) = ("Ames", ["Ada"])
        case let identifier as Identifier: (identifier.system, identifier.value) = ("http://example.org/ids", "\(number(below: 999))")
        case let quantity as Quantity:
            quantity.value = FHIRDecimal(1 + number(below: 99))
            let unit = quantity is Age ? "a" : "kg"
            (quantity.unit, quantity.system, quantity.code) = (unit, "http://unitsofmeasure.org", unit)
        case let period as Period: period.start = "2020-02-03"
        case let range as Range: range.low = value(Quantity.self, profile, element + ".low")
        case let ratio as Ratio:
            (ratio.numerator, ratio.denominator) = (value(Quantity.self, profile, ""), value(Quantity.self, profile, ""))
        case let attachment as Attachment: (attachment.contentType, attachment.url) = ("text/plain", "http://example.org/a")
        case let part as Extension:
            // The slice's own URL is set when the extension becomes one of the slice.
            part.valueString = "text"
        case let answer as QuestionnaireResponseItemAnswer: answer.valueString = "text"
        case let annotation as Annotation: annotation.text = "text"
        case let contact as ContactPoint: (contact.system, contact.value) = (.phone, "1")
        case let address as Address: address.city = "Here"
        case let dosage as Dosage: dosage.text = "text"
        case let timing as Timing: timing.event = ["2020-02-03"]
        case let narrative as Narrative:
            (narrative.status, narrative.div) = (.generated, "<div xmlns=\"http://www.w3.org/1999/xhtml\">text</div>")
        case let meta as Meta: meta.lastUpdated = "2020-02-03T04:05:06Z"
        default: fillRequired(object, profile, element)
        }
    }

    /// Sets what the class or the profile requires, and something at all events.
    private mutating func fillRequired(_ object: FHIRObject, _ profile: String, _ element: String) {
        let layout = object.layout
        for part in layout.elements {
            let name = part.choice?.name ?? part.name
            if let choice = part.choice, choice.slots.lowerBound != part.slot { continue }
            let minimum = guides.minimum("\(element).\(name)", of: profile) ?? part.choice?.min ?? part.min
            if minimum > 0, !has(part, object) { set(part, of: object, profile, "\(element).\(name)") }
        }
        guard object.isEmpty, !layout.isResource else { return }
        for part in layout.elements where part.kind == .primitive && part.primitive == .string && part.name != "id" {
            return set(part, of: object, profile, "\(element).\(part.name)")
        }
        for part in layout.elements where part.typeName == "CodeableConcept" || part.typeName == "Reference" {
            return set(part, of: object, profile, "\(element).\(part.name)")
        }
    }

    private func has(_ part: LayoutElement, _ object: FHIRObject) -> Bool {
        let json = (try? JSONSerialization.jsonObject(with: FHIRJSON.data(object))) as? [String: Any] ?? [:]
        let names = part.choice.map { object.layout.elements[$0.slots].map(\.name) } ?? [part.name]
        return names.contains { json[$0] != nil }
    }

    private mutating func set(_ part: LayoutElement, of object: FHIRObject, _ profile: String, _ element: String) {
        if let primitive = part.primitive {
            let literal = literal(primitive, part, profile, element)
            if part.isList { return object._setStrings(part.slot, [literal]) }
            switch primitive {
            case .boolean: object._setBool(part.slot, literal == "true")
            case .integer, .positiveInt, .unsignedInt, .integer64: object._setInt(part.slot, Int(literal))
            case .decimal: object._setDecimal(part.slot, FHIRDecimal(literal))
            case .date: object._setDate(part.slot, FHIRDate(literal))
            case .dateTime: object._setDateTime(part.slot, FHIRDateTime(literal))
            case .instant: object._setInstant(part.slot, FHIRInstant(literal))
            case .time: object._setTime(part.slot, FHIRTime(literal))
            default: object._setString(part.slot, literal)
            }
            // The first that the class's own binding knows.
            for candidate in Self.candidates where primitive == .code && object.validate().contains(where: { isUnknown($0, part) }) {
                object._setString(part.slot, candidate)
            }
        } else if let child = part.type?.init(), depth < 8 {
            fill(child, profile, element)
            if part.isList { object._setObjects(part.slot, [child]) } else { object._setObject(part.slot, child) }
        }
    }

    private static let candidates = [
        "active", "final", "completed", "finished", "generated", "planned", "in-progress", "order", "proposal", "document", "current",
        "official",
        "available", "confirmed", "allergy", "low", "phone", "usual", "home", "male", "en", "searchset", "entered-in-error",
    ]

    private func isUnknown(_ issue: FHIRIssue, _ part: LayoutElement) -> Bool {
        issue.code == .unknownCode && issue.path.hasSuffix(".\(part.name)")
    }

    private mutating func literal(_ type: PrimitiveType, _ part: LayoutElement, _ profile: String, _ element: String) -> String {
        switch type {
        case .boolean: "true"
        case .integer, .positiveInt, .unsignedInt, .integer64, .decimal: "1"
        case .date: "2020-02-03"
        case .dateTime, .instant: "2020-02-03T04:05:06Z"
        case .time: "04:05:06"
        case .uri, .url, .canonical: "http://example.org/a"
        case .code:
            code(profile, element)?.code ?? "a"
        default: "text"
        }
    }

    /// Fills a part of a document of which no profile says more.
    mutating func complete(part object: FHIRObject, _ profile: String, _ element: String) {
        depth += 1
        defer { depth -= 1 }
        complete(object, profile, element)
    }

    // MARK: - Constraints

    /// Adds what only a profile's constraints ask for.
    mutating func complete(_ object: FHIRObject, _ profile: String, _ element: String) {
        if object.layout.isResource { fillRequired(object, profile, element) }
        switch object {
        case let observation as Observation:
            if profile.contains("/uv/ips/"), profile.contains("results"), observation.value == nil {
                observation.value = .codeableConcept(CodeableConcept { $0.text = "text" })
            }
            if profile.contains("results-radiology"), observation.component.isEmpty { observation.value = .string("text") }
            if profile.hasSuffix("smokingstatus") {
                observation.value = .codeableConcept(CodeableConcept(.snomed("266919005")))
            }
            let hasPart = observation.value != nil || !observation.component.isEmpty || !observation.hasMember.isEmpty
            if !hasPart, observation.dataAbsentReason == nil { observation.dataAbsentReason = absent() }
        case let component as ObservationComponent:
            if component.value == nil, component.dataAbsentReason == nil { component.dataAbsentReason = absent() }
        case let allergy as AllergyIntolerance:
            allergy.verificationStatus = nil
            allergy.clinicalStatus = CodeableConcept(
                Coding {
                    $0.system = "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical"; $0.code = "active"
                })
        case let coverage as Coverage: if coverage.subscriberId == nil { coverage.subscriberId = "1" }
        case let report as DiagnosticReport:
            if report.effective == nil { report.effective = .dateTime("2020-02-03T04:05:06Z") }
            if report.issued == nil { report.issued = "2020-02-03T04:05:06Z" }
        case let request as MedicationRequest:
            if request.requester == nil { request.requester = Reference { $0.reference = "Practitioner/1" } }
        case let dispense as MedicationDispense: if dispense.whenHandedOver == nil { dispense.whenHandedOver = "2020-02-03T04:05:06Z" }
        case let consent as Consent: if consent.policyRule == nil { consent.policyRule = CodeableConcept { $0.text = "text" } }
        case let procedure as Procedure: if procedure.performed == nil { procedure.performed = .dateTime("2020-02-03T04:05:06Z") }
        case let person as RelatedPerson: if person.name.isEmpty { person.name = [HumanName { $0.family = "Ames" }] }
        case let context as DocumentReferenceContext: if context.isEmpty { context.period = value(Period.self, profile, element) }
        case let period as Period:
            if period.isEmpty || profile.contains("/uv/ips/") { (period.extension, period.start) = ([], "2020-02-03") }
        case let answer as QuestionnaireResponseItemAnswer: (answer.extension, answer.valueString) = ([], "text")
        case let bundle as FireLiteR4.Bundle: complete(document: bundle)
        // In a Bundle it refers to other entries.
        case let composition as Composition where depth == 1: complete(alone: composition)
        case let section as CompositionSection: if section.text == nil { section.text = value(Narrative.self, profile, element) }
        case let entry as BundleEntry: if entry.resource == nil { entry.resource = Location { $0.name = "text" } }
        default: break
        }
        // A part of which the profile asks for nothing is not left empty.
        if object.isEmpty, !object.layout.isResource { fillRequired(object, profile, element) }
    }

    private func absent() -> CodeableConcept {
        CodeableConcept(
            Coding {
                $0.system = "http://terminology.hl7.org/CodeSystem/data-absent-reason"; $0.code = "unknown"
            })
    }
}
