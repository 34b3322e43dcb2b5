import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Snapshots are generated as the authors of published guides have them.
@Suite struct SnapshotTests {
    private static let packages = ["us-core-3.1.1", "us-core-6.1.0", "ips-1.1.0"].compactMap {
        SharedArchive("packages/\($0).tgz")?.url.path
    }

    @Test(.enabled(if: !packages.isEmpty, "the packages are not beside the package, in ../shared/data/packages"))
    func generatedSnapshotsAreThoseOfThePackages() throws {
        var same = 0
        var all = 0
        var differences: [String] = []
        for path in Self.packages {
            let knowledge = Knowledge(release: .r4)
            try knowledge.addPackage(at: path)
            for definition in knowledge.definitions(ofType: "StructureDefinition") where definition.source.contains("package/") {
                all += 1
                do {
                    let found = try SnapshotComparison(definition, knowledge).differences()
                    if found.isEmpty { same += 1 } else { differences.append("\(definition.url ?? ""): \(found.count) \(found.prefix(4))") }
                } catch {
                    differences.append("\(definition.url ?? ""): \(error)")
                }
            }
        }
        if ProcessInfo.processInfo.environment["FIRELITE_SNAPSHOTS"] != nil {
            print("\(same) of \(all)")
            for line in differences { print("  \(line)") }
        }
        #expect(all == 125)
        #expect(same * 100 >= all * Self.percent, "\(same) of \(all) are the same")
    }

    private static let percent = 50

    @Test func aMillionSlicesAreRefused() throws {
        let slices = (0..<60_000).map { #"{"id":"Patient.name:s\#($0)","path":"Patient.name","sliceName":"s\#($0)"}"# }.joined(
            separator: ",")
        let knowledge = Knowledge(release: .r4)
        try knowledge.add(
            Data(
                """
                {"resourceType":"StructureDefinition","url":"http://a.org/p","kind":"resource","type":"Patient","derivation":"constraint",
                "baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","differential":{"element":[\(slices)]}}
                """.utf8), source: "test")
        let resource = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient"}"#.utf8), release: .r4)
        let issues = FHIRValidator(knowledge: knowledge).validate(resource, against: ["http://a.org/p"])
        #expect(issues.map(\.messageID) == [.brokenDefinition])
    }
}

/// Compares a generated snapshot with the one that a definition brings, by meaning.
struct SnapshotComparison {
    private let definition: Definition
    private let knowledge: Knowledge

    init(_ definition: Definition, _ knowledge: Knowledge) { (self.definition, self.knowledge) = (definition, knowledge) }

    func differences() throws -> [String] {
        let shipped = (definition.json["snapshot"]?["element"]?.items ?? []).map { ElementRule($0) }
        let own = try knowledge.generatedElements(of: definition)
        var byID: [String: ElementRule] = [:]
        for rule in own { byID[rule.id] = rule }
        var found: [String] = []
        for rule in shipped {
            guard let other = byID.removeValue(forKey: rule.id) else {
                found.append("\(rule.id): missing")
                continue
            }
            found += compare(rule, other).map { "\(rule.id): \($0)" }
        }
        return found + byID.keys.sorted().map { "\($0): superfluous" }
    }

    private func compare(_ shipped: ElementRule, _ own: ElementRule) -> [String] {
        var found: [String] = []
        func check(_ name: String, _ isSame: Bool, _ values: @autoclosure () -> String) {
            if !isSame { found.append("\(name) \(values())") }
        }
        check("path", shipped.path == own.path, "\(shipped.path) \(own.path)")
        check("min", (shipped.min ?? 0) == (own.min ?? 0), "\(shipped.min ?? -1) \(own.min ?? -1)")
        check("max", shipped.max == own.max, "\(shipped.max ?? "") \(own.max ?? "")")
        check("fixed", shipped.fixed == own.fixed, "")
        check("pattern", shipped.pattern == own.pattern, "")
        check(
            "slicing", (shipped.slicing?.discriminators ?? []) == (own.slicing?.discriminators ?? []),
            "\(String(describing: shipped.slicing)) \(String(describing: own.slicing))")
        check("slicing rules", shipped.slicing?.rules == own.slicing?.rules, "\(shipped.slicing?.rules ?? "") \(own.slicing?.rules ?? "")")
        let binding = (Self.binding(shipped), Self.binding(own))
        check("binding", binding.0 == binding.1, "\(binding.0) \(binding.1)")
        let types = (Self.types(shipped), Self.types(own))
        check("types", types.0 == types.1, "\(types.0) \(types.1)")
        check("mustSupport", (shipped.mustSupport ?? false) == (own.mustSupport ?? false), "")
        let keys = Set(own.constraints.map(\.key))
        let missing = shipped.constraints.map(\.key).filter { !keys.contains($0) && !Self.isBase($0) }
        check("constraints", missing.isEmpty, "\(missing)")
        return found
    }

    /// Constraints of FHIR's own types are checked with the types.
    private static func isBase(_ key: String) -> Bool { !key.contains("us-core") && !key.contains("ips") }

    private static func binding(_ rule: ElementRule) -> String {
        guard let binding = rule.binding, let set = binding.valueSet, binding.strength != "example" else { return "" }
        return "\(binding.strength) \(Canonical(set).url)"
    }

    /// The types with their profiles and targets. Layouts have `id` where R4's snapshots have `string`, and no SimpleQuantity.
    private static func types(_ rule: ElementRule) -> [String] {
        (rule.types ?? []).map { type in
            let profiles = type.profiles.filter { !$0.hasSuffix("/SimpleQuantity") && !$0.hasSuffix("/MoneyQuantity") }
            return "\(rule.name == "id" ? "id" : type.code)\(profiles.sorted())\(type.targets.sorted())"
        }.sorted()
    }
}
