import FireLiteCore
import Foundation

/// Answers questions about codes from value sets and code systems that list them: expansions, enumerated concepts, whole systems.
///
/// `@unchecked Sendable`: `lock` guards what is kept; `knowledge` has a lock of its own.
final class EnumeratedCodes: CodeValidator, @unchecked Sendable {
    private unowned let knowledge: Knowledge
    private let lock = NSLock()
    private var valueSets: [String: Members] = [:]
    private var systems: [String: SystemCodes?] = [:]

    /// More codes than this are not kept.
    private static let maximumCodes = 2_000_000
    private static let maximumDepth = 20

    /// The codes of a value set, as far as they are known.
    struct Members {
        var codes: Set<Key> = []
        var excluded: Set<Key> = []
        /// Systems of which it has codes that are not listed.
        var openSystems: Set<String> = []
        /// Whether a part of it is not understood at all.
        var isOpen = false
        /// The systems of which it has codes.
        var systems: Set<String> = []
    }

    struct Key: Hashable {
        let system: String
        let code: String
    }

    /// The codes of a code system.
    struct SystemCodes {
        var codes: [String: String?] = [:]
        var parents: [String: [String]] = [:]
        var properties: [String: [(name: String, value: String)]] = [:]
        var isComplete = false
        var ignoresCase = false
    }

    init(_ knowledge: Knowledge) { self.knowledge = knowledge }

    func forget() {
        lock.withLock {
            valueSets.removeAll()
            systems.removeAll()
        }
    }

    // MARK: - Answers

    func membership(of question: CodeQuestion, in valueSet: Canonical) -> CodeMembership {
        guard let members = members(of: valueSet, depth: 0) else { return baseMembership(question, valueSet) }
        guard let system = question.system else {
            if members.codes.contains(where: { $0.code == question.code }) { return .member }
            return members.isOpen || !members.openSystems.isEmpty ? .unknown : .notMember
        }
        let key = Key(system: system, code: question.code)
        if members.excluded.contains(key) { return .notMember }
        if members.codes.contains(key) { return .member }
        if members.isOpen || members.openSystems.contains(system) { return .unknown }
        return .notMember
    }

    func existence(of question: CodeQuestion) -> CodeMembership {
        guard let url = question.system, let system = system(url) else { return .unknown }
        if system.codes.keys.contains(question.code) { return .member }
        if system.ignoresCase, system.codes.keys.contains(where: { $0.lowercased() == question.code.lowercased() }) { return .member }
        return system.isComplete ? .notMember : .unknown
    }

    /// The value sets of FHIR's own required bindings, whose codes the release lists without their systems.
    private func baseMembership(_ question: CodeQuestion, _ valueSet: Canonical) -> CodeMembership {
        guard let name = BaseValueSets.name(valueSet.url, knowledge.release) else { return .unknown }
        let codes = knowledge.release.codeSet(ofBinding: name)
        if codes.isEmpty { return .unknown }
        return codes.contains(question.code[...]) ? .member : .notMember
    }

    // MARK: - Value sets

    private func members(of canonical: Canonical, depth: Int) -> Members? {
        let key = canonical.description
        if let known = lock.withLock({ valueSets[key] }) { return known }
        guard depth < Self.maximumDepth, let definition = knowledge.definition(canonical, type: "ValueSet") else { return nil }
        // A file that cannot be read is noted, and what was made without it is not kept.
        let (members, failure) = ReadingFailures.watching { (try? definition.json).map { read($0, depth: depth) } }
        if failure == nil { lock.withLock { valueSets[key] = members } }
        return members
    }

    /// The codes of a value set that no package has: one that is contained in a resource.
    func members(of json: JSONItem) -> Members { read(json, depth: 0) }

    private func read(_ json: JSONItem, depth: Int) -> Members {
        var members = Members()
        if let expansion = json["expansion"], expansion["contains"] != nil {
            addExpansion(expansion["contains"]?.items ?? [], to: &members, depth: 0)
            let total = expansion["total"]?.integer
            if let total, total > members.codes.count { members.isOpen = true }
            if json["compose"] == nil || total == members.codes.count { return members }
            members = Members()
        }
        guard let compose = json["compose"] else {
            members.isOpen = true
            return members
        }
        for include in compose["include"]?.items ?? [] { add(include, to: &members, depth: depth) }
        var excluded = Members()
        for exclude in compose["exclude"]?.items ?? [] { add(exclude, to: &excluded, depth: depth) }
        members.excluded = excluded.codes
        members.codes.subtract(excluded.codes)
        if excluded.isOpen { members.isOpen = true }
        // What an exclusion that is not understood takes away is not known.
        for system in excluded.openSystems {
            members.openSystems.insert(system)
            members.codes = members.codes.filter { $0.system != system }
        }
        return members
    }

    private func addExpansion(_ list: [JSONItem], to members: inout Members, depth: Int) {
        guard depth < 64 else { return }
        for item in list {
            if let code = item["code"]?.text, item["abstract"]?.truth != true, members.codes.count < Self.maximumCodes {
                members.codes.insert(Key(system: item["system"]?.text ?? "", code: code))
                members.systems.insert(item["system"]?.text ?? "")
            }
            addExpansion(item["contains"]?.items ?? [], to: &members, depth: depth + 1)
        }
    }

    private func add(_ include: JSONItem, to members: inout Members, depth: Int) {
        var part: Members?
        if let url = include["system"]?.text {
            var own = Members()
            own.systems.insert(url)
            let concepts = include["concept"]?.items ?? []
            let filters = include["filter"]?.items ?? []
            if !concepts.isEmpty {
                own.codes = Set(concepts.compactMap { $0["code"]?.text }.map { Key(system: url, code: $0) })
            } else if let system = system(url), system.isComplete, let codes = filtered(system, filters) {
                own.codes = Set(codes.map { Key(system: url, code: $0) })
            } else {
                own.openSystems.insert(url)
            }
            part = own
        }
        for text in include["valueSet"]?.items.compactMap(\.text) ?? [] {
            guard let other = self.members(of: Canonical(text), depth: depth + 1) else {
                // Of what is not known nothing is a member for certain.
                if var known = part {
                    known.openSystems.formUnion(known.systems)
                    known.codes = []
                    part = known
                } else {
                    members.isOpen = true
                }
                continue
            }
            guard let own = part else {
                part = other
                continue
            }
            part = Self.intersection(own, other)
        }
        guard let part else { return }
        members.codes.formUnion(part.codes)
        members.systems.formUnion(part.systems)
        members.openSystems.formUnion(part.openSystems)
        members.isOpen = members.isOpen || part.isOpen
    }

    /// What is in both: of a part that is not listed nothing is sure.
    private static func intersection(_ first: Members, _ second: Members) -> Members {
        var both = Members()
        both.codes = first.codes.intersection(second.codes)
        both.systems = first.systems.intersection(second.systems)
        both.openSystems = first.openSystems.union(second.openSystems).filter { second.isOpen || first.isOpen || both.systems.contains($0) }
        both.isOpen = first.isOpen && second.isOpen
        return both
    }

    /// The codes that pass all filters; nil if one is not understood.
    private func filtered(_ system: SystemCodes, _ filters: [JSONItem]) -> [String]? {
        var codes = Array(system.codes.keys)
        for filter in filters {
            guard let property = filter["property"]?.text, let operation = filter["op"]?.text, let value = filter["value"]?.text else {
                return nil
            }
            let isHierarchy = property == "concept" || property == "code"
            switch operation {
            case "is-a" where isHierarchy: codes = codes.filter { $0 == value || Self.isBelow($0, value, system) }
            case "descendent-of" where isHierarchy: codes = codes.filter { Self.isBelow($0, value, system) }
            case "is-not-a" where isHierarchy: codes = codes.filter { $0 != value && !Self.isBelow($0, value, system) }
            case "=" where !isHierarchy && property != "parent" && property != "child":
                codes = codes.filter { code in system.properties[code]?.contains { $0.name == property && $0.value == value } ?? false }
            case "in":
                let values = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                codes = codes.filter { code in
                    isHierarchy
                        ? values.contains(code)
                        : system.properties[code]?.contains { $0.name == property && values.contains($0.value) } ?? false
                }
            case "exists":
                codes = codes.filter { code in (system.properties[code]?.contains { $0.name == property } ?? false) == (value == "true") }
            default: return nil
            }
        }
        return codes
    }

    private static func isBelow(_ code: String, _ ancestor: String, _ system: SystemCodes) -> Bool {
        var waiting = system.parents[code] ?? []
        var seen: Set<String> = []
        while let next = waiting.popLast() {
            if next == ancestor { return true }
            if seen.insert(next).inserted { waiting += system.parents[next] ?? [] }
        }
        return false
    }

    // MARK: - Code systems

    private func system(_ url: String) -> SystemCodes? {
        let url = String(url.prefix { $0 != "|" })
        if let known = lock.withLock({ systems[url] }) { return known }
        var system: SystemCodes?
        if let definition = knowledge.definition(Canonical(url), type: "CodeSystem") {
            guard let json = try? definition.json else { return nil }
            var codes = SystemCodes()
            codes.isComplete = json["content"]?.text == "complete"
            codes.ignoresCase = json["caseSensitive"]?.truth == false
            Self.add(json["concept"]?.items ?? [], to: &codes, parent: nil, depth: 0)
            system = codes
        }
        lock.withLock { systems[url] = system }
        return system
    }

    private static func add(_ concepts: [JSONItem], to system: inout SystemCodes, parent: String?, depth: Int) {
        guard depth < 64 else { return }
        for concept in concepts {
            guard let code = concept["code"]?.text else { continue }
            system.codes[code] = concept["display"]?.text
            if let parent { system.parents[code, default: []].append(parent) }
            for property in concept["property"]?.items ?? [] {
                guard let name = property["code"]?.text else { continue }
                let value = property.members.first { $0.name.hasPrefix("value") }?.value
                let text = value?.text ?? value?["code"]?.text ?? value?.json ?? ""
                if name == "parent" || name == "subsumedBy" { system.parents[code, default: []].append(text) }
                system.properties[code, default: []].append((name, text))
            }
            add(concept["concept"]?.items ?? [], to: &system, parent: code, depth: depth + 1)
        }
    }
}

/// The names under which a release lists the codes of its value sets.
enum BaseValueSets {
    private static let lock = NSLock()
    /// Guarded by `lock`.
    private nonisolated(unsafe) static var known: [FHIRRelease: [String: String]] = [:]

    /// The name of a value set that a required binding of the release has; nil for others.
    static func name(_ url: String, _ release: FHIRRelease) -> String? {
        if let names = lock.withLock({ known[release] }) { return names[url] }
        let bindings = BaseFacts.of(release).bindings
        var names: [String: String] = [:]
        for layout in release.layouts {
            for element in layout.elements {
                guard let name = element.binding else { continue }
                let path = "\(layout.name).\(element.choice?.name ?? element.name)"
                if let set = bindings[path]?.valueSet { names[Canonical(set).url] = name }
            }
        }
        lock.withLock { known[release] = names }
        return names[url]
    }
}
