import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

struct StatementReportTests {
    /// Collects reports, on whatever thread they come.
    private final class Reports: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [StatementReport] = []

        func add(_ report: StatementReport) { lock.withLock { list.append(report) } }
        var all: [StatementReport] { lock.withLock { list } }
    }

    private func store(_ reports: Reports, slow: Swift.Duration = .zero) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.observeStatements = { reports.add($0) }
        configuration.slowStatement = slow
        return try FHIRStore(path: ":memory:", release: .r4, configuration: configuration)
    }

    @Test func statementsAreReportedWithoutValues() throws {
        let reports = Reports()
        let store = try store(reports)
        try store.write { tx in
            for id in ["a", "b"] {
                try tx.add(
                    Patient {
                        $0.id = id
                        $0.name = [HumanName { $0.family = "SECRET" }]
                    })
            }
        }
        #expect(try store.query(Patient.self).where { $0.name.family == "SECRET" }.count() == 2)
        #expect(try store.sql("SELECT id FROM Patient WHERE id <> 'SECRET' AND 1 < 20").count == 2)
        let all = reports.all
        #expect(all.contains { $0.sql.hasPrefix("INSERT") } && all.contains { $0.sql.hasPrefix("BEGIN") })
        #expect(!all.contains { $0.sql.contains("SECRET") || $0.description.contains("SECRET") })
        let read = try #require(all.last { $0.sql.hasPrefix("SELECT id FROM Patient") })
        #expect(read.sql == "SELECT id FROM Patient WHERE id <> ? AND ? < ?" && read.rows == 2 && read.duration > .zero)
    }

    /// A report shows what is in double quotes, so that must be a name. SQLite before 3.29 cannot be set to refuse others.
    @Test(.enabled(if: Connection.libraryNumber >= 3_029_000)) func textsInDoubleQuotesAreRefused() throws {
        let reports = Reports()
        let store = try store(reports)
        try store.write { try $0.add(Patient { $0.id = "1" }) }
        #expect(throws: FHIRStoreError.self) { try store.sql("SELECT count(*) FROM Patient WHERE id = \"SECRET\"") }
        #expect(try store.sql("SELECT \"id\" FROM \"Patient\"").count == 1)
        #expect(!reports.all.contains { $0.sql.contains("SECRET") })
    }

    @Test func onlySlowOnesAreReportedWhereAskedFor() throws {
        let reports = Reports()
        let store = try store(reports, slow: .seconds(1_000))
        try store.write { try $0.add(Patient { $0.id = "1" }) }
        #expect(reports.all.isEmpty)
    }

    @Test(arguments: [
        (
            "SELECT 'it''s', x'00ff', 1.5e-3, -7, t1.c2 FROM \"a'1\" WHERE [b 2] = ?1 AND `c'` = 0x1F",
            "SELECT ?, ?, ?, -?, t1.c2 FROM \"a'1\" WHERE [b 2] = ?1 AND `c'` = ?"
        ),
        ("SELECT max'x'", "SELECT max?"), ("SELECT 'open", "SELECT ?"), ("SELECT \"open", "SELECT \"open"), ("", ""),
        ("SELECT é1, 2", "SELECT é1, ?"), ("SELECT 1 -- SECRET\n, c", "SELECT ? \n, c"), ("SELECT/*SE'C*RET*/c -- x", "SELECT c "),
        ("SELECT c - -1 / 2 /* open", "SELECT c - -? / ?  "), ("SELECT '--', \"/*\"", "SELECT ?, \"/*\""),
    ])
    func literalsAreHidden(_ sql: String, _ hidden: String) { #expect(StatementText.withoutValues(sql) == hidden) }
}
