import FireLite
import FireLiteFHIRPath
import FireLiteR4

/// A compiled FHIRPath expression on patients, beside the same written by hand over the generated accessors.
struct FHIRPathWorkloads: Workload {
    static let given = "FHIRPath, official given name"
    private static let expression = "name.where(use='official').given.first()"
    /// How many resources are looked at for patients: the cost of one does not depend on it.
    private static let limit = 4_000
    /// How many evaluations are measured at least.
    private static let evaluations = 20_000

    var names: [String] { [Self.given] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last { $0 <= 10_000 } ?? sizes.first }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard bench.wants(Self.given) else { return [] }
        let patients = try bench.corpus.sample(Self.limit).objects().compactMap { $0 as? Patient }
        guard !patients.isEmpty else { return [] }
        let path = try FHIRPath(Self.expression)
        let rounds = max(1, Self.evaluations / patients.count)
        var found: [String?] = []
        var byHand: [String?] = []
        let measurement = try bench.measure(
            Self.given, operations: rounds * patients.count,
            subject: { stopwatch in
                try stopwatch.measure {
                    for _ in 0..<rounds {
                        found.removeAll(keepingCapacity: true)
                        for patient in patients { found.append(try path.strings(on: patient).first) }
                    }
                }
            },
            floor: { stopwatch in
                stopwatch.measure {
                    for _ in 0..<rounds {
                        byHand.removeAll(keepingCapacity: true)
                        for patient in patients { byHand.append(Self.officialGiven(patient)) }
                    }
                }
            },
            verify: { found == byHand && found.count == patients.count && found.contains { $0 != nil } })
        return [measurement]
    }

    /// The first given name of all official names.
    private static func officialGiven(_ patient: Patient) -> String? {
        for name in patient.name where name.use == .official { if let first = name.given.first { return first } }
        return nil
    }
}
