import FireLite
import FireLiteR4

/// Figures of a store, read by several tasks at once.
public struct PatientReport: Sendable, Equatable {
    /// The number of patients born in each decade that was asked for.
    public var births: [Int: Int] = [:]
    /// The families of the patients, in their order.
    public var families: [String] = []

    /// Reads the figures; each task reads on a thread of the store.
    public static func make(_ store: FHIRStore, decades: [Int]) async throws -> PatientReport {
        async let families = store.query(Patient.self).distinct { $0.name.family }
        var report = PatientReport()
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for decade in decades {
                group.addTask {
                    guard let first = QueryDate("\(decade)"), let next = QueryDate("\(decade + 10)") else { return (decade, 0) }
                    let query = store.query(Patient.self).where { $0.birthDate >= first && $0.birthDate < next }
                    return (decade, try await query.count())
                }
            }
            for try await (decade, count) in group { report.births[decade] = count }
        }
        report.families = try await families
        return report
    }
}
