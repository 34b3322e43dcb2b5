import FireLiteCore
import FireLiteGenerator
import FireLiteKnowledge
import FireLiteReleases

/// Reads the profiles of FHIR packages for the Generator: archives and folders, with snapshots or made from differentials.
package struct PackageProfiles: ProfileSource {
    package init() {}

    package func profiles(of guide: GuideSettings, release: String, version: String) throws -> GuideProfiles {
        do {
            return try read(guide, release)
        } catch let error as any FireLiteError {
            throw GeneratorError(error.description, at: guide.location)
        }
    }

    private func read(_ guide: GuideSettings, _ name: String) throws -> GuideProfiles {
        guard let bundled = BundledRelease.all.first(where: { $0.name == name }) else {
            throw GeneratorError("FHIR \(name) has no profiles that FireLite reads", at: guide.location)
        }
        let release = bundled.release
        let knowledge = Knowledge(release: release)
        for path in guide.dependencies { try knowledge.addPackage(at: path) }
        let package = try PackageReader.read(guide.package)
        try knowledge.addPackage(at: guide.package)
        let versions = package.manifest.fhirVersions
        guard versions.isEmpty || versions.contains(where: { Self.isSame($0, release.version) }) else {
            throw GeneratorError(
                "\(guide.package) is for FHIR \(versions.joined(separator: ", ")), not \(release.version): set `release`",
                at: guide.location)
        }
        let reader = StructureProfiles(knowledge)
        var profiles: [ProfileDefinition] = []
        var notes: [String] = []
        for definition in knowledge.definitions(ofType: "StructureDefinition") {
            let json = try definition.json
            guard let url = definition.url, json["derivation"]?.text == "constraint",
                ["resource", "complex-type"].contains(json["kind"]?.text)
            else { continue }
            let isOwn = package.definitions.contains { $0.url == url && $0.type == "StructureDefinition" }
            do {
                if let profile = try reader.profile(definition, url) { profiles.append(profile) }
            } catch let error as KnowledgeError where !isOwn {
                // A definition that only others need; what uses it reports it as unknown.
                notes.append("\(url) is left out: \(error.message)")
            }
        }
        let own = Set(package.definitions.compactMap(\.url))
        let used = Self.used(by: profiles.filter { own.contains($0.url) }, among: profiles)
        return GuideProfiles(
            title: "\(package.manifest.name) \(package.manifest.version)", profiles: profiles.filter { used.contains($0.url) }, notes: notes
        )
    }

    private static func isSame(_ version: String, _ other: String) -> Bool {
        version.split(separator: ".").prefix(2) == other.split(separator: ".").prefix(2)
    }

    /// The URLs of profiles, and of all that their elements are of.
    private static func used(by profiles: [ProfileDefinition], among all: [ProfileDefinition]) -> Set<String> {
        let byURL = Dictionary(all.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
        var found: Set<String> = []
        var pending = profiles
        while let next = pending.popLast() {
            guard found.insert(next.url).inserted else { continue }
            pending += urls(in: next.root).compactMap { byURL[$0] }
        }
        return found
    }

    private static func urls(in element: ProfileElement) -> [String] {
        element.types.flatMap(\.profiles).map { String($0.prefix { $0 != "|" }) } + (element.children + element.slices).flatMap(urls)
    }
}

/// Turns structures into the Generator's profiles.
struct StructureProfiles {
    private let knowledge: Knowledge

    init(_ knowledge: Knowledge) { self.knowledge = knowledge }

    /// - Throws: `KnowledgeError` for a definition that cannot be used.
    func profile(_ definition: Definition, _ url: String) throws -> ProfileDefinition? {
        guard let structure = try knowledge.structure(Canonical(url)), structure.isConstraint else { return nil }
        let json = try definition.json
        return ProfileDefinition(
            url: url, id: definition.id ?? structure.name, name: structure.name, title: json["title"]?.text ?? structure.name,
            type: structure.type, root: try element(structure.root))
    }

    private func element(_ node: StructureNode) throws -> ProfileElement {
        let rule = node.rule
        var element = ProfileElement(
            id: rule.id, name: String(rule.name), sliceName: rule.sliceName, minimum: rule.min ?? 0, maximum: rule.limit,
            types: (rule.types ?? []).map { ProfileElement.TypeRule(code: $0.code, profiles: $0.profiles) })
        if let fixed = rule.fixed {
            element.value = ProfileElement.Value(isPattern: false, json: fixed.json.json)
        } else if let pattern = rule.pattern {
            element.value = ProfileElement.Value(isPattern: true, json: pattern.json.json)
        }
        if let slicing = rule.slicing {
            element.discriminators = slicing.discriminators.map { ProfileElement.Discriminator(type: $0.type, path: $0.path) }
            element.isClosed = slicing.rules == "closed"
        }
        element.children = try node.children.map(self.element)
        element.slices = try node.slices.map(slice)
        return element
    }

    private func slice(_ node: StructureNode) throws -> ProfileElement {
        var slice = try element(node)
        if let binding = node.rule.binding, binding.strength == "required", let url = binding.valueSet {
            slice.codes = try codes(of: url)
        }
        return slice
    }

    /// The codes of a value set that lists them, or that has whole code systems of the packages; none of others.
    private func codes(of url: String) throws -> [ProfileElement.Code] {
        guard let definition = knowledge.definition(Canonical(url), type: "ValueSet") else { return [] }
        let compose = try definition.json["compose"]
        guard compose?["exclude"] == nil else { return [] }
        var codes: [ProfileElement.Code] = []
        for include in compose?["include"]?.items ?? [] {
            guard let system = include["system"]?.text, include["filter"] == nil, include["valueSet"] == nil else { return [] }
            var list = include["concept"]?.items ?? []
            if list.isEmpty {
                guard let content = try knowledge.definition(Canonical(system), type: "CodeSystem")?.json,
                    content["content"]?.text == "complete"
                else { return [] }
                list = Self.concepts(content)
            }
            codes += list.compactMap { $0["code"]?.text }.map { ProfileElement.Code(system: system, code: $0) }
        }
        return codes
    }

    private static func concepts(_ item: JSONItem) -> [JSONItem] {
        (item["concept"]?.items ?? []).flatMap { [$0] + concepts($0) }
    }
}
