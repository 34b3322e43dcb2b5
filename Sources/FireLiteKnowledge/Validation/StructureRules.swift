import FireLiteCore
import FireLiteFHIRPath

/// Rules for StructureDefinitions: a snapshot can be made, and what the elements say is possible (FHIR, StructureDefinition, ElementDefinition).
struct StructureRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ resource: FHIRResource) {
        guard let json = JSONItem.of(resource),
            let definition = try? Definition(FHIRJSON.data(resource), source: resource.text("url") ?? "")
        else {
            return
        }
        checkType(resource)
        checkSnapshot(of: definition)
        for name in ["snapshot", "differential"] { checkElements(json[name]?["element"]?.items ?? [], name) }
    }

    private func checkType(_ resource: FHIRResource) {
        guard resource.text("derivation") == "constraint", let base = resource.text("baseDefinition"), let type = resource.text("type")
        else { return }
        if base == resource.text("url") {
            return run.at("baseDefinition") {
                run.add(.structureDefinition, "the profile derives from itself, so it cannot be used", .warning)
            }
        }
        guard let structure = try? run.knowledge.structure(Canonical(base)) else { return }
        if structure.type != type, type.split(separator: "/").last.map(String.init) != structure.type {
            run.at("type") { run.add(.structureDefinition, "a profile is about the type of its base, \(structure.type)") }
        }
    }

    private func checkSnapshot(of definition: Definition) {
        do {
            let generator = SnapshotGenerator(run.knowledge)
            let structure = try generator.structure(of: definition, usesSnapshot: false)
            let base = try structure.base.flatMap { try run.knowledge.structure(Canonical($0)) }
            checkSlicing(structure.root, structure)
            if let base, structure.isConstraint { compare(structure.root, base.root) }
        } catch let error as KnowledgeError {
            switch error.code {
            case .missing: run.add(.missingDefinition, error.message, .warning, undecided: .outside)
            default: run.add(.structureDefinition, "no snapshot can be made: \(error.message)")
            }
        } catch {
            run.add(.structureDefinition, "no snapshot can be made")
        }
    }

    // MARK: - Snapshot

    private func checkSlicing(_ node: StructureNode, _ structure: Structure) {
        for discriminator in node.rule.slicing?.discriminators ?? [] {
            guard discriminator.type != "position" else { continue }
            let walk = ProfileWalk(run, structure)
            if Discrimination(walk, nil).isUnknown(discriminator.path, at: node) {
                run.add(
                    .discriminator, "the slicing of \(node.rule.id) has a discriminator whose path does not exist there",
                    element: node.rule.id)
            }
        }
        for child in node.children + node.slices { checkSlicing(child, structure) }
    }

    /// A profile may only narrow.
    private func compare(_ node: StructureNode, _ base: StructureNode) {
        let id = node.rule.id
        if let min = node.rule.min, let old = base.rule.min, min < old {
            run.add(.structureDefinition, "\(id) has a minimum below that of its base", element: id)
        }
        if let old = base.rule.limit {
            if node.rule.limit.map({ $0 > old }) ?? true {
                run.add(.structureDefinition, "\(id) has a maximum above that of its base", element: id)
            }
        }
        if let min = node.rule.min, let max = node.rule.limit, min > max {
            run.add(.structureDefinition, "\(id) has a minimum above its maximum", element: id)
        }
        compareTypes(node, base)
        for child in node.children { if let old = base.child(named: child.rule.name) { compare(child, old) } }
        for slice in node.slices {
            if let min = slice.rule.min, let max = slice.rule.limit, min > max {
                run.add(.structureDefinition, "\(slice.rule.id) has a minimum above its maximum", element: slice.rule.id)
            }
        }
    }

    /// A profile leaves some of the types of its base.
    private func compareTypes(_ node: StructureNode, _ base: StructureNode) {
        guard let types = node.rule.types, let old = base.rule.types, !old.isEmpty, base.rule.path.contains("."),
            // Ids and the values of primitives are given types of several kinds.
            !["id", "url", "value", "div"].contains(node.rule.name)
        else { return }
        for type in types where !old.contains(where: { allows($0.code, type.code) }) {
            run.add(
                .structureDefinition, "\(node.rule.id) has the type \(type.code), which its base does not allow", element: node.rule.id)
        }
        for value in [node.rule.fixed, node.rule.pattern].compactMap({ $0 }) where !types.contains(where: { fits(value, $0) }) {
            run.add(
                .structureDefinition, "\(node.rule.id) has a value of the type \(value.type), and the element is of another type",
                element: node.rule.id)
        }
    }

    private func allows(_ base: String, _ type: String) -> Bool {
        if base == type || ["Resource", "Element", "BackboneElement", "Any", "*"].contains(base) || type.contains("/") { return true }
        guard base.first?.isUppercase ?? false, type.first?.isUppercase ?? false else { return false }
        return run.release.layout(named: type)?.isKind(of: base) ?? (type == "SimpleQuantity" || type == "MoneyQuantity")
    }

    // MARK: - Elements

    private func checkElements(_ elements: [JSONItem], _ name: String) {
        var ids: Set<String> = []
        run.at(name) {
            for (index, element) in elements.enumerated() {
                guard run.mayContinue() else { return }
                run.at("element", index) {
                    let rule = ElementRule(element)
                    if !rule.id.isEmpty, !ids.insert(rule.id).inserted {
                        run.add(.structureDefinition, "another element has the same id")
                    }
                    checkID(rule)
                    checkConstraints(rule)
                    checkValues(rule)
                    checkTypes(rule)
                }
            }
        }
    }

    /// The id has the names of the path, each perhaps with that of a slice (FHIR, ElementDefinition, id).
    private func checkID(_ rule: ElementRule) {
        guard !rule.id.isEmpty, rule.id.contains(".") else { return }
        let names = rule.id.split(separator: ".").map { $0.prefix { $0 != ":" } }
        let path = rule.path.split(separator: ".")
        let isSame =
            names.count == path.count && zip(names, path).allSatisfy { $0 == $1 || $0.hasSuffix("[x]") && $1.hasPrefix($0.dropLast(3)) }
        if !isSame { run.add(.structureDefinition, "the id of the element is not that of its path", .warning) }
    }

    /// Names of types that definitions have besides the types of a release.
    private static let otherTypes: Set<String> = [
        "SimpleQuantity", "MoneyQuantity", "String", "Boolean", "Date", "DateTime", "Decimal", "Integer", "Time", "Base",
        "CanonicalResource",
        "MetadataResource", "BackboneType", "DataType", "PrimitiveType", "xhtml",
    ]

    private func checkTypes(_ rule: ElementRule) {
        for type in rule.types ?? [] where !type.code.isEmpty && !type.code.contains("/") && !Self.otherTypes.contains(type.code) {
            if run.release.layout(named: type.code) == nil, PrimitiveType(name: type.code) == nil {
                run.add(.structureDefinition, "FHIR \(run.release.name) has no type \(type.code)")
            }
        }
    }

    private func checkConstraints(_ rule: ElementRule) {
        for (index, constraint) in rule.constraints.enumerated() {
            guard let expression = constraint.expression else { continue }
            do {
                _ = try FHIRPath(expression, options: .definitions)
            } catch {
                run.at("constraint", index) {
                    run.add(.structureDefinition, "the expression of \(constraint.key) is not FHIRPath: \(error)")
                }
            }
        }
    }

    /// Fixed values and patterns are of a type of the element.
    private func checkValues(_ rule: ElementRule) {
        guard let types = rule.types, !types.isEmpty else { return }
        for value in [rule.fixed, rule.pattern].compactMap({ $0 }) where !types.contains(where: { fits(value, $0) }) {
            run.add(.structureDefinition, "a value of the type \(value.type) is given for an element of another type")
        }
    }

    private func fits(_ value: ElementRule.Value, _ type: ElementRule.TypeRule) -> Bool {
        type.code.lowercased() == value.type.lowercased() || type.code == "String"
            || type.code == "SimpleQuantity" && value.type == "Quantity"
            || run.release.layout(named: type.code)?.isKind(of: value.type) ?? false
    }
}

/// Rules for MeasureReports by their Measures (FHIR, MeasureReport).
struct MeasureRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ resource: FHIRResource) {
        guard resource.resourceType == "MeasureReport", let url = resource.text("measure") else { return }
        guard let definition = run.knowledge.definition(Canonical(url), type: "Measure"), let measure = run.outside(definition) else {
            return run.at("measure") {
                run.add(
                    .missingDefinition, "the Measure is not known, so the report is not checked by it: add it", .warning,
                    undecided: .outside)
            }
        }
        let codes = Set(measure.children("group").flatMap { Self.codes(of: $0) })
        let wanted = measure.children("group")
        let scoring = measure.child("scoring")?.children("coding").first?.text("code")
        let found = resource.children("group")
        if found.count > wanted.count { run.add(.measure, "the report has more groups than the Measure") }
        run.forEach("group", of: resource) { group, _ in
            let own = Self.codes(of: group)
            if own.isEmpty, wanted.count > 1 { run.add(.measure, "a group needs the code of a group of the Measure") }
            if !own.isEmpty, !codes.isEmpty, codes.isDisjoint(with: own) {
                run.at("code") { run.add(.measure, "the Measure has no group with this code") }
            }
            if scoring == "cohort", group.child("measureScore") != nil || !group.values(named: "measureScore[x]").isEmpty {
                run.at("measureScore") { run.add(.measure, "a cohort measure has no score") }
            }
        }
    }

    private static func codes(of group: FHIRObject) -> [String] {
        (group.child("code")?.children("coding") ?? []).map { "\($0.text("system") ?? "")|\($0.text("code") ?? "")" }
    }
}
