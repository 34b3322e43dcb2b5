import FireLite
import FireLiteR4
import FireLiteSynthetic
import Foundation
import TestSupport
import Testing

/// The statements of SQL in the documentation, run on a store of so many resources that a wrong plan shows.
@Suite(.soundStores) struct DocumentedSQLTests {
    private static let documents = ["FileFormat.md", "Queries.md", "README.md"]

    /// The `SELECT` statements of blocks of SQL: what begins a line with SELECT or WITH, up to a semicolon.
    private static func statements(_ document: String) throws -> [String] {
        try DocumentationPages.blocks().filter { $0.page == document && $0.language == "sql" }.flatMap { block in
            let text = block.lines.filter { !$0.hasPrefix("--") }.joined(separator: "\n")
            return text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                .filter { $0.hasPrefix("SELECT") || $0.hasPrefix("WITH") }
        }
    }

    private static func filled() throws -> FHIRStore {
        let store = try freshStore()
        try store.write { transaction in
            var batch: [FHIRResource] = []
            for resource in SyntheticPatients(count: 500, seed: 16) {
                batch.append(resource)
                guard batch.count == 1_000 else { continue }
                _ = try transaction.upsert(batch)
                batch.removeAll(keepingCapacity: true)
            }
            batch.append(
                Patient {
                    $0.name = [
                        HumanName {
                            $0.family = "Chalmers"; $0.given = ["Peter", "Joseph"]
                        }
                    ]
                })
            batch.append(Patient { $0.contained = [Patient { $0.name = [HumanName { $0.given = ["Joseph"] }] }] })
            _ = try transaction.upsert(batch)
        }
        try store.track(.changes)
        for patient in try store.query(Patient.self).where({ $0.name.given == "Joseph" }).all() {
            try store.write { _ in patient.name.first?.family = "Changed" }
        }
        return store
    }

    /// An argument for each parameter, such as finds something.
    private static func arguments(_ statement: String) -> [SQLValue] {
        let value: SQLValue = statement.contains("Patient_name_given") ? "Joseph" : "8867-4"
        return Array(repeating: value, count: statement.count { $0 == "?" })
    }

    @Test(.enabled(if: Library.hasJSON, "needs the functions of JSON")) func everyDocumentedStatementIsQuick() throws {
        let store = try Self.filled()
        let rows = try store.statistics().tables.reduce(0) { $0 + $1.rows }
        #expect(rows > 50_000)
        var count = 0
        for isIndexed in [false, true] {
            if isIndexed { for set in [StoreIndexSet.references, .codes, .dates] { try store.createIndexes(set) } }
            for document in Self.documents {
                for statement in try Self.statements(document) {
                    let arguments = Self.arguments(statement)
                    let plan = try store.sql("EXPLAIN QUERY PLAN " + statement, arguments: arguments).compactMap { $0["detail"].text }
                    #expect(!plan.contains { $0.contains("AUTOMATIC") }, "\(document), indexed \(isIndexed): \(statement)\n\(plan)")
                    // A wrong plan goes through a table for each row of another, which would be stopped here.
                    var ticks = 0
                    let found = try store.sql(statement, arguments: arguments) {
                        ticks += 1
                        return ticks > rows / 1_000
                    }
                    #expect(!found.isEmpty || statement.contains("EXPLAIN"), "\(document): \(statement)")
                    count += 1
                }
            }
        }
        #expect(count >= 8)
    }

    /// Results of the documented joins against the objects.
    @Test(.enabled(if: Library.hasJSON, "needs the functions of JSON")) func documentedJoinsFindWhatTheObjectsHave() throws {
        let store = try Self.filled()
        let statements = try Self.statements("FileFormat.md")
        func statement(_ part: String) throws -> String { try #require(statements.first { $0.contains(part) }) }
        // The contained patient's name is none of the container's.
        let names = try store.sql(try statement("'Joseph'"))
        let patients = try store.query(Patient.self).where { $0.name.given == "Joseph" }.all()
        let expected = patients.reduce(0) { $0 + $1.name.reduce(0) { $0 + $1.given.count { $0 == "Joseph" } } }
        #expect(names.count == expected && expected > 0)
        let weights = try store.sql(try statement("'29463-7'"))
        let values = try store.query(Observation.self).where { $0.code.coding.code == "29463-7" }.sort { $0.effectiveDateTime.descending }
            .limit(20)
            .values { ($0.subject.reference, $0.valueQuantity.value) }
        #expect(weights.map { $0[0].text } == values.map(\.0))
        // The names that patients had before, beside those that they have.
        let changes = try store.sql(try statement("_change"))
        let logged = try store.changes(since: try store.newestChange() - Int64(changes.count), squashed: false)
        #expect(changes.map { $0["id"].text } == logged.map(\.resourceID) && !changes.isEmpty)
        #expect(changes.allSatisfy { $0["now"].text == "Changed" && $0["before"].text != "Changed" })
        #expect(values.count == 20)
    }
}
