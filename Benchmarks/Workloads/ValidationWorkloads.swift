import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation

/// What the rules, the constraints and the profiles of guides cost, beside the check of shapes, cardinalities and codes alone. Guides are those of
/// `--package`; without one the profiles are those of FHIR itself.
struct ValidationWorkloads: Workload {
    static let rules = "validate, rules of FHIR, against shapes alone"
    static let observations = "validate, Observations with known profiles, against shapes alone"
    static let bundle = "validate, a Bundle of 200 entries, against shapes alone"
    /// How many resources are validated: the cost of one does not depend on it.
    private static let limit = 2_000
    private static let entries = 200

    var names: [String] { [Self.rules, Self.observations, Self.bundle] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last { $0 <= 10_000 } ?? sizes.first }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.rules) {
            let resources = try bench.corpus.sample(Self.limit).objects()
            if !resources.isEmpty { measurements.append(try measure(Self.rules, resources, Knowledge(release: .r4), bench)) }
        }
        guard bench.wants(Self.observations) || bench.wants(Self.bundle) else { return measurements }
        let knowledge = try bench.options.knowledge()
        if bench.wants(Self.observations) {
            let resources = try observations(bench, knowledge)
            if !resources.isEmpty {
                var measurement = try measure(Self.observations, resources, knowledge, bench)
                measurement.addedMB = try bench.addedMemory {
                    let fresh = FHIRValidator(knowledge: try bench.options.knowledge())
                    for resource in resources { _ = try fresh.validate(resource) }
                }
                measurements.append(measurement)
            }
        }
        if bench.wants(Self.bundle), bench.size >= Self.entries {
            measurements.append(try measure(Self.bundle, [try bundle(bench)], knowledge, bench))
        }
        return measurements
    }

    private func measure(_ name: String, _ resources: [FHIRResource], _ knowledge: Knowledge, _ bench: Bench) throws -> Measurement {
        let validator = FHIRValidator(knowledge: knowledge)
        // Expressions are compiled, profiles and value sets read once.
        for resource in resources.prefix(50) { _ = try validator.validate(resource) }
        var (found, plain) = (0, 0)
        return try bench.measure(
            name, operations: resources.count,
            subject: { stopwatch in
                try stopwatch.measure {
                    found = 0
                    for resource in resources { found += try validator.validate(resource).count }
                }
            },
            floor: { stopwatch in
                stopwatch.measure {
                    plain = 0
                    for resource in resources { plain += resource.validate().count }
                }
            },
            verify: { found >= plain })
    }

    /// Observations that state a profile that is known.
    private func observations(_ bench: Bench, _ knowledge: Knowledge) throws -> [FHIRResource] {
        var found: [FHIRResource] = []
        for range in bench.corpus.chunks(of: 5_000) where found.count < Self.limit {
            for resource in try bench.corpus.objects(range) where resource.resourceType == "Observation" && found.count < Self.limit {
                let profiles = (resource as? Observation)?.meta?.profile ?? []
                if try profiles.contains(where: { try knowledge.knowsProfile($0) }) { found.append(resource) }
            }
        }
        return found
    }

    private func bundle(_ bench: Bench) throws -> FHIRResource {
        let bundle = FireLiteR4.Bundle()
        bundle.type = .collection
        bundle.entry = try bench.corpus.sample(Self.entries).objects().compactMap { $0 as? Resource }.map { resource in
            let entry = BundleEntry()
            entry.fullUrl = "https://example.org/fhir/\(resource.resourceType)/\(resource.id ?? "")"
            entry.resource = resource
            return entry
        }
        return bundle
    }
}

extension Options {
    /// The definitions of the packages that were given.
    ///
    /// - Throws: `KnowledgeError` for a package that cannot be read.
    func knowledge() throws -> Knowledge {
        let knowledge = Knowledge(release: .r4)
        for package in packages { try knowledge.addPackage(at: package) }
        return knowledge
    }
}
