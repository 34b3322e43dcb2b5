/// Keys of an element.
enum ElementContext {
    static func context(_ element: NamedElement, _ descriptions: Descriptions) -> TemplateContext {
        let definition = element.definition
        return [
            "path": .text(element.path),
            "short": .text(descriptions[element.path]),
            "definedName": .text(definition.definedName),
            "cardinality": .text(definition.cardinality.description),
            "isList": .flag(definition.cardinality.isList),
            "isInherited": .flag(element.isInherited),
            "isModifier": .flag(definition.isModifier),
            "isSummary": .flag(definition.isSummary),
            "constraints": .list(definition.constraints.map { FactContext.constraint($0, element.path, descriptions) }),
            "types": .list(typeNames(definition.types).map { ["name": .text($0)] }),
            "content": .text(contentPath(definition.types)),
            "slot": .number(element.slot),
            "layoutLine": .text(layoutLine(element)),
            "codes": .text(element.codesName ?? ""),
            "valueSet": .text(definition.binding?.valueSet ?? ""),
            "strength": .text(definition.binding?.strength.rawValue ?? ""),
            "targets": .list(targets(definition.types).map { ["name": .text($0)] }),
            "isChoice": .flag(element.choice != nil),
            "choice": choice(element),
            "members": .list(element.members.map { member($0, of: element) }),
        ]
    }

    private static func choice(_ element: NamedElement) -> TemplateValue {
        guard let choice = element.choice else { return .flag(false) }
        return .context([
            "name": .text(SwiftName.escaped(choice.name)), "enum": .text(choice.enumName),
            "count": .number(element.members.count),
        ])
    }

    private static func member(_ member: NamedMember, of element: NamedElement) -> TemplateContext {
        let isList = element.definition.cardinality.isList
        // A property of type `Resource` has no one class that an upsert could create.
        let hasUpsert = member.accessor == .object && !isList && member.typeName != "Resource"
        return [
            "name": .text(SwiftName.escaped(member.name)),
            "typeName": .text(member.typeName),
            "label": .text(SwiftName.label(member.name)),
            "type": .text(isList ? "[\(member.swiftType)]" : "\(member.swiftType)?"),
            "slot": .number(member.slot),
            "hasUpsert": .flag(hasUpsert),
        ].merging(AccessorContext.context(member.accessor, isList: isList)) { own, _ in own }
    }

    // MARK: - Facts

    /// An element's line in the layout of its class: `name min..max type[|type…] [=Codes] [>Target,Target]`.
    static func layoutLine(_ element: NamedElement) -> String {
        let definition = element.definition
        var line = "\(definition.definedName) \(definition.cardinality) "
        line += element.members.map(\.typeName).joined(separator: "|")
        if let codes = element.codesName { line += " =\(codes)" }
        let targets = targets(definition.types)
        if !targets.isEmpty { line += " >\(targets.joined(separator: ","))" }
        return line
    }

    /// FHIR's names of the types; `BackboneElement` stands for what is defined in place.
    private static func typeNames(_ types: ElementTypes) -> [String] {
        switch types {
        case .named(let references): return references.map(\.name)
        case .backbone(let path), .content(let path): return [path]
        }
    }

    private static func contentPath(_ types: ElementTypes) -> String {
        if case .content(let path) = types { return path }
        return ""
    }

    /// The targets of references, or else of canonical URLs. Empty if any resource is allowed.
    private static func targets(_ types: ElementTypes) -> [String] {
        guard case .named(let references) = types else { return [] }
        let pointing = references.filter { ["Reference", "CodeableReference"].contains($0.name) }
        let chosen = pointing.isEmpty ? references : pointing
        return chosen.flatMap(\.targets)
    }
}
