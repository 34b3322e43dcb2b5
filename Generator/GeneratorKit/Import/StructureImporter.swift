/// Imports types from StructureDefinitions of any release.
struct StructureImporter {
    /// A StructureDefinition that defines a type.
    struct Structure {
        var resource: DefinitionResource
        var name: String
        var kind: TypeDefinition.Kind
        var base: String?
        /// `snapshot.element` without the root.
        var elements: [JSONNode]
    }

    private let structures: [Structure]
    /// Names of the top-level elements each type has of its own, by type.
    private let byName: [String: Structure]

    init(_ structures: [Structure]) {
        self.structures = structures
        byName = Dictionary(structures.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: - Choosing

    /// The definitions of types among all StructureDefinitions: no profiles, extensions or logical models.
    static func selectTypes(_ resources: [DefinitionResource]) throws -> [Structure] {
        var seen: Set<String> = []
        return try resources.compactMap { try structure($0) }.filter { seen.insert($0.name).inserted }
    }

    private static func structure(_ resource: DefinitionResource) throws -> Structure? {
        let node = resource.node
        let url = try resource.word("url", of: node, "StructureDefinition")
        let kindText = try resource.text("kind", of: node, "StructureDefinition")
        let name = lastComponent(of: url)
        guard let kind = try kind(kindText, name: name, resource), node["derivation"]?.string != "constraint" else {
            return nil
        }
        // DSTU2 marks a profile by the type it constrains, and some primitives (code, id, ...) as well.
        if node["constrainedType"] != nil, kind != .primitive { return nil }
        guard Identifier.isTypeName(name) else {
            throw GeneratorError("`\(name)` is no name for a type", at: resource.location(of: node["url"] ?? node))
        }
        let elements = node["snapshot"]?.list("element") ?? []
        if elements.isEmpty, kind != .primitive {
            throw GeneratorError("StructureDefinition `\(name)` without a snapshot", at: resource.location(of: node))
        }
        let base = (node["baseDefinition"] ?? node["base"])?.string.map(lastComponent)
        return Structure(
            resource: resource, name: name, kind: kind, base: base, elements: Array(elements.dropFirst()))
    }

    /// - Returns: `nil` for a logical model.
    private static func kind(_ text: String, name: String, _ resource: DefinitionResource) throws -> TypeDefinition.Kind? {
        switch text {
        case "primitive-type": return .primitive
        case "complex-type": return .datatype
        case "resource": return .resource
        case "logical": return nil
        // DSTU2 has one kind for primitives and datatypes; primitives have lower-case names.
        case "datatype": return name.first?.isLowercase == true ? .primitive : .datatype
        default:
            let kind = resource.node["kind"] ?? resource.node
            throw GeneratorError("unknown kind `\(text)` of a StructureDefinition", at: resource.location(of: kind))
        }
    }

    /// The name at the end of a canonical URL, without version.
    static func lastComponent(of url: String) -> String {
        let unversioned = url.prefix { $0 != "|" }
        return String(unversioned.split(separator: "/").last ?? unversioned)
    }

    // MARK: - Importing

    func importTypes() throws -> [TypeDefinition] {
        try structures.map { structure in
            let node = structure.resource.node
            var type = TypeDefinition(
                name: structure.name, kind: structure.kind, isAbstract: node["abstract"]?.bool ?? false,
                base: structure.base, url: node["url"]?.string ?? "", location: structure.resource.location(of: node))
            if structure.kind == .primitive { return type }
            let importer = ElementImporter(structure, inherited: inheritedNames)
            (type.elements, type.backbones) = try importer.importElements()
            return type
        }
    }

    /// Names of all top-level elements a type has, those of its bases included.
    private func inheritedNames(_ name: String?) -> Set<String> {
        guard let name, let structure = byName[name] else { return [] }
        let prefix = structure.name + "."
        return Set(
            structure.elements.compactMap { $0["path"]?.string }
                .filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(".") }
                .map { String($0.dropFirst(prefix.count)) })
    }
}
