/// Imports the elements of one StructureDefinition.
struct ElementImporter {
    private let structure: StructureImporter.Structure
    private let inherited: (String?) -> Set<String>
    private let inheritedConstraints: (String?) -> Set<String>
    /// Elements by path, the first of each: later ones of a path are slices.
    private var nodes: [(path: String, node: JSONNode)] = []
    /// Paths that have elements below them.
    private var parents: Set<String> = []
    /// Paths by what a contentReference may call them.
    private var pathsByIdentifier: [String: String] = [:]

    private var resource: DefinitionResource { structure.resource }

    /// - Parameters:
    ///   - inherited: Names of the elements a type by name passes on.
    ///   - inheritedConstraints: Keys of the constraints every instance of a type by name is under.
    init(
        _ structure: StructureImporter.Structure, inherited: @escaping (String?) -> Set<String>,
        inheritedConstraints: @escaping (String?) -> Set<String>
    ) {
        self.structure = structure
        self.inherited = inherited
        self.inheritedConstraints = inheritedConstraints
    }

    func importElements() throws -> (elements: [ElementDefinition], backbones: [BackboneDefinition]) {
        var collected = self
        try collected.collect()
        let backbones = try collected.backbonePaths().map { path, node in
            let base = node.list("type").first?["code"]?.string ?? "BackboneElement"
            guard Identifier.isTypeName(base) else {
                throw GeneratorError("`\(base)`, the type of `\(path)`, is not a type name", at: resource.location(of: node))
            }
            let elements = try collected.children(of: path, without: inherited(base))
            return BackboneDefinition(path: path, base: base, elements: elements, location: resource.location(of: node))
        }
        return (try collected.children(of: structure.name, without: inherited(structure.base)), backbones)
    }

    // MARK: - Collecting

    private mutating func collect() throws {
        var seen: Set<String> = []
        // Those that are left out included.
        var known: Set<String> = [structure.name]
        for node in structure.elements {
            let path = try checkedPath(of: node)
            if let parent = parent(of: path), !known.contains(parent) {
                throw GeneratorError("element `\(path)` comes without an element `\(parent)` before it", at: resource.location(of: node))
            }
            known.insert(path)
            guard !isSlice(node), node["max"]?.string != "0", seen.insert(path).inserted else { continue }
            nodes.append((path, node))
            if let parent = parent(of: path) { parents.insert(parent) }
            for identifier in [path, node["id"]?.string, node["name"]?.string].compactMap({ $0 })
            where pathsByIdentifier[identifier] == nil {
                pathsByIdentifier[identifier] = path
            }
        }
    }

    /// The path of an element: the type's name, then names of elements, the last one with `[x]` for a choice.
    ///
    /// - Throws: `GeneratorError` for a path of another type's, and for a name that is no identifier.
    private func checkedPath(of node: JSONNode) throws -> String {
        let path = try resource.text("path", of: node, "element")
        guard path.hasPrefix(structure.name + ".") else {
            throw GeneratorError("element `\(path)` is none of `\(structure.name)`, which defines it", at: resource.location(of: node))
        }
        let names = path.dropFirst(structure.name.count + 1).split(separator: ".", omittingEmptySubsequences: false)
        for (index, name) in names.enumerated() {
            let isChoice = index == names.count - 1 && name.hasSuffix("[x]")
            guard Identifier.isElementName(isChoice ? name.dropLast(3) : name) else {
                throw GeneratorError("`\(name)` in the path `\(path)` is not an element name", at: resource.location(of: node))
            }
        }
        return path
    }

    /// Whether it describes some of a list's items only, or a part of those (`Task.input:first.value`).
    private func isSlice(_ node: JSONNode) -> Bool {
        node["sliceName"] != nil || node["id"]?.string?.contains(":") == true
    }

    /// Every path with elements below it, in definition order.
    private func backbonePaths() -> [(path: String, node: JSONNode)] {
        nodes.filter { parents.contains($0.path) }
    }

    private func parent(of path: String) -> String? {
        path.lastIndex(of: ".").map { String(path[..<$0]) }
    }

    private func children(of parentPath: String, without inherited: Set<String>) throws -> [ElementDefinition] {
        try nodes.filter { parent(of: $0.path) == parentPath }.compactMap { path, node in
            let name = String(path.dropFirst(parentPath.count + 1))
            return inherited.contains(name) ? nil : try element(named: name, path: path, node)
        }
    }

    // MARK: - One element

    private func element(named definedName: String, path: String, _ node: JSONNode) throws -> ElementDefinition {
        let isChoice = definedName.hasSuffix("[x]")
        let name = isChoice ? String(definedName.dropLast(3)) : definedName
        return ElementDefinition(
            name: name, isChoice: isChoice, cardinality: try cardinality(of: node, path),
            types: try types(of: node, path), binding: try Self.binding(of: node, in: resource),
            isModifier: node["isModifier"]?.bool ?? false,
            isSummary: node["isSummary"]?.bool ?? false, constraints: try constraints(of: node), location: resource.location(of: node))
    }

    /// Its own constraints: snapshots repeat at each element what its types demand anyway.
    private func constraints(of node: JSONNode) throws -> [ConstraintDefinition] {
        let types = ["Element", "Extension"] + node.list("type").compactMap { $0["code"]?.string }
        let known = types.reduce(into: Set<String>()) { $0.formUnion(inheritedConstraints($1)) }
        return try ConstraintImporter.constraints(of: node, in: resource, without: known)
    }

    private func cardinality(of node: JSONNode, _ path: String) throws -> Cardinality {
        let maximum = try resource.text("max", of: node, "element `\(path)`")
        guard let minimum = node["min"]?.integer, minimum >= 0, maximum == "*" || (Int(maximum) ?? 0) > 0 else {
            throw GeneratorError("element `\(path)` without a sound `min` and `max`", at: resource.location(of: node))
        }
        return Cardinality(minimum: minimum, maximum: Int(maximum))
    }

    private func types(of node: JSONNode, _ path: String) throws -> ElementTypes {
        if parents.contains(path) { return .backbone(path: path) }
        if let reference = node["contentReference"] ?? node["nameReference"] {
            // R5 puts the type's URL before the `#`.
            let identifier = (reference.string ?? "").split(separator: "#").last.map(String.init) ?? ""
            guard let target = pathsByIdentifier[identifier] else {
                throw GeneratorError("no element `\(identifier)` to take the content from", at: resource.location(of: reference))
            }
            return .content(path: target)
        }
        var references: [TypeReference] = []
        for type in node.list("type") {
            let name = try typeName(of: type, path)
            guard Identifier.isTypeName(name) else {
                throw GeneratorError("`\(name)`, a type of `\(path)`, is not a type name", at: resource.location(of: type))
            }
            let reference = TypeReference(name: name, targets: try targets(of: type, path))
            guard let index = references.firstIndex(where: { $0.name == reference.name }) else {
                references.append(reference)
                continue
            }
            // STU3 and DSTU2 repeat `Reference` for each target. One without a target allows any.
            if references[index].targets.isEmpty || reference.targets.isEmpty {
                references[index].targets = []
            } else {
                references[index].targets += reference.targets.filter { !references[index].targets.contains($0) }
            }
        }
        guard !references.isEmpty else {
            throw GeneratorError("element `\(path)` without a type", at: resource.location(of: node))
        }
        return .named(references)
    }

    private func typeName(of type: JSONNode, _ path: String) throws -> String {
        let code = try resource.text("code", of: type, "type of element `\(path)`")
        guard code.hasPrefix("http://hl7.org/fhirpath/") else { return code }
        // The ids of resources say `string` in R4, where the specification's own text and every other release say `id`.
        if structure.kind == .resource, path == structure.name + ".id" { return "id" }
        // The ids of elements say `id` in R4B, where its backbone elements and every other release since STU3 say `string`.
        if path == "Element.id" { return "string" }
        let extensionURL = "http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type"
        return type.extensionValue(extensionURL, "valueUrl", "valueUri") ?? "string"
    }

    private func targets(of type: JSONNode, _ path: String) throws -> [String] {
        var urls = type.list("targetProfile")
        // DSTU2 has the target in `profile`, where others have profiles of the type itself.
        if urls.isEmpty, type["code"]?.string == "Reference" { urls = type.list("profile") }
        let names = try urls.map { url in
            let name = StructureImporter.lastComponent(of: url.string ?? "")
            guard Identifier.isTypeName(name) else {
                throw GeneratorError("`\(name)`, a target of `\(path)`, is not a type name", at: resource.location(of: url))
            }
            return name
        }
        return names.contains("Resource") ? [] : names
    }

    /// The binding of an element.
    static func binding(of node: JSONNode, in resource: DefinitionResource) throws -> BindingDefinition? {
        guard let binding = node["binding"] else { return nil }
        let text = try resource.text("strength", of: binding, "binding")
        guard let strength = BindingDefinition.Strength(rawValue: text) else {
            throw GeneratorError("unknown binding strength `\(text)`", at: resource.location(of: binding))
        }
        let valueSet = binding["valueSet"] ?? binding["valueSetUri"] ?? binding["valueSetReference"]?["reference"]
        let name = [
            "http://hl7.org/fhir/StructureDefinition/elementdefinition-bindingName",
            "http://hl7.org/fhir/tools/StructureDefinition/binding-definition",
        ].lazy.compactMap { binding.extensionValue($0, "valueString", "valueCode") }.first
        let url = valueSet?.string.map { String($0.prefix { $0 != "|" }) }
        if let url, !Identifier.isWord(url) {
            throw GeneratorError("the value set's URL is not a single word", at: resource.location(of: binding))
        }
        return BindingDefinition(strength: strength, valueSet: url, name: name.map(DefinitionResource.oneLine))
    }
}
