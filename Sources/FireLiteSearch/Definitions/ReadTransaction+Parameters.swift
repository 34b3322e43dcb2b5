import FireLite

/// A search parameter of a type, as a server's description lists it.
package struct KnownParameter: Sendable, Hashable {
    /// Its name in a search.
    package let code: String
    /// Its canonical URL.
    package let url: String
    /// Its type, a code of FHIR's value set `search-param-type`.
    package let kind: String
    /// The types that references of the parameter lead to; empty if any, or if it is no reference.
    package let targets: [String]
}

extension ReadTransaction {
    /// The search parameters of a type that searches understand, by their codes: those of the release whose expressions are paths, and those that
    /// SearchParameter resources in the store define.
    ///
    /// - Throws: `FHIRStoreError`.
    package func searchParameters(of layout: Layout) throws -> [KnownParameter] {
        let catalog = ParameterCatalog(store)
        var found: [String: KnownParameter] = [:]
        func add(_ definition: SearchDefinition) {
            guard definition.kind == .special || (try? catalog.compiled(definition, on: layout)) != nil else { return }
            found[definition.code] = KnownParameter(
                code: definition.code, url: definition.url, kind: definition.kind.rawValue, targets: definition.targets)
        }
        for definition in catalog.parameters(of: layout) { add(definition) }
        for definition in try catalog.defined(on: layout) where found[definition.code] == nil { add(definition) }
        return found.values.sorted { $0.code < $1.code }
    }

    /// The condition that a resource meets search parameters; nil if the type lacks one of them.
    ///
    /// - Parameters:
    ///   - parameters: names with modifiers, and values.
    ///   - layout: the type.
    /// - Throws: `SearchError`; `FHIRStoreError`.
    package func searchCondition(_ parameters: [SearchRequest.Parameter], on layout: Layout) throws -> FireLite.Predicate? {
        let builder = ConditionBuilder(self, catalog: ParameterCatalog(store), options: SearchOptions(), parameters: parameters)
        var conditions: [FireLite.Predicate] = []
        for parameter in parameters {
            guard let condition = try builder.condition(parameter.name, parameter.value, on: layout) else { return nil }
            conditions.append(condition)
        }
        return .and(conditions)
    }

    /// Whether a resource, which need not be stored, is in a compartment of a type: by references that `compartmentCondition` counts too, relative ones and
    /// those under a base of the store. `Patient/1` of another server is another patient.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - type: the type of the compartment.
    ///   - ids: the ids of the compartments; nil for any.
    /// - Throws: `SearchError`; `FHIRStoreError`.
    package func isInCompartment(_ resource: FHIRResource, of type: String, ids: Set<String>?) throws -> Bool {
        func isWanted(_ id: String?) -> Bool { ids.map { ids in id.map { ids.contains($0) } ?? false } ?? true }
        if resource.resourceType == type { return isWanted(resource.id) }
        let catalog = ParameterCatalog(store)
        let bases = try bases()
        for code in Compartments.known(store.release.name).parameters(of: resource.resourceType, in: type) {
            let name = code.split(separator: ".").first.map(String.init) ?? code
            guard let definition = try catalog.parameter(name, on: resource.layout) else { continue }
            for path in try catalog.compiled(definition, on: resource.layout).paths {
                let references = path.typeName == "Reference" ? path : path.child("reference")
                for object in references?.objects(in: resource) ?? [] {
                    guard let text = object.text("reference") else { continue }
                    let parts = ReferenceParts(text)
                    if parts.type == type, parts.isLocal(bases), isWanted(parts.id) { return true }
                }
            }
        }
        return false
    }
}

extension FHIRRelease {
    /// The types of which the release has compartments.
    package var compartmentTypes: [String] { Compartments.known(name).types }

    /// The types with resources in compartments of a type, without that type itself.
    package func compartmentMembers(of type: String) -> [String] { Compartments.known(name).members(of: type) }
}

extension FHIRStore {
    /// A part of a resource, as `_summary` and `_elements` ask for it: a copy that is marked as a part.
    ///
    /// - Parameters:
    ///   - resource: the resource.
    ///   - parameters: those of the request; others are ignored.
    /// - Returns: nil if the parameters ask for everything.
    /// - Throws: `SearchError.invalid`.
    package func subset(of resource: FHIRResource, _ parameters: [SearchRequest.Parameter]) throws -> FHIRResource? {
        var request = SearchRequest(type: resource.resourceType)
        for parameter in parameters where parameter.name == "_summary" || parameter.name == "_elements" {
            request = request.where(parameter.name, parameter.value)
        }
        return SearchSubset(try SearchControl(request), ParameterCatalog(self))?.applied(to: resource)
    }
}
