/// Swift's names for classes, code structs and choice enums: all that share a module's namespace.
///
/// FHIR's own types come first and keep their names; a type whose name is already used gets a suffix.
struct TypeNames {
    /// Class names by type name or backbone path.
    private(set) var classes: [String: String] = [:]
    /// Struct names by value set URL.
    private(set) var codes: [String: String] = [:]
    private var scope = NameScope(reserved: ReservedWords.runtimeTypes, isCaseSensitive: false)

    /// - Parameter settings: Names that are given come before all others.
    init(_ release: ReleaseDefinition, codes valueSets: [ValueSetDefinition], settings: Settings = Settings()) {
        let types = release.types.filter { $0.kind != .primitive }
        let valueSets = valueSets.sorted { $0.url < $1.url }
        for path in types.flatMap({ [$0.name] + $0.backbones.map(\.path) }) {
            if let name = settings.classes[path] { classes[path] = scope.take(name.text, suffix: "Type") }
        }
        for valueSet in valueSets {
            if let name = settings.codes[valueSet.url] { codes[valueSet.url] = scope.take(name.text, suffix: "Codes") }
        }
        for type in types where classes[type.name] == nil {
            classes[type.name] = scope.take(SwiftName.capitalized(type.name), suffix: "Type")
        }
        reserveCommonTypes()
        for backbone in types.flatMap(\.backbones) where classes[backbone.path] == nil {
            let name = backbone.path.split(separator: ".").map(SwiftName.capitalized).joined()
            classes[backbone.path] = scope.take(name, suffix: "Element")
        }
        let bindingNames = Self.bindingNames(release)
        for valueSet in valueSets where codes[valueSet.url] == nil {
            let name = Self.name(of: valueSet, boundAs: bindingNames[valueSet.url] ?? [])
            codes[valueSet.url] = scope.take(name, suffix: "Codes")
        }
    }

    /// A name for a choice enum.
    mutating func takeChoice(_ name: String) -> String { scope.take(name, suffix: "Choice") }

    /// Keeps generated types other than FHIR's clear of Swift's common names.
    private mutating func reserveCommonTypes() {
        for name in ReservedWords.commonTypes { _ = scope.take(name, suffix: "_") }
    }

    /// The name all bindings agree on, else the value set's.
    ///
    /// One word (`Use`, `Status`) does not tell whose; where the URL ends in that word, its whole last part is the name
    /// (`claim-use`).
    private static func name(of valueSet: ValueSetDefinition, boundAs bindings: Set<String>) -> String {
        let text = bindings.count == 1 ? bindings.first ?? valueSet.name : valueSet.name
        let name = SwiftName.typeName(text)
        let urlName = SwiftName.typeName(StructureImporter.lastComponent(of: valueSet.url))
        let isOneWord = !name.dropFirst().contains { $0.isUppercase }
        return isOneWord && urlName.hasSuffix(name) ? urlName : name
    }

    /// The names the required bindings to each value set go by.
    private static func bindingNames(_ release: ReleaseDefinition) -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for element in release.types.flatMap({ $0.elements + $0.backbones.flatMap(\.elements) }) {
            guard let binding = element.binding, binding.strength == .required else { continue }
            if let url = binding.valueSet, let name = binding.name { names[url, default: []].insert(name) }
        }
        return names
    }
}
