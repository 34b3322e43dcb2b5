import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4

/// What the rules and constraints of FHIR cost, beside the check of shapes, cardinalities and codes alone.
struct ValidationWorkloads: Workload {
    static let rules = "validate, rules of FHIR, against shapes alone"
    /// How many resources are validated: the cost of one does not depend on it.
    private static let limit = 2_000

    var names: [String] { [Self.rules] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last { $0 <= 10_000 } ?? sizes.first }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard bench.wants(Self.rules) else { return [] }
        let resources = try bench.corpus.sample(Self.limit).objects()
        guard !resources.isEmpty else { return [] }
        let validator = FHIRValidator(knowledge: Knowledge(release: .r4))
        // Expressions are compiled and value sets read once.
        for resource in resources.prefix(50) { _ = try validator.validate(resource) }
        var (found, plain) = (0, 0)
        let measurement = try bench.measure(
            Self.rules, operations: resources.count,
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
        return [measurement]
    }
}
