/// Reads a logical model as a type.
///
/// A logical model has no place in FHIR's hierarchy of resources and datatypes, so the settings say which of the two it is. As a datatype it
/// has a class and JSON; as a resource also a `resourceType`, an id, and tables in a store.
enum LogicalModelImporter {
    /// - Parameters:
    ///   - setting: `datatype` or `resource`, with its place.
    ///   - known: Names of the types it can derive from.
    static func structure(
        _ resource: DefinitionResource, as setting: SettingText, known: Set<String>
    ) throws -> StructureImporter.Structure {
        let node = resource.node
        guard node["kind"]?.string == "logical", node["derivation"]?.string != "constraint" else {
            throw GeneratorError("`\(node["url"]?.string ?? "")` is not a logical model", at: setting.location)
        }
        let elements = node["snapshot"]?.list("element") ?? []
        guard let root = elements.first else {
            throw GeneratorError("the logical model has no snapshot", at: resource.location(of: node))
        }
        let name = try resource.text("path", of: root, "element")
        guard Identifier.isTypeName(name) else {
            throw GeneratorError("`\(name)` cannot be the name of a type: letters and digits only", at: resource.location(of: root))
        }
        let isResource = setting.text == "resource"
        let base = node["baseDefinition"]?.string.map(StructureImporter.lastComponent) ?? ""
        let resources: Set<String> = ["Resource", "DomainResource"]
        guard isResource || !resources.contains(base) else {
            throw GeneratorError("`\(name)` derives from `\(base)` and can only be a `resource`", at: setting.location)
        }
        let usualBase = isResource ? "Resource" : "Element"
        // `Element` and `Base` have no id of a resource, which a store needs.
        let keepsBase = known.contains(base) && base != "Base" && (!isResource || resources.contains(base))
        return StructureImporter.Structure(
            resource: resource, name: name, kind: isResource ? .resource : .datatype, base: keepsBase ? base : usualBase, root: root,
            elements: Array(elements.dropFirst()))
    }
}
