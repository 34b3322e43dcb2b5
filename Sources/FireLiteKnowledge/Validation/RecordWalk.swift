import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// Where an object stands in a record: a chain up to the root.
final class Place {
    let object: FHIRObject
    let parent: Place?
    /// The element that it is a value of: `value[x]` for `valueQuantity`; nil for the root.
    let element: String?
    /// The type of a primitive whose id and extensions the object is; nil for others.
    let primitive: String?

    init(_ object: FHIRObject, in parent: Place? = nil, element: String? = nil, primitive: String? = nil) {
        (self.object, self.parent, self.element, self.primitive) = (object, parent, element, primitive)
    }

    /// Every name that definitions have for the element here: `Patient.name`, `HumanName`, `Element`.
    var names: [String] {
        var names: [String] = []
        var type: Layout? = object.layout
        if let primitive {
            names += [primitive, "Element"]
            type = nil
        }
        while let layout = type {
            names.append(layout.name)
            type = layout.base
        }
        if let parent, let element {
            let stem = element.hasSuffix("[x]") ? String(element.dropLast(3)) : nil
            for outer in parent.names where parent.parent == nil || outer != "Element" {
                names.append("\(outer).\(element)")
                if let stem { names.append("\(outer).\(stem)") }
            }
        }
        return names
    }
}

/// Walks through a record and applies the rules of FHIR that layouts and constraints do not state.
struct RecordWalk {
    let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    // MARK: - Resources

    func visit(_ resource: FHIRResource, _ place: Place) {
        guard run.mayContinue() else { return }
        if run.options.followsMetaProfiles { checkProfiles(of: resource) }
        ContainedRules(run).check(resource)
        switch resource.resourceType {
        case "Bundle": BundleRules(run).check(resource)
        case "Questionnaire": QuestionnaireRules(run).check(resource)
        case "QuestionnaireResponse": ResponseRules(run).check(resource)
        case "CodeSystem": CodeSystemRules(run).check(resource)
        case "ValueSet": ValueSetRules(run).check(resource)
        case "ConceptMap": ConceptMapRules(run).check(resource)
        case "StructureDefinition": StructureRules(run).check(resource)
        case "SearchParameter": SearchParameterRules(run).check(resource)
        case "Measure", "MeasureReport": MeasureRules(run).check(resource)
        case "Observation": ObservationRules(run).check(resource)
        default: break
        }
        if let url = resource.text("url"), resource.layout.element(named: "url")?.primitive == .uri, !URLRules.isAbsolute(url) {
            run.at("url") { run.add(.url, "a canonical URL must be absolute") }
        }
        NarrativeRules(run).check(resource)
        walk(resource, place, run.facts.plan(of: resource.layout))
    }

    private func checkProfiles(of resource: FHIRResource) {
        let profiles = resource.child("meta")?.texts("profile") ?? []
        for (index, profile) in profiles.enumerated() {
            let canonical = Canonical(profile)
            do {
                guard let structure = try run.knowledge.structure(canonical) else {
                    run.at("meta") {
                        run.at("profile", index) {
                            run.addUnknown(profile: profile)
                        }
                    }
                    continue
                }
                run.validate(resource, against: structure)
            } catch {
                run.report(error)
            }
        }
    }

    // MARK: - Objects

    private func walk(_ object: FHIRObject, _ place: Place, _ plan: WalkPlan) {
        guard run.mayContinue() else { return }
        for position in object.slotRun.indices {
            let slot = Int(object.slotRun[position].index)
            if plan.hasOpenSets, let valueSet = plan.slots[slot].open { checkCodes(object.values(at: slot..<slot + 1), of: valueSet) }
            switch object.slotRun[position].value {
            case .word: continue
            case .object(let child):
                walk(child, at: slot, plan.slots[slot].isList ? 0 : nil, of: plan, place)
            case .objects(let children):
                for (index, child) in children.enumerated() { walk(child, at: slot, index, of: plan, place) }
            case .text(let text):
                if isKept(plan.slots[slot].rule, by: text) { continue }
                for value in object.values(at: slot..<slot + 1) { walk(value, at: plan.slots[slot], of: object, place) }
            case .texts(let texts):
                if texts.allSatisfy({ isKept(plan.slots[slot].rule, by: $0) }) { continue }
                for value in object.values(at: slot..<slot + 1) { walk(value, at: plan.slots[slot], of: object, place) }
            case .annotated, .annotatedTexts:
                for value in object.values(at: slot..<slot + 1) { walk(value, at: plan.slots[slot], of: object, place) }
            }
        }
    }

    private func isKept(_ rule: WalkPlan.TextRule, by text: String) -> Bool {
        rule.isKept(by: text, refusesMarkup: run.options.refusesMarkup)
    }

    private func walk(_ child: FHIRObject, at slot: Int, _ index: Int?, of plan: WalkPlan, _ place: Place) {
        let name = plan.slots[slot].name
        run.at(name, index) {
            let inner = Place(child, in: place, element: plan.slots[slot].element)
            let own = run.facts.plan(of: child.layout)
            if own.isResource, let resource = child as? FHIRResource { return visit(resource, inner) }
            check(child, inner, own.rule)
            if let valueSet = plan.slots[slot].coded {
                checkBinding(of: ElementValue(item: .object(child), name: name, index: index, type: child.layout.name), to: valueSet)
            }
            walk(child, inner, own)
        }
    }

    /// Checks a primitive, and its id and extensions.
    private func walk(_ value: ElementValue, at slot: WalkPlan.Slot, of object: FHIRObject, _ place: Place) {
        run.at(value) {
            if let type = slot.primitive { PrimitiveRules(run).check(value, type, in: object) }
            guard let annotation = value.children else { return }
            walk(
                annotation, Place(annotation, in: place, element: slot.element, primitive: value.type),
                run.facts.plan(of: annotation.layout))
        }
    }

    /// The codes of a value set that the lists of a release do not have.
    private func checkCodes(_ values: [ElementValue], of valueSet: Canonical) {
        for value in values {
            switch BindingCheck.membership(of: value, in: valueSet, run) {
            case .member: continue
            case .notMember: run.at(value) { run.add(.code, "needs a code of \(valueSet), has a different one") }
            case .unknown: if value.text != nil { run.at(value) { addUnknown(valueSet) } }
            }
        }
    }

    /// The codes of a required binding, and of a maximum, are of its code systems, which the lists of a release do not say.
    private func checkBinding(of value: ElementValue, to valueSet: Canonical) {
        guard let coded = value.object, !CodeQuestion.all(in: coded).isEmpty else { return }
        switch BindingCheck.membership(of: value, in: valueSet, run) {
        case .member: return
        case .notMember: if !run.hasIssue(.code) { run.add(.code, "needs a code of \(valueSet), has a different one") }
        case .unknown: addUnknown(valueSet)
        }
    }

    /// A remark, as nothing that a package could add tells more about most of these codes.
    private func addUnknown(_ valueSet: Canonical) {
        run.add(.unknownValueSet, "whether the code is in \(valueSet) is not known here", .information, undecided: .code)
    }

    private func check(_ object: FHIRObject, _ place: Place, _ rule: WalkPlan.ObjectRule) {
        switch rule {
        case .none: return
        case .extensions: ExtensionRules(run).check(object, place)
        case .reference: ReferenceRules(run).check(object, place)
        case .attachment: AttachmentRules(run).check(object)
        case .coding: CodingRules(run).check(object)
        case .identifier: URLRules(run).check(identifier: object)
        case .quantity:
            CodingRules(run).check(quantity: object)
            if object.text(of: "comparator") != nil, let parent = place.parent, let element = place.element,
                SimpleQuantityRule.forbidsComparator(element, of: parent.object.layout)
            {
                run.at("comparator") { run.add(.constraint, "a SimpleQuantity has no comparator", key: "sqty-1") }
            }
        }
    }
}
