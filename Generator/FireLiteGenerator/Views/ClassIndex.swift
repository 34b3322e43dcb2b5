/// The classes of a release, by FHIR's names.
struct ClassIndex {
    private let classes: [String: NamedClass]
    private let paths: [String: String]

    init(_ release: NamedRelease) {
        let all = release.types.flatMap(\.classes)
        classes = Dictionary(all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        paths = Dictionary(all.map { ($0.name, $0.path) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the classes.
    var names: Set<String> { Set(classes.values.flatMap { [$0.name, $0.instanceName] + $0.choices.map(\.name) }) }

    /// The class of a type or a backbone element.
    func named(_ path: String) -> NamedClass? { classes[path] }

    /// The elements of a class, inherited ones first.
    func elements(of path: String) -> [NamedElement] {
        guard let own = classes[path] else { return [] }
        let inherited = own.isRoot ? [] : paths[own.baseName].map { elements(of: $0) } ?? []
        return inherited + own.elements
    }

    /// The element with a name in FHIR's definitions, `value[x]`, or of one type of a choice element, `valueQuantity`.
    func element(named name: String, of path: String) -> (element: NamedElement, member: NamedMember?)? {
        let all = elements(of: path)
        if let found = all.first(where: { $0.definition.definedName == name }) {
            return (found, found.choice == nil ? found.members.first : nil)
        }
        for element in all where element.choice != nil {
            for member in element.members where element.definition.name + SwiftName.capitalized(member.typeName) == name {
                return (element, member)
            }
        }
        return nil
    }
}
