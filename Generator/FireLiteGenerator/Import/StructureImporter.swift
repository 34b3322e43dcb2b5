/// Imports types from StructureDefinitions of any release.
struct StructureImporter {
    /// A StructureDefinition that defines a type.
    struct Structure {
        var resource: DefinitionResource
        var name: String
        var kind: TypeDefinition.Kind
        var base: String?
        /// The first of `snapshot.element`, the type itself; a primitive may have none.
        var root: JSONNode?
        /// `snapshot.element` without the root.
        var elements: [JSONNode]
    }

    /// The StructureDefinitions of a package by kind.
    struct Selection {
        /// Those that define a type.
        var structures: [Structure] = []
        /// The number of profiles and extensions, which constrain a type.
        var profileCount = 0
        var logicalModelCount = 0

        /// A message about what was skipped; nil if nothing was.
        var note: String? {
            let counts = [(profileCount, "profile"), (logicalModelCount, "logical model")].filter { $0.0 > 0 }
            guard !counts.isEmpty else { return nil }
            return "skipped " + counts.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: " and ") + ", which define no type"
        }
    }

    private let structures: [Structure]
    /// Names of the top-level elements each type has of its own, by type.
    private let byName: [String: Structure]

    init(_ structures: [Structure]) {
        self.structures = structures
        byName = Dictionary(structures.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: - Choosing

    /// The definitions of types among all StructureDefinitions: no profiles or extensions, and of logical models only those asked for.
    ///
    /// - Parameter logicalModels: `datatype` or `resource` by URL.
    static func selectTypes(_ resources: [DefinitionResource], logicalModels: [String: SettingText] = [:]) throws -> Selection {
        var seen: Set<String> = []
        var selection = Selection()
        var models = logicalModels
        // Models come last, since they cannot have the name of a type.
        let isModel = { (resource: DefinitionResource) in logicalModels[resource.node["url"]?.string ?? ""] != nil }
        for resource in resources.filter({ !isModel($0) }) {
            if let structure = try structure(resource, &selection), seen.insert(structure.name).inserted {
                selection.structures.append(structure)
            }
        }
        for resource in resources.filter(isModel) {
            guard let setting = models.removeValue(forKey: resource.node["url"]?.string ?? "") else { continue }
            let structure = try LogicalModelImporter.structure(resource, as: setting, known: Set(selection.structures.map(\.name)))
            guard seen.insert(structure.name).inserted else {
                throw GeneratorError("a type `\(structure.name)` is there already", at: resource.location(of: resource.node))
            }
            selection.structures.append(structure)
        }
        if let missing = models.min(by: { $0.key < $1.key }) {
            throw GeneratorError("no logical model `\(missing.key)` in the definitions", at: missing.value.location)
        }
        return selection
    }

    private static func structure(_ resource: DefinitionResource, _ selection: inout Selection) throws -> Structure? {
        let node = resource.node
        let url = try resource.word("url", of: node, "StructureDefinition")
        let kindText = try resource.text("kind", of: node, "StructureDefinition")
        let name = lastComponent(of: url)
        guard let kind = try kind(kindText, name: name, resource) else {
            selection.logicalModelCount += 1
            return nil
        }
        // DSTU2 marks a profile by the type it constrains, and some primitives (code, id, ...) as well.
        if node["derivation"]?.string == "constraint" || (node["constrainedType"] != nil && kind != .primitive) {
            selection.profileCount += 1
            return nil
        }
        guard Identifier.isTypeName(name) else {
            throw GeneratorError("`\(name)` is not a type name", at: resource.location(of: node["url"] ?? node))
        }
        let elements = node["snapshot"]?.list("element") ?? []
        if elements.isEmpty, kind != .primitive {
            throw GeneratorError("StructureDefinition `\(name)` without a snapshot", at: resource.location(of: node))
        }
        if kind != .primitive, let root = elements.first { try checkRoot(root, name, resource) }
        let baseNode = node["baseDefinition"] ?? node["base"]
        let base = baseNode?.string.map(lastComponent)
        if let base, let baseNode, !Identifier.isTypeName(base) {
            throw GeneratorError("`\(base)`, which `\(name)` derives from, is not a type name", at: resource.location(of: baseNode))
        }
        return Structure(
            resource: resource, name: name, kind: kind, base: base, root: elements.first, elements: Array(elements.dropFirst()))
    }

    /// The first element is the type itself.
    private static func checkRoot(_ root: JSONNode, _ name: String, _ resource: DefinitionResource) throws {
        let path = try resource.text("path", of: root, "element")
        guard path == name else {
            throw GeneratorError(
                "the first element of `\(name)` should have the path `\(name)`, not `\(path)`", at: resource.location(of: root))
        }
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
            if let root = structure.root {
                type.constraints = try ConstraintImporter.constraints(
                    of: root, in: structure.resource, without: constraintKeys(structure.base))
            }
            if structure.kind == .primitive { return type }
            let importer = ElementImporter(structure, inherited: inheritedNames, inheritedConstraints: constraintKeys)
            (type.elements, type.backbones) = try importer.importElements()
            return type
        }
    }

    /// Keys of the constraints that a type puts on its instances, those of its bases included.
    private func constraintKeys(_ name: String?) -> Set<String> {
        var keys: Set<String> = []
        var seen: Set<String> = []
        var current = name
        while let name = current, seen.insert(name).inserted, let structure = byName[name] {
            keys.formUnion(structure.root?.list("constraint").compactMap { $0["key"]?.string } ?? [])
            current = structure.base
        }
        return keys
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
