/// Narrows the classes of resources by profiles.
///
/// The runtime makes every object by the layout of its type, and rows do not say which profile a resource is of. So a profile can make
/// the one class of a type stricter, and cannot be a second class beside it. What is stored and how stays as it is: an
/// element that the profile prohibits or allows only once keeps its place and its list, since data that has more would otherwise be lost.
struct ProfileImporter {
    private let resources: [DefinitionResource]
    private let folder: String
    private var release: ReleaseDefinition

    /// - Returns: The narrowed release, and one note for each profile.
    /// - Throws: `GeneratorError` at the setting of a profile that no class can follow, or in its definition.
    static func apply(
        _ profiles: [SettingText], from folder: String, to release: ReleaseDefinition
    ) throws -> (release: ReleaseDefinition, notes: [String]) {
        var importer = ProfileImporter(resources: try DefinitionsFolder.read(folder), folder: folder, release: release)
        let notes = try profiles.map { try importer.apply($0) }
        try DefinitionValidator.validate(importer.release)
        return (importer.release.sorted(), notes)
    }

    private init(resources: [DefinitionResource], folder: String, release: ReleaseDefinition) {
        self.resources = resources
        self.folder = folder
        self.release = release
    }

    // MARK: - One profile

    private mutating func apply(_ profile: SettingText) throws -> String {
        let url = profile.text
        guard let resource = resources.first(where: { $0.type == "StructureDefinition" && $0.node["url"]?.string == url }) else {
            throw GeneratorError("no profile `\(url)` in \(folder)", at: profile.location)
        }
        let index = try typeIndex(of: resource, profile)
        let elements = resource.node["snapshot"]?.list("element") ?? []
        guard !elements.isEmpty else {
            throw GeneratorError("the profile `\(url)` has no snapshot", at: resource.location(of: resource.node))
        }
        var narrowing = ProfileNarrowing()
        var type = release.types[index]
        for node in elements {
            let path = try resource.text("path", of: node, "element")
            if path == type.name {
                type.constraints += try constraints(of: node, in: resource, beside: type.constraints, &narrowing)
                continue
            }
            if node["sliceName"] != nil { narrowing.omit("slices") }
            if node["sliceName"] != nil || node["id"]?.string?.contains(":") == true { continue }
            if isFixed(node) { narrowing.omit("fixed values and patterns") }
            try narrow(&type, path: path, node: node, resource: resource, narrowing: &narrowing)
        }
        type.profile = url
        release.types[index] = type
        return narrowing.note(on: type.name, by: url)
    }

    /// The type that a profile constrains.
    private func typeIndex(of resource: DefinitionResource, _ profile: SettingText) throws -> Int {
        let node = resource.node
        guard node["derivation"]?.string == "constraint" || node["constrainedType"] != nil else {
            throw GeneratorError("`\(profile.text)` is not a profile, which constrains a type", at: profile.location)
        }
        let name = StructureImporter.lastComponent(of: node["type"]?.string ?? node["constrainedType"]?.string ?? "")
        guard let index = release.types.firstIndex(where: { $0.name == name }) else {
            throw GeneratorError(
                "`\(profile.text)` constrains `\(name)`, which FHIR \(release.release) does not have", at: profile.location)
        }
        let type = release.types[index]
        guard type.kind == .resource, !type.isAbstract else {
            let what = name == "Extension" ? "an extension" : "a profile of `\(name)`"
            throw GeneratorError(
                "`\(profile.text)` is \(what): its class is that of other elements too, which the profile is not about",
                at: profile.location)
        }
        guard type.profile.isEmpty else {
            throw GeneratorError(
                "`\(name)` already follows `\(type.profile)`: there is one class for a type, since rows do not say the profile",
                at: profile.location)
        }
        return index
    }

    private func isFixed(_ node: JSONNode) -> Bool {
        guard case .object(let members) = node.content else { return false }
        return members.keys.contains { $0.hasPrefix("fixed") || $0.hasPrefix("pattern") }
    }

    // MARK: - One element

    private mutating func narrow(
        _ type: inout TypeDefinition, path: String, node: JSONNode, resource: DefinitionResource, narrowing: inout ProfileNarrowing
    ) throws {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        let owner = String(path[..<dot])
        let name = String(path[dot...].dropFirst())
        if owner == type.name, let index = type.elements.firstIndex(where: { $0.definedName == name }) {
            type.elements[index] = try narrowed(type.elements[index], path: path, node: node, resource: resource, narrowing: &narrowing)
        } else if let place = type.backbones.firstIndex(where: { $0.path == owner }),
            let index = type.backbones[place].elements.firstIndex(where: { $0.definedName == name })
        {
            type.backbones[place].elements[index] = try narrowed(
                type.backbones[place].elements[index], path: path, node: node, resource: resource, narrowing: &narrowing)
        } else if node["min"]?.integer ?? 0 > 0 || node["max"]?.string == "0" {
            narrowing.omit("cardinalities of elements that belong to other classes")
        }
    }

    private mutating func narrowed(
        _ element: ElementDefinition, path: String, node: JSONNode, resource: DefinitionResource, narrowing: inout ProfileNarrowing
    ) throws -> ElementDefinition {
        var element = element
        try narrowCardinality(of: &element, path, node: node, resource: resource, narrowing: &narrowing)
        narrowTypes(of: &element, node, &narrowing)
        try narrowBinding(of: &element, node, resource, &narrowing)
        element.constraints += try constraints(of: node, in: resource, beside: element.constraints, &narrowing)
        return element
    }

    private func narrowCardinality(
        of element: inout ElementDefinition, _ path: String, node: JSONNode, resource: DefinitionResource,
        narrowing: inout ProfileNarrowing
    ) throws {
        let base = element.cardinality
        let minimum = node["min"]?.integer ?? base.minimum
        let text = node["max"]?.string ?? base.maximum.map(String.init) ?? "*"
        let maximum = Int(text)
        guard text == "*" || maximum != nil, minimum >= base.minimum, (maximum ?? .max) <= (base.maximum ?? .max) else {
            throw GeneratorError(
                "`\(path)` is \(minimum)..\(text), which is not within the \(base) of its type", at: resource.location(of: node))
        }
        if maximum == 0 {
            narrowing.omit("prohibited elements")
            return
        }
        if minimum > base.minimum {
            element.cardinality.minimum = minimum
            narrowing.apply("minimums")
        }
        guard maximum != base.maximum, let maximum else { return }
        // One value at most would make the list a single value, in JSON and in the tables.
        if maximum == 1 { return narrowing.omit("lists of one") }
        element.cardinality.maximum = maximum
        narrowing.apply("maximums")
    }

    /// Takes the targets of references over, if they are known and fewer.
    private func narrowTypes(of element: inout ElementDefinition, _ node: JSONNode, _ narrowing: inout ProfileNarrowing) {
        guard case .named(var references) = element.types else { return }
        let types = node.list("type")
        let codes = Set(types.compactMap { $0["code"]?.string })
        if element.isChoice, references.contains(where: { !codes.contains($0.name) }) { narrowing.omit("choices of fewer types") }
        for index in references.indices {
            let profiles = types.filter { $0["code"]?.string == references[index].name }.flatMap { $0.list("targetProfile") }
            let names = profiles.compactMap { $0.string.flatMap(typeName) }
            guard !profiles.isEmpty, !names.contains("Resource") else { continue }
            let base = references[index].targets
            var targets: [String] = []
            for name in names where !targets.contains(name) { targets.append(name) }
            if Set(targets) == Set(base) { continue }
            guard names.count == profiles.count, base.isEmpty || Set(targets).isSubset(of: base) else {
                narrowing.omit("unknown targets of references")
                continue
            }
            references[index].targets = targets
            narrowing.apply("targets of references")
        }
        element.types = .named(references)
    }

    /// The type that a profile is of, or the type itself.
    private func typeName(of url: String) -> String? {
        let name = StructureImporter.lastComponent(of: url)
        if release.types.contains(where: { $0.name == name && $0.url == url }) { return name }
        let unversioned = String(url.prefix { $0 != "|" })
        let definition = resources.first { $0.type == "StructureDefinition" && $0.node["url"]?.string == unversioned }
        let type = definition?.node["type"]?.string.map(StructureImporter.lastComponent)
        return type.flatMap { type in release.types.contains { $0.name == type } ? type : nil }
    }

    /// Takes a required binding over whose codes are known.
    private mutating func narrowBinding(
        of element: inout ElementDefinition, _ node: JSONNode, _ resource: DefinitionResource, _ narrowing: inout ProfileNarrowing
    ) throws {
        guard let binding = try ElementImporter.binding(of: node, in: resource), binding.strength == .required, let url = binding.valueSet,
            element.binding?.strength != .required || element.binding?.valueSet != url
        else { return }
        var bound = element
        bound.binding = binding
        if !release.valueSets.contains(where: { $0.url == url }) {
            let probe = TypeDefinition(name: "", kind: .datatype, isAbstract: true, url: "", elements: [bound], location: element.location)
            guard let valueSet = try TerminologyImporter(resources).importValueSets(boundBy: [probe]).first, !valueSet.codes.isEmpty else {
                return narrowing.omit("bindings to codes that are not in the definitions")
            }
            release.valueSets.append(valueSet)
        }
        element = bound
        narrowing.apply("bindings")
    }

    private func constraints(
        of node: JSONNode, in resource: DefinitionResource, beside present: [ConstraintDefinition], _ narrowing: inout ProfileNarrowing
    ) throws -> [ConstraintDefinition] {
        let inherited = release.types.filter { $0.kind != .primitive }.flatMap(\.constraints).map(\.key)
        let found = try ConstraintImporter.constraints(of: node, in: resource, without: Set(present.map(\.key) + inherited))
        for _ in found { narrowing.apply("constraints") }
        return found
    }
}
