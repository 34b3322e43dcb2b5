import FireLiteCore
import FireLiteKnowledge

/// Compares a generated snapshot with the one that a definition brings, by meaning.
///
/// These have no meaning, and are not compared: what stands below an element that cannot occur, and the types of such an element; an element
/// that repeats what its type says; the slice for the only type that is left of a choice, which is the element itself; bindings that are examples;
/// the constraints of FHIR's own types, which are checked with the types.
struct SnapshotComparison {
    /// What differs.
    private(set) var differences: [String] = []
    /// Differences in whether a choice that is sliced by type allows other types. Publishers read `valueQuantity` in the path of an element, and
    /// `closed` for such a slicing, in both ways: US Core 3.1.1 has one, US Core 6.1.0 and IPS 1.1.0 the other.
    private(set) var readings: [String] = []
    private let knowledge: Knowledge

    init(_ definition: Definition, _ knowledge: Knowledge) throws {
        self.knowledge = knowledge
        let rules = (try definition.json["snapshot"]?["element"]?.items ?? []).map { ElementRule($0) }
        let generated = try knowledge.generatedElements(of: definition)
        let shipped = Self.folded(rules, like: generated)
        let own = Self.folded(generated, like: rules)
        var byID: [String: ElementRule] = [:]
        for rule in own { byID[rule.id] = rule }
        let shippedByID = Dictionary(shipped.map { ($0.id, $0) }) { first, _ in first }
        for rule in shipped where !Self.isImpossible(rule.id, shippedByID) {
            if let other = byID[rule.id] {
                compare(rule, other)
            } else if !repeatsType(rule, shippedByID) {
                differences.append("\(rule.id): missing")
            }
        }
        for rule in own where shippedByID[rule.id] == nil && !Self.isImpossible(rule.id, byID) && !repeatsType(rule, byID) {
            differences.append("\(rule.id): superfluous")
        }
    }

    // MARK: - Meaning

    /// Whether an element stands below one that cannot occur.
    private static func isImpossible(_ id: String, _ rules: [String: ElementRule]) -> Bool {
        var rest = id[...]
        while let point = rest.lastIndex(of: ".") {
            rest = rest[..<point]
            if rules[String(rest)]?.max == "0" { return true }
        }
        return false
    }

    /// Whether an element says what its type says.
    private func repeatsType(_ rule: ElementRule, _ rules: [String: ElementRule]) -> Bool {
        guard let point = rule.id.lastIndex(of: "."), rule.sliceName == nil else { return false }
        let parent = rules[String(rule.id[..<point])]
        guard let types = parent?.types, types.count == 1, let type = types.first,
            let structure = try? knowledge.structure(Canonical("http://hl7.org/fhir/StructureDefinition/" + type.code)),
            var base = structure.flattened.first(where: { $0.path == "\(type.code).\(rule.name)" })
        else { return false }
        (base.id, base.path) = (rule.id, rule.path)
        var comparison = self
        (comparison.differences, comparison.readings) = ([], [])
        comparison.compare(rule, base)
        return comparison.differences.isEmpty && comparison.readings.isEmpty
    }

    /// The rules with choices of one type, which a slice for that type describes, as one element, where the other rules have it so.
    private static func folded(_ rules: [ElementRule], like others: [ElementRule]) -> [ElementRule] {
        var rules = rules
        let known = Set(others.map(\.id))
        for rule in rules where rule.path.hasSuffix("[x]") && rule.slicing?.discriminators.map(\.type) == ["type"] {
            let start = rule.id + ":"
            let slices = rules.filter { $0.id.hasPrefix(start) && !$0.id.dropFirst(start.count).contains(".") }
            guard slices.count == 1, let slice = slices.first, !known.contains(slice.id),
                slice.types?.map(\.code) == rule.types?.map(\.code)
            else { continue }
            rules = rules.compactMap { other in
                var other = other
                if other.id == rule.id { return nil }
                if other.id == slice.id {
                    (other.id, other.sliceName, other.min) = (rule.id, nil, max(rule.min ?? 0, slice.min ?? 0))
                } else if other.id.hasPrefix(slice.id + ".") {
                    other.id = rule.id + other.id.dropFirst(slice.id.count)
                }
                return other
            }
        }
        return rules
    }

    // MARK: - Elements

    private mutating func compare(_ shipped: ElementRule, _ own: ElementRule) {
        let isImpossible = shipped.max == "0" && own.max == "0"
        check(shipped, "path", shipped.path, own.path)
        check(shipped, "min", "\(shipped.min ?? 0)", "\(own.min ?? 0)")
        check(shipped, "max", shipped.max ?? "", own.max ?? "")
        check(shipped, "fixed", "\(shipped.fixed?.json.json ?? "")", "\(own.fixed?.json.json ?? "")")
        check(shipped, "pattern", "\(shipped.pattern?.json.json ?? "")", "\(own.pattern?.json.json ?? "")")
        check(shipped, "mustSupport", "\(shipped.mustSupport ?? false)", "\(own.mustSupport ?? false)")
        if isImpossible { return }
        let isByType = [shipped, own].allSatisfy { $0.slicing?.discriminators.map(\.type) == ["type"] && $0.path.hasSuffix("[x]") }
        check(shipped, "discriminators", Self.discriminators(shipped), Self.discriminators(own))
        check(shipped, "slicing rules", shipped.slicing?.rules ?? "", own.slicing?.rules ?? "", isReading: isByType)
        check(shipped, "types", Self.types(shipped), Self.types(own), isReading: isByType)
        check(shipped, "binding", Self.binding(shipped), Self.binding(own))
        let keys = Set(own.constraints.map(\.key))
        let missing = shipped.constraints.map(\.key).filter { !keys.contains($0) && ($0.contains("us-core") || $0.contains("ips")) }
        check(shipped, "constraints", "\(missing)", "[]")
    }

    private mutating func check(_ rule: ElementRule, _ name: String, _ shipped: String, _ own: String, isReading: Bool = false) {
        guard shipped != own else { return }
        let text = "\(rule.id): \(name) \(shipped) \(own)"
        if isReading { readings.append(text) } else { differences.append(text) }
    }

    private static func discriminators(_ rule: ElementRule) -> String {
        (rule.slicing?.discriminators ?? []).map { "\($0.type) \($0.path)" }.joined(separator: ", ")
    }

    private static func binding(_ rule: ElementRule) -> String {
        guard let binding = rule.binding, let set = binding.valueSet, binding.strength != "example" else { return "" }
        return "\(binding.strength) \(Canonical(set).url)"
    }

    /// The types with their profiles and targets. Layouts have `id` where R4's snapshots have `string`, and no SimpleQuantity.
    private static func types(_ rule: ElementRule) -> String {
        (rule.types ?? []).map { type in
            let profiles = type.profiles.filter { !$0.hasSuffix("/SimpleQuantity") && !$0.hasSuffix("/MoneyQuantity") }
            // A reference to any resource is one without a restriction.
            let targets = type.targets.filter { !$0.hasSuffix("/StructureDefinition/Resource") }
            return "\(rule.name == "id" ? "id" : type.code)\(profiles.sorted())\(targets.sorted())"
        }.sorted().joined(separator: " ")
    }
}

extension Structure {
    /// The elements in the order of a snapshot.
    fileprivate var flattened: [ElementRule] { root.flattened() }
}
