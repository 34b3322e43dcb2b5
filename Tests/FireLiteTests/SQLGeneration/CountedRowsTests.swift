import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// What the planner counts before it decides.
struct CountedRowsTests {
    /// Statements that have run, on whatever thread.
    private final class Statements: @unchecked Sendable {
        // `lock` guards `list`.
        private let lock = NSLock()
        private var list: [String] = []

        func add(_ report: StatementReport) { lock.withLock { list.append(report.sql) } }

        /// Those that counted the rows of a condition since the last call.
        func takeCounts() -> [String] {
            lock.withLock {
                defer { list = [] }
                return list.filter { $0.hasPrefix("SELECT count(*) FROM (") }
            }
        }
    }

    private func store(_ statements: Statements) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.observeStatements = { statements.add($0) }
        let store = try FHIRStore(path: ":memory:", release: .r4, configuration: configuration)
        try store.write { transaction in
            _ = try transaction.upsert(
                (0..<600).map { number in
                    Observation {
                        $0.id = "\(number)"
                        $0.subject = Reference { $0.reference = "Patient/\(number % 60)" }
                        $0.code = CodeableConcept { $0.coding = [Coding { $0.code = "c\(number % 3)" }] }
                        $0.effectiveDateTime = FHIRDateTime("2020-01-\(10 + number / 60)")
                    }
                })
        }
        try store.createIndex(Observation.self) { $0.subject.reference }
        try store.createIndex(Observation.self) { $0.code.coding.code }
        return store
    }

    @Test func theOnlyConditionWithFewRowsIsNotCounted() throws {
        let statements = Statements()
        let store = try store(statements)
        for patient in 0..<3 {
            let ofPatient = store.query(Observation.self).where { $0.subject.reference == "Patient/\(patient)" }
                .sort { $0.effectiveDateTime.descending }.limit(4)
            _ = statements.takeCounts()
            #expect(try ofPatient.ids() == (6..<10).reversed().map { "\($0 * 60 + patient)" })
            #expect(statements.takeCounts().isEmpty)
            // The other condition has many rows.
            let ofCode = ofPatient.where { $0.code.coding.code == "c\(patient)" }
            #expect(try ofCode.ids() == (6..<10).reversed().map { "\($0 * 60 + patient)" })
            #expect(statements.takeCounts().isEmpty)
        }
    }
}
