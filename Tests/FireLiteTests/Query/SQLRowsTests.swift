import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// The rows of statements as sequences.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct SQLRowsTests {
    private static let endless = "WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"

    private func filled(_ count: Int = 300, isInFile: Bool = true) throws -> FHIRStore {
        let store = try freshStore(isInFile: isInFile)
        try store.write { tx in
            _ = try tx.upsert(
                (0..<count).map { number in
                    Patient {
                        $0.id = "\(number)"
                        $0.birthDate = FHIRDate(year: 1900 + number % 100)
                        $0.name = [HumanName { $0.family = String(repeating: "ä", count: number * 40) }]
                    }
                })
        }
        return store
    }

    private static let statements: [(String, [SQLValue])] = [
        ("SELECT * FROM Patient ORDER BY _k", []),
        ("SELECT _k, family, family || 'x', 1.5, NULL, zeroblob(3) FROM Patient_name ORDER BY _k DESC", []),
        ("SELECT id FROM Patient WHERE id > ? AND birthDate < ?", ["1", "1950"]),
        ("SELECT id FROM Patient WHERE id = 'nobody'", []),
        ("SELECT count(*) FROM Patient a, Patient b", []),
        (endless + " LIMIT 50000", []),
    ]

    @Test(arguments: [false, true]) func theRowsAreThoseOfTheBlockingForm(isInFile: Bool) async throws {
        let store = try filled(isInFile: isInFile)
        for (sql, arguments) in Self.statements {
            let expected = try store.blocking { try $0.sql(sql, arguments: arguments) }
            var (columns, values): ([[String]], [[SQLValue]]) = ([], [])
            for try await row in store.rows(sql, arguments: arguments) {
                columns.append(row.columns)
                values.append(row.values)
            }
            #expect(values == expected.map(\.values) && columns == expected.map(\.columns), "\(sql)")
        }
    }

    @Test func errorsAreThoseOfTheBlockingForm() async throws {
        let store = try filled()
        for (sql, arguments) in [
            ("SELECT x FROM nothing", []), ("DELETE FROM Patient", []), ("SELECT ?", []), ("SELECT 1; SELECT 2", []), ("", ["x"]),
        ] as [(String, [SQLValue])] {
            let expected = #expect(throws: FHIRStoreError.self) { try store.blocking { try $0.sql(sql, arguments: arguments) } }
            let error = await #expect(throws: FHIRStoreError.self) { for try await _ in store.rows(sql, arguments: arguments) {} }
            #expect(error?.code == expected?.code && error?.message == expected?.message, "\(sql)")
        }
    }

    @Test func anErrorComesAfterTheRowsBeforeIt() async throws {
        let store = try filled()
        let sql = "SELECT CASE id WHEN '7' THEN abs(-9223372036854775807 - 1) ELSE id END FROM Patient ORDER BY _k"
        var ids: [String?] = []
        await #expect(throws: FHIRStoreError.self) { for try await row in store.rows(sql) { ids.append(row[0].text) } }
        #expect(ids == (0..<7).map { "\($0)" })
    }

    /// loop:  first row ── deletes everything ── further rows
    @Test(arguments: [false, true]) func theLoopSeesOneSnapshotAndMayWrite(isInFile: Bool) async throws {
        let store = try filled(isInFile: isInFile)
        var count = 0
        for try await _ in store.rows("SELECT id FROM Patient") {
            if count == 0 { #expect(try await store.query(Patient.self).delete() == 300) }
            count += 1
        }
        #expect(count == 300)
    }

    // MARK: - Ends

    @Test func anEndlessStatementEndsWithTheLoop() async throws {
        let store = try FHIRStore(path: filled(1).path, release: .r4)
        var sum: Int64 = 0
        for try await row in store.rows(Self.endless) {
            sum += row[0].integer ?? 0
            if sum > 1_000_000 { break }
        }
        #expect(sum > 1_000_000)
        // Its thread has ended, and its connection is closed.
        try await store.close()
    }

    ///     tasks           | wait for a row that never comes |          | CancellationError
    ///     this one        |                                 | a free thread of the pool, cancel
    @Test func waitingLoopsBlockNoThreadOfThePoolAndEndWhenCancelled() async throws {
        let store = try FHIRStore(path: filled(1).path, release: .r4)
        let (began, signal) = AsyncStream.makeStream(of: Void.self)
        let tasks = (0..<4 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
            _Concurrency.Task {
                signal.yield()
                for try await _ in store.rows("SELECT * FROM (\(Self.endless)) WHERE n < 0") { Issue.record("no row fits") }
            }
        }
        var count = 0
        for await _ in began {
            count += 1
            if count == tasks.count { break }
        }
        #expect(await _Concurrency.Task { true }.value)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        try await store.close()
    }
}
