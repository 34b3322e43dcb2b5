/// Gives everything in a release its Swift name and every element its slots.
struct NamingPass {
    private let types: [String: TypeDefinition]
    /// Value sets that get a struct, by URL.
    private let valueSets: [String: ValueSetDefinition]
    /// Names of types that another derives from.
    private let bases: Set<String>
    private var names: TypeNames
    private var choices: ChoiceNames
    /// The variables that classes refer to inside of them.
    private let layoutNames: Set<String>
    private let settings: Settings

    /// - Parameter settings: Names that are given; `SettingsChecker` tells whether they could be.
    /// - Precondition: `DefinitionValidator` found the release sound.
    static func name(_ release: ReleaseDefinition, settings: Settings = Settings()) -> NamedRelease {
        var pass = NamingPass(release, settings)
        let classTypes = release.types.filter { $0.kind != .primitive && !isEmptyRoot($0) }
        pass.nameChoices(of: classTypes)
        return NamedRelease(
            release: release.release, types: classTypes.map(pass.namedType), sharedChoices: pass.choices.shared,
            codes: pass.valueSets.values.map(pass.namedCodes).sorted { $0.name < $1.name },
            searchParameters: release.searchParameters)
    }

    private init(_ release: ReleaseDefinition, _ settings: Settings) {
        self.settings = settings
        types = Dictionary(release.types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let coded = Self.codedBindings(release).subtracting(settings.ignoredCodes.keys)
        let used = release.valueSets.filter { !$0.codes.isEmpty && coded.contains($0.url) }
        valueSets = Dictionary(used.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
        bases = Set(release.types.compactMap(\.base) + release.types.flatMap(\.backbones).map(\.base))
        names = TypeNames(release, codes: used, settings: settings)
        choices = ChoiceNames()
        layoutNames = Set(names.classes.values.map(NamedClass.layoutName(of:)))
    }

    /// R5's `Base`, which says no more than the runtime's own root.
    private static func isEmptyRoot(_ type: TypeDefinition) -> Bool {
        type.isAbstract && type.base == nil && type.elements.isEmpty
    }

    // MARK: - Codes

    /// FHIR types whose values are codes of a binding.
    private static let codedTypes: Set<String> = ["code", "Coding", "CodeableConcept", "CodeableReference"]

    /// Value sets that elements of those types are bound to, codes required.
    private static func codedBindings(_ release: ReleaseDefinition) -> Set<String> {
        let elements = release.types.flatMap { $0.elements + $0.backbones.flatMap(\.elements) }
        return Set(elements.compactMap(codedBinding))
    }

    private static func codedBinding(_ element: ElementDefinition) -> String? {
        guard let binding = element.binding, binding.strength == .required, case .named(let references) = element.types,
            references.contains(where: { codedTypes.contains($0.name) })
        else { return nil }
        return binding.valueSet
    }

    private func codesName(_ element: ElementDefinition) -> String? {
        Self.codedBinding(element).flatMap { names.codes[$0] }
    }

    private func namedCodes(_ valueSet: ValueSetDefinition) -> NamedCodes {
        var codes = NamedCodes(valueSet: valueSet, name: names.codes[valueSet.url] ?? valueSet.name, members: [])
        codes.isHandwritten = settings.handwritten[valueSet.url] != nil
        guard valueSet.codes.count <= NamedCodes.mostMembers else { return codes }
        var scope = NameScope(reserved: ReservedWords.cases)
        codes.members = valueSet.codes.map { code in
            NamedCodes.Member(name: scope.take(SwiftName.memberName(code: code), suffix: "_"), code: code)
        }
        return codes
    }

    // MARK: - Choices

    private mutating func nameChoices(of classTypes: [TypeDefinition]) {
        var uses: [ChoiceNames.Use] = []
        for type in classTypes {
            let owners = [(type.name, type.elements)] + type.backbones.map { ($0.path, $0.elements) }
            for (owner, elements) in owners {
                for element in elements where element.isChoice {
                    let name = (names.classes[owner] ?? owner) + SwiftName.capitalized(element.name)
                    uses.append(.init(path: owner + "." + element.definedName, name: name, cases: cases(of: element, owner)))
                }
            }
        }
        choices = ChoiceNames(uses, names: &names, settings: settings)
    }

    private func cases(of element: ElementDefinition, _ owner: String) -> [NamedChoice.Case] {
        var scope = NameScope(reserved: ReservedWords.cases)
        return values(of: element, owner).map { value in
            let name = scope.take(SwiftName.memberName(value.typeName), suffix: "_")
            return NamedChoice.Case(
                name: name, typeName: value.typeName, swiftType: value.swiftType, accessor: value.accessor)
        }
    }

    // MARK: - Classes

    /// The type another derives from, `nil` where that has no class.
    private func base(of type: TypeDefinition) -> TypeDefinition? {
        type.base.flatMap { types[$0] }.flatMap { Self.isEmptyRoot($0) ? nil : $0 }
    }

    private func namedType(_ type: TypeDefinition) -> NamedType {
        let base = base(of: type)
        let runtimeBase = type.kind == .resource ? "FHIRResource" : "FHIRObject"
        let ownElements = elements(of: type)
        let baseName = base.map { className($0.name) } ?? runtimeBase
        let own = NamedClass(
            path: type.name, name: className(type.name), kind: type.kind == .resource ? .resource : .datatype,
            isAbstract: type.isAbstract, isFinal: !bases.contains(type.name) && settings.types[type.name] == nil,
            baseName: baseName, superclassName: settings.bases[type.name]?.text ?? baseName,
            replacement: settings.types[type.name]?.text ?? "", isRoot: base == nil, url: type.url,
            elements: ownElements.elements, slotCount: ownElements.inheritance.slotCount, choices: choices.own(by: type.name))
        let backbones = type.backbones.map { backbone in
            let inherited = types[backbone.base].map { elements(of: $0).inheritance } ?? rootInheritance(forResource: false)
            let own = elements(backbone.elements, of: backbone.path, after: inherited)
            return NamedClass(
                path: backbone.path, name: className(backbone.path), kind: .backbone, isAbstract: false,
                isFinal: settings.types[backbone.path] == nil, baseName: className(backbone.base),
                superclassName: settings.bases[backbone.path]?.text ?? className(backbone.base),
                replacement: settings.types[backbone.path]?.text ?? "", isRoot: false, url: "",
                elements: own.elements, slotCount: own.inheritance.slotCount, choices: choices.own(by: backbone.path))
        }
        var named = NamedType(definition: type, classes: [own] + backbones)
        named.isHandwritten = settings.handwritten[type.name] != nil
        named.template = settings.classTemplates[type.name] ?? named.template
        named.ancestors = Array(ancestry(of: type).dropFirst())
        return named
    }

    private func className(_ path: String) -> String { names.classes[path] ?? path }

    /// The class of the objects in an element.
    private func instanceName(_ path: String) -> String { settings.types[path]?.text ?? className(path) }

    /// What a class passes on to those that derive from it.
    private struct Inheritance {
        var scope: NameScope
        var slotCount = 0
    }

    /// What the runtime's roots pass on.
    private func rootInheritance(forResource isResource: Bool) -> Inheritance {
        let members = ReservedWords.members.union(layoutNames)
        return Inheritance(scope: NameScope(reserved: isResource ? members.union(ReservedWords.resourceMembers) : members))
    }

    private func elements(of type: TypeDefinition) -> (elements: [NamedElement], inheritance: Inheritance) {
        let base = base(of: type)
        let inherited = base.map { elements(of: $0).inheritance } ?? rootInheritance(forResource: type.kind == .resource)
        var result = elements(type.elements, of: type.name, after: inherited)
        if base == nil, type.kind == .resource {
            for index in result.elements.indices where result.elements[index].definition.name == "id" {
                result.elements[index].isInherited = true
            }
        }
        return result
    }

    private func elements(
        _ definitions: [ElementDefinition], of owner: String, after inheritance: Inheritance
    ) -> (elements: [NamedElement], inheritance: Inheritance) {
        var inheritance = inheritance
        // FHIR's names first: what a choice's members are called is made up here.
        let propertyNames = definitions.map { definition in
            let given = Settings.value(settings.properties, path: owner + "." + definition.definedName)
            return inheritance.scope.take(given?.text ?? SwiftName.propertyName(definition.name), suffix: "_")
        }
        let elements = zip(definitions, propertyNames).map { definition, name in
            let path = owner + "." + definition.definedName
            var element = NamedElement(
                definition: definition, path: path, slot: inheritance.slotCount, members: [], choice: nil,
                codesName: codesName(definition), isInherited: false)
            element.members = values(of: definition, owner).enumerated().map { index, value in
                let jsonName = definition.name + SwiftName.capitalized(value.typeName)
                let memberName = Settings.value(settings.properties, path: owner + "." + jsonName)?.text ?? jsonName
                return NamedMember(
                    name: definition.isChoice ? inheritance.scope.take(memberName, suffix: "_") : name,
                    typeName: value.typeName, swiftType: value.swiftType, accessor: value.accessor,
                    slot: element.slot + index)
            }
            if definition.isChoice { element.choice = .init(name: name, enumName: choices.enumName(path) ?? "") }
            inheritance.slotCount += element.members.count
            return element
        }
        return (elements, inheritance)
    }

    // MARK: - Values

    /// What one type of an element is in Swift.
    private struct Value {
        var typeName: String
        var swiftType: String
        var accessor: Accessor
    }

    private func values(of element: ElementDefinition, _ owner: String) -> [Value] {
        switch element.types {
        case .backbone(let path), .content(let path):
            return [Value(typeName: path, swiftType: instanceName(path), accessor: .object)]
        case .named(let references):
            return references.map { value(of: $0.name, in: element, owner) }
        }
    }

    private func value(of typeName: String, in element: ElementDefinition, _ owner: String) -> Value {
        guard let type = types[typeName], type.kind == .primitive else {
            return Value(typeName: typeName, swiftType: instanceName(typeName), accessor: .object)
        }
        if let given = settings.types[owner + "." + element.definedName] {
            return Value(typeName: typeName, swiftType: given.text, accessor: .code)
        }
        if typeName == "code", let codes = codesName(element) {
            return Value(typeName: typeName, swiftType: codes, accessor: .code)
        }
        let accessor = Accessor.primitive(ancestry(of: type))
        if accessor == .string, let given = settings.types[typeName] {
            return Value(typeName: typeName, swiftType: given.text, accessor: .code)
        }
        return Value(typeName: typeName, swiftType: accessor.swiftType ?? "String", accessor: accessor)
    }

    private func ancestry(of type: TypeDefinition) -> [String] {
        var names = [type.name]
        var current = type
        while let base = current.base.flatMap({ types[$0] }) {
            names.append(base.name)
            current = base
        }
        return names
    }
}
