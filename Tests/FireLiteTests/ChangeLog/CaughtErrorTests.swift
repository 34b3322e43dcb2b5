import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// A write whose caller catches errors commits what the file notes of its change log together with the rows.
@Suite struct CaughtErrorTests {
    private enum Step: CaseIterable { case store, delete, refused, prune, failingPrune, acknowledge, failingAcknowledge }

    /// A store with a log and a history of patients alone, and a place to say which statements fail.
    private func prepared() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.track(.changes)
        try store.write { tx in
            try tx.track(.history, types: ["Patient"])
            _ = try tx.registerReader("sync")
        }
        try store.withWritingConnection { connection in
            for sql in [
                "CREATE TEMP TABLE failing(step TEXT)",
                """
                CREATE TEMP TRIGGER failing_prune BEFORE UPDATE ON main._change
                WHEN old.kind = 2 AND EXISTS (SELECT 1 FROM failing WHERE step = 'prune') BEGIN SELECT RAISE(ABORT, 'prune'); END
                """,
                """
                CREATE TEMP TRIGGER failing_start BEFORE INSERT ON main._meta
                WHEN new.key = 'track.start' AND EXISTS (SELECT 1 FROM failing WHERE step = 'start') BEGIN SELECT RAISE(ABORT, 'start'); END
                """,
            ] { try connection.run(sql) }
        }
        return store
    }

    private func failing(_ step: String, _ tx: WriteTransaction, _ body: () throws -> Void) throws {
        try tx.access.connection.run("INSERT INTO temp.failing VALUES ('\(step)')")
        do { try body() } catch is FHIRStoreError {}
        try tx.access.connection.run("DELETE FROM temp.failing")
    }

    private func perform(_ step: Step, _ tx: WriteTransaction, _ stale: Patient, newest: Int64, _ random: inout SeededGenerator) throws {
        let id = "\(random.int(1...4))"
        switch step {
        case .store:
            if random.percent(50) {
                try tx.upsert(Observation { $0.id = id })
            } else {
                let family = "\(random.int(1...9))"
                try tx.upsert(
                    Patient {
                        $0.id = id
                        $0.name = [HumanName { $0.family = family }]
                    })
            }
        case .delete:
            if try tx.resource(Patient.self, id: id) != nil { try tx.delete(Patient.self, id: id) }
        case .refused:
            #expect(throws: FHIRStoreError.self) { try tx.upsert([Patient { $0.id = "new" }, stale]) }
        case .prune: try tx.pruneHistory()
        case .failingPrune: try failing("prune", tx) { try tx.pruneHistory() }
        case .acknowledge: try tx.acknowledge("sync", through: newest)
        case .failingAcknowledge: try failing("start", tx) { try tx.acknowledge("sync", through: newest) }
        }
    }

    @Test(arguments: 1...12) func theMarkIsThatOfTheRows(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try prepared()
        try store.write { tx in _ = try tx.upsert(Patient { $0.id = "stale" }) }
        let stale = try #require(try store.resource(Patient.self, id: "stale"))
        try store.write { tx in try #require(try tx.resource(Patient.self, id: "stale")).active = true }
        for number in 1...30 {
            let newest = try store.newestChange()
            try store.write { tx in
                for _ in 1...random.int(1...5) { try perform(random.pick(Step.allCases), tx, stale, newest: newest, &random) }
            }
            let findings = try store.check()
            #expect(findings.isEmpty, "seed \(seed), write \(number): \(findings)")
            try store.read { tx in
                let settings = try tx.trackingSettings()
                let mark = try #require(settings.mark)
                #expect(try mark.lost(in: settings.start..<settings.next, tx.changeTable).isEmpty)
                for hole in try mark.holes(tx.changeTable.connection) {
                    #expect(try tx.changeTable.count(in: hole.lowerBound..<hole.upperBound + 1) == 0)
                }
            }
        }
    }

    /// Rows that a pruning has deleted before it failed are there again.
    @Test func aFailedPruningTakesNothing() throws {
        let store = try prepared()
        for family in ["A", "B", "C"] {
            try store.write { tx in
                try tx.upsert(
                    Patient {
                        $0.id = "1"
                        $0.name = [HumanName { $0.family = family }]
                    })
            }
        }
        try store.write { tx in try tx.delete(Patient.self, id: "1") }
        let newest = try store.newestChange()
        try store.write { tx in try tx.acknowledge("sync", through: newest) }
        let count = try store.sql("SELECT count(*) FROM _change").first?[0].integer
        try store.write { tx in try failing("prune", tx) { try tx.pruneHistory() } }
        #expect(try store.sql("SELECT count(*) FROM _change").first?[0].integer == count)
        #expect(try store.check().isEmpty)
    }
}
