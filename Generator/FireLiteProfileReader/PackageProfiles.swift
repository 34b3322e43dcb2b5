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
        var root = try element(structure.root)
        for (index, node) in structure.root.children.enumerated() where root.children[index].value == nil {
            // What a resource is about tells the resources of one profile from those of another.
            let types = Set((node.rule.types ?? []).map(\.code))
            guard !types.isEmpty, types.isSubset(of: ["CodeableConcept", "Coding"]) else { continue }
            try addCodes(node.rule, to: &root.children[index])
        }
        return ProfileDefinition(
            url: url, id: definition.id ?? structure.name, name: structure.name, title: json["title"]?.text ?? structure.name,
            type: structure.type, root: root)
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
        try addCodes(node.rule, to: &slice)
        for (index, type) in (node.rule.types ?? []).enumerated() { slice.types[index].targets = try targets(type) }
        return slice
    }

    /// The types of the resources that a reference may lead to; none if it may lead to any, or if one is not known.
    private func targets(_ type: ElementRule.TypeRule) throws -> [String] {
        let base = "http://hl7.org/fhir/StructureDefinition/"
        var found: [String] = []
        for url in type.targets {
            let name =
                try knowledge.definition(Canonical(url), type: "StructureDefinition")?.json["type"]?.text
                ?? (url.hasPrefix(base) ? String(url.dropFirst(base.count)) : "")
            guard knowledge.release.hasResourceType(named: name) else { return [] }
            if !found.contains(name) { found.append(name) }
        }
        return found
    }

    private func addCodes(_ rule: ElementRule, to element: inout ProfileElement) throws {
        guard let binding = rule.binding, binding.strength == "required", let url = binding.valueSet else { return }
        var missing: String?
        element.codes = try codes(of: url, depth: 0, missing: &missing) ?? []
        element.valueSet = missing ?? url
    }

    /// Of code systems with more codes a slice takes every code, without a list.
    private static let maximumListed = 500
    /// Value sets that consist of others do so to this depth.
    private static let maximumDepth = 10

    /// The codes of a value set; nil if the packages do not say which they are.
    ///
    /// - Parameter missing: gets the value set, that one or one that it consists of, whose codes are not known.
    private func codes(of url: String, depth: Int, missing: inout String?) throws -> [ProfileElement.Code]? {
        missing = url
        guard depth < Self.maximumDepth, let compose = try knowledge.definition(Canonical(url), type: "ValueSet")?.json["compose"],
            compose["exclude"] == nil
        else { return nil }
        var codes: [ProfileElement.Code] = []
        for include in compose["include"]?.items ?? [] {
            guard include["filter"] == nil else { return nil }
            let sets = include["valueSet"]?.items.compactMap(\.text) ?? []
            if let system = include["system"]?.text {
                guard sets.isEmpty else { return nil }
                let listed = try include["concept"]?.items ?? all(of: system)
                codes +=
                    listed.map { list in list.compactMap { $0["code"]?.text }.map { ProfileElement.Code(system: system, code: $0) } }
                    ?? [ProfileElement.Code(system: system, code: nil)]
            } else {
                guard sets.count == 1, let inner = try self.codes(of: sets[0], depth: depth + 1, missing: &missing) else { return nil }
                codes += inner
                missing = url
            }
        }
        missing = nil
        return codes
    }

    /// The concepts of a code system; nil if the packages do not have all of them, or if they are many.
    private func all(of system: String) throws -> [JSONItem]? {
        guard let content = try knowledge.definition(Canonical(system), type: "CodeSystem")?.json, content["content"]?.text == "complete"
        else { return nil }
        let concepts = Self.concepts(content)
        return concepts.count > Self.maximumListed ? nil : concepts
    }

    private static func concepts(_ item: JSONItem) -> [JSONItem] {
        (item["concept"]?.items ?? []).flatMap { [$0] + concepts($0) }
    }
}
