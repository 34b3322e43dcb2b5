/// Checks what a settings file asks for against a release: that there is what it names, and that it can be had.
struct SettingsChecker {
    private let settings: Settings
    private let release: ReleaseDefinition
    private let types: [String: TypeDefinition]
    private let backbones: [String: BackboneDefinition]
    private let elements: [String: ElementDefinition]
    /// Names of types that others derive from.
    private let bases: [String: String]

    init(_ settings: Settings, _ release: ReleaseDefinition) {
        self.settings = settings
        self.release = release
        types = Dictionary(release.types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        backbones = Dictionary(release.types.flatMap(\.backbones).map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        let owners = release.types.flatMap { type in [(type.name, type.elements)] + type.backbones.map { ($0.path, $0.elements) } }
        let paths = owners.flatMap { owner, elements in elements.map { (owner + "." + $0.definedName, $0) } }
        elements = Dictionary(paths, uniquingKeysWith: { first, _ in first })
        bases = Dictionary(
            release.types.compactMap { type in type.base.map { ($0, type.name) } },
            uniquingKeysWith: { first, second in min(first, second) })
    }

    // MARK: - Before naming

    /// - Throws: `GeneratorError` at the setting for what the release does not have, or cannot do without.
    func check() throws {
        for (path, name) in sorted(settings.classes) { try checkClass(path, name.location) }
        for (path, name) in sorted(settings.bases) {
            try checkClass(path, name.location)
            try checkIsNoClass(name)
        }
        for (path, name) in sorted(settings.types) {
            try checkIsNoClass(name)
            try checkReplacement(of: path, by: name)
        }
        for (path, name) in sorted(settings.choices) where elements[path]?.isChoice != true {
            throw GeneratorError("no choice element `\(path)` in FHIR \(release.release)", at: name.location)
        }
        let known = Set(release.valueSets.map(\.url))
        let urls = settings.codes.mapValues(\.location).merging(settings.ignoredCodes) { first, _ in first }
        for (url, place) in urls.sorted(by: { $0.key < $1.key }) where !known.contains(url) {
            throw GeneratorError("no value set `\(url)` behind a required binding in FHIR \(release.release)", at: place)
        }
        for (name, place) in settings.handwritten.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
            try checkType(name, place)
        }
        for (name, place) in settings.skipped.sorted(by: { $0.key < $1.key }) { try checkType(name, place) }
        for (name, template) in sorted(settings.classTemplates) { try checkType(name, template.location) }
    }

    private func sorted(_ settings: [String: SettingText]) -> [(key: String, value: SettingText)] {
        settings.sorted { $0.key < $1.key }
    }

    private func checkClass(_ path: String, _ place: SourceLocation) throws {
        if backbones[path] == nil { try checkType(path, place) }
    }

    private func checkType(_ name: String, _ place: SourceLocation) throws {
        guard let type = types[name], type.kind != .primitive else {
            throw GeneratorError("no class for `\(name)` in FHIR \(release.release)", at: place)
        }
    }

    /// A hand-written class cannot have the name of a generated one.
    private func checkIsNoClass(_ name: SettingText) throws {
        let type = types[name.text].flatMap { $0.kind == .primitive ? nil : $0 }
        guard type == nil || settings.classes[name.text] != nil else {
            throw GeneratorError("`\(name.text)` is the name of a generated type", at: name.location)
        }
    }

    /// The runtime makes every object by its layout: a class can be replaced if all its instances are of the replacement.
    private func checkReplacement(of path: String, by name: SettingText) throws {
        if backbones[path] != nil { return }
        if let element = elements[path] {
            guard !element.isChoice, case .named(let references) = element.types, let type = types[references[0].name],
                type.kind == .primitive
            else {
                throw GeneratorError(
                    "`\(path)` is not of one primitive type: name its class to replace that, or the type of a choice in all elements",
                    at: name.location)
            }
            try checkIsText(type, name.location)
            guard element.name != "id" || types[String(path.dropLast(3))]?.base != nil else {
                throw GeneratorError("`\(path)` is the runtime's: it cannot have another type", at: name.location)
            }
            return
        }
        guard let type = types[path] else {
            throw GeneratorError("no type or element `\(path)` in FHIR \(release.release)", at: name.location)
        }
        if type.kind == .primitive { return try checkIsText(type, name.location) }
        guard !type.isAbstract else {
            throw GeneratorError("`\(path)` is abstract and has no instances to be of another class, see `bases`", at: name.location)
        }
        if let derived = bases[path] ?? release.types.flatMap(\.backbones).first(where: { $0.base == path })?.path {
            throw GeneratorError(
                "`\(derived)` derives from `\(path)`: only a class without subclasses can be replaced, see `bases`", at: name.location)
        }
    }

    private func checkIsText(_ type: TypeDefinition, _ place: SourceLocation) throws {
        var ancestry: [String] = []
        var current: TypeDefinition? = type
        while let next = current {
            ancestry.append(next.name)
            current = next.base.flatMap { types[$0] }
        }
        let accessor = Accessor.primitive(ancestry)
        guard accessor == .string else {
            throw GeneratorError(
                "`\(type.name)` is `\(accessor.swiftType ?? "")` in Swift: only primitives that are text can have another type", at: place)
        }
    }

    // MARK: - After naming

    /// - Throws: `GeneratorError` at the setting for a name that could not be given.
    func check(_ named: NamedRelease) throws {
        let classes = named.types.flatMap(\.classes)
        let choices = named.sharedChoices + classes.flatMap(\.choices)
        let names = Set((classes.map(\.name) + named.codes.map(\.name) + choices.map(\.name)).map { $0.lowercased() })
        for one in classes {
            if let given = settings.classes[one.path], given.text != one.name { throw taken(given) }
        }
        // A type of FHIR's keeps its name, so a given name cannot be that of another type.
        for type in named.types where settings.classes[type.definition.name] == nil {
            let usual = SwiftName.capitalized(type.definition.name).lowercased()
            let names = Array(settings.classes.values) + settings.codes.values + settings.choices.values
            if let given = names.first(where: { $0.text.lowercased() == usual }) {
                throw GeneratorError("`\(given.text)` is the class of FHIR's type `\(type.definition.name)`", at: given.location)
            }
        }
        for codes in named.codes {
            if let given = settings.codes[codes.valueSet.url], given.text != codes.name { throw taken(given) }
        }
        for given in Array(settings.bases.values) + settings.types.values where names.contains(given.text.lowercased()) {
            throw GeneratorError("`\(given.text)` is the name of a generated type", at: given.location)
        }
        try checkMembers(classes)
        try checkReference(classes)
    }

    /// The runtime's protocol of references needs the property `reference` as it is.
    private func checkReference(_ classes: [NamedClass]) throws {
        let path = "Reference.reference"
        guard let element = classes.first(where: { $0.path == "Reference" })?.elements.first(where: { $0.path == path }) else { return }
        let member = element.members[0]
        let type = settings.types[path] ?? settings.types[member.typeName]
        guard let given = member.name == "reference" ? type : Settings.value(settings.properties, path: path) else { return }
        throw GeneratorError("`\(path)` must stay the property `reference` of type `String`, which the runtime uses", at: given.location)
    }

    private func checkMembers(_ classes: [NamedClass]) throws {
        var found: Set<String> = []
        for named in classes {
            let members = named.elements.flatMap(members)
            let usual = Set(members.filter { Settings.value(settings.properties, path: $0.path) == nil }.map(\.usualName))
            for member in members {
                guard let given = Settings.value(settings.properties, path: member.path) else { continue }
                found.formUnion([member.path, String(member.path.dropFirst(named.path.count + 1))])
                guard !member.isInherited else {
                    throw GeneratorError("`\(member.path)` is a member of the runtime and keeps its name", at: given.location)
                }
                guard given.text == member.name, !usual.contains(given.text) else {
                    throw GeneratorError("`\(given.text)` is taken or reserved where `\(member.path)` is", at: given.location)
                }
            }
            for element in named.elements {
                guard let choice = element.choice, let given = settings.choices[element.path], given.text != choice.enumName else {
                    continue
                }
                throw GeneratorError(
                    "`\(element.path)` shares the enum `\(choice.enumName)` with other elements, or `\(given.text)` is taken",
                    at: given.location)
            }
        }
        for (path, given) in sorted(settings.properties) where !found.contains(path) {
            throw GeneratorError("no element `\(path)` in FHIR \(release.release)", at: given.location)
        }
    }

    private struct Member {
        /// The path that settings have it by: with `[x]` for the enum of a choice, without for one of its types.
        var path: String
        var usualName: String
        var name: String
        var isInherited: Bool
    }

    /// The properties of an element.
    private func members(of element: NamedElement) -> [Member] {
        let definition = element.definition
        guard let choice = element.choice else {
            return [Member(path: element.path, usualName: definition.name, name: element.members[0].name, isInherited: element.isInherited)]
        }
        let owner = element.path.dropLast(definition.definedName.count)
        let whole = Member(path: element.path, usualName: definition.name, name: choice.name, isInherited: false)
        return [whole]
            + element.members.map { member in
                let jsonName = definition.name + SwiftName.capitalized(member.typeName)
                return Member(path: owner + jsonName, usualName: jsonName, name: member.name, isInherited: false)
            }
    }

    private func taken(_ given: SettingText) -> GeneratorError {
        GeneratorError("`\(given.text)` is taken or reserved", at: given.location)
    }

    // MARK: - Skipped types

    /// The types that stay of some, without the skipped ones.
    ///
    /// - Throws: `GeneratorError` for a skipped type that another needs.
    func remaining(of names: Set<String>) throws -> Set<String> {
        let remaining = names.subtracting(settings.skipped.keys)
        for type in release.types where remaining.contains(type.name) {
            if let base = type.base, let place = settings.skipped[base] {
                throw GeneratorError("`\(type.name)` derives from `\(base)`, which cannot be skipped without it", at: place)
            }
            for (owner, elements) in [(type.name, type.elements)] + type.backbones.map({ ($0.path, $0.elements) }) {
                for element in elements {
                    guard case .named(let references) = element.types else { continue }
                    for reference in references {
                        if let place = settings.skipped[reference.name] {
                            throw GeneratorError(
                                "`\(reference.name)` is a type of `\(owner).\(element.definedName)`: without it, data with that could not be read",
                                at: place)
                        }
                    }
                }
            }
        }
        return remaining
    }
}
