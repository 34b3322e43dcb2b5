/// The types a slim module needs.
enum TypeClosure {
    /// Always present: elements of type `Resource` can hold any resource.
    private static let always = ["Resource", "DomainResource"]

    /// Some resources and every type their elements can have, with the types those derive from.
    ///
    /// What a reference points to does not count.
    ///
    /// - Parameter models: Further types, of any kind.
    /// - Throws: `GeneratorError` for a name that is not a resource of the release.
    static func types(for resources: [String], in release: ReleaseDefinition, with models: [String] = []) throws -> Set<String> {
        let types = Dictionary(release.types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for name in resources where types[name]?.kind != .resource {
            throw GeneratorError("no resource `\(name)` in FHIR \(release.release)")
        }
        var found: Set<String> = []
        var pending = resources + always + models
        while let name = pending.popLast() {
            guard let type = types[name], found.insert(name).inserted else { continue }
            pending += [type.base].compactMap { $0 } + type.backbones.map(\.base)
            for element in type.elements + type.backbones.flatMap(\.elements) {
                switch element.types {
                case .named(let references): pending += references.map(\.name)
                case .backbone(let path), .content(let path): pending += path.split(separator: ".").prefix(1).map(String.init)
                }
            }
        }
        return found
    }
}
