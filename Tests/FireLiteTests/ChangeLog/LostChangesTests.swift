import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// Rows that the change log has lost are noticed, and rows that were taken out on purpose are not missed.
@Suite struct LostChangesTests {
    /// A log with five changes of patients.
    private func withLog(_ body: (FHIRStore, _ start: Int64) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.track(.changes)
            let start = try store.newestChange()
            for id in ["a", "b", "c", "d", "e"] { try put(store, id, "Adams") }
            try body(store, start)
        }
    }

    private func execute(_ store: FHIRStore, _ sql: String) throws { try store.withWritingConnection { try $0.run(sql) } }

    private func code(_ body: () throws -> some Any) -> FHIRStoreError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? FHIRStoreError)?.code
        }
    }

    @Test(arguments: [1...5, 5...5, 2...3]) func lostRowsAreAGapForReadersAndNamedByCheck(_ lost: ClosedRange<Int64>) throws {
        try withLog { store, start in
            let (low, high) = (start + lost.lowerBound, start + lost.upperBound)
            #expect(try store.changes(since: start).count == 5)
            try execute(store, "DELETE FROM _change WHERE seq BETWEEN \(low) AND \(high)")
            #expect(code { try store.changes(since: start) } == .resyncRequired)
            #expect(code { try store.changes(since: start, squashed: false) } == .resyncRequired)
            #expect(code { try store.read { try $0.changedResources(since: start) } } == .resyncRequired)
            // What is after the gap is whole, and so is what is before it.
            #expect(try store.changes(since: high).count == Int(5 - lost.upperBound))
            if lost.lowerBound > 1 { #expect(try store.changes(since: start, limit: 1).count == 1) }
            let text = low == high ? "\(low)" : "\(low) to \(high)"
            #expect(try store.check().map(\.text) == ["_change: the rows of the changes \(text) are missing"])
        }
    }

    @Test func theLastRowIsMissedToo() throws {
        try withLog { store, start in
            let reader = try store.changeReader(named: "sync")
            try put(store, "f", "Adams")
            try execute(store, "DELETE FROM _change")
            #expect(code { try reader.changes() } == .resyncRequired)
            try reader.skipToNewest()
            try put(store, "g", "Adams")
            #expect(try reader.changes().map(\.resourceID) == ["g"])
            #expect(try store.check().isEmpty)
            #expect(code { try store.changes(since: start) } == .resyncRequired)
        }
    }

    @Test func whatIsTakenOutOnPurposeIsNotMissed() throws {
        try withLog { store, start in
            try store.track(.history)
            let stale = try #require(try store.resource(Patient.self, id: "e"))
            try put(store, "e", "Brown")
            try store.write { tx in
                // Added and deleted in one write, and rolled back in part.
                try tx.upsert(Patient { $0.id = "gone" })
                try tx.delete(Patient.self, id: "gone")
                try tx.upsert(Patient { $0.id = "f" })
                #expect(throws: FHIRStoreError.self) { try tx.upsert([Patient { $0.id = "new" }, stale]) }
            }
            try store.write(origin: .server) { tx in _ = try tx.upsert(Patient { $0.id = "s" }) }
            try store.write(origin: .server) { tx in try #require(try tx.resource(Patient.self, id: "s")).active = true }
            try put(store, "g", "Adams")
            #expect(try store.write { tx in try tx.pruneHistory() } > 0)
            #expect(try store.check().isEmpty)
            #expect(try store.changes(since: start).compactMap(\.resourceID) == ["a", "b", "c", "d", "e", "f", "g"])
            let row = try store.sql("SELECT root FROM _change WHERE seq = ?", arguments: [.integer(start + 2)]).first
            let root = try #require(row?[0].integer)
            #expect(try store.write { tx in try tx.forgetChanges(of: [root], keys: [], sequences: []) } == 1)
            #expect(try store.check().isEmpty)
            #expect(try store.changes(since: start).compactMap(\.resourceID) == ["a", "c", "d", "e", "f", "g"])
            // Another row is missed all the same.
            try execute(store, "DELETE FROM _change WHERE seq = \(start + 4)")
            #expect(code { try store.changes(since: start) } == .resyncRequired)
            #expect(try store.changes(since: start + 4).compactMap(\.resourceID) == ["e", "f", "g"])
        }
    }

    @Test func readersWithStatementsOfTheirOwnAreToldOfAGap() throws {
        try withLog { store, start in
            try execute(store, "DELETE FROM _change WHERE seq = \(start + 2)")
            func lost(_ sequence: Int64, _ last: Int64 = .max) throws -> [ClosedRange<Int64>]? {
                try store.read { try $0.lostChanges(after: sequence, through: last)?.numbers }
            }
            let gap = start + 2...start + 2
            #expect(try lost(start) == [gap] && lost(.min) == [gap] && lost(start + 1, start + 2) == [gap])
            #expect(try lost(start + 2) == nil && lost(start, start + 1) == nil && lost(.max) == nil && lost(start, .min) == nil)
            // Many rows are counted by an index.
            try store.track(.history)
            try store.write { tx in _ = try tx.upsert((0..<10_001).map { number in Patient { $0.id = "new\(number)" } }) }
            #expect(try lost(start + 2) == nil && lost(start) == [gap])
            try execute(store, "DELETE FROM _change WHERE seq = \(start + 9_999)")
            #expect(try lost(start) == [gap, start + 9_999...start + 9_999])
        }
    }

    @Test func aFileWithoutTheMarkIsReadAsItIs() throws {
        try withLog { store, start in
            try execute(store, "DELETE FROM _meta WHERE key = 'track.whole'")
            try execute(store, "DELETE FROM _change WHERE seq = \(start + 2)")
            #expect(try store.changes(since: start).count == 4)
            #expect(try store.check().isEmpty)
            // From the next change on it has one.
            try put(store, "f", "Adams")
            try put(store, "g", "Adams")
            try execute(store, "DELETE FROM _change WHERE seq = (SELECT max(seq) FROM _change)")
            #expect(code { try store.changes(since: start) } == .resyncRequired)
        }
    }

    @Test func marksAreReadAsTheyAreWritten() throws {
        let joined = ChangeLogMark.joined([9...9, 5...6, 7...7, 1...2, 12...14])
        #expect(joined == [1...2, 5...7, 9...9, 12...14])
        #expect(ChangeLogMark.text(of: joined) == "1 2 5 7 9 9 12 14")
        #expect(ChangeLogMark.holes(of: "1 2 5 7 9 9 12 14") == joined)
        for text in ["5", "7 5", "5 9 9 10", "0 3", "x 3", "3 9223372036854775807"] {
            #expect(ChangeLogMark.holes(of: text).isEmpty, "\(text)")
        }
        #expect(ChangeLogMark(stored: "3 20", next: 20)?.first == 3)
        for text in ["", "3", "3 21", "0 20", "x 20", "3 20 5", "3 20 5 7"] {
            #expect(ChangeLogMark(stored: text, next: 20) == nil, "\(text)")
        }
        #expect(ChangeLogMark.remaining([1...10, 12...15], without: [2...3, 10...12]) == [1...1, 4...9, 13...15])
        #expect(ChangeLogMark.text([1...1, 3...4]) == "1, 3 to 4")
    }

    @Test func whatEachWriteStoresDoesNotGrowWithTheHoles() throws {
        try withLog { store, start in
            for _ in 0..<50 {
                try store.write { tx in
                    try tx.upsert(Patient { $0.id = "gone" })
                    try tx.delete(Patient.self, id: "gone")
                    try tx.upsert(Patient { $0.id = "f" })
                    try #require(try tx.resource(Patient.self, id: "f")).active = true
                }
                try put(store, "f", "Adams")
            }
            let value = { (key: String) in try store.sql("SELECT value FROM _meta WHERE key = '\(key)'").first?[0].text }
            let next = try store.newestChange() + 1
            #expect(try value("track.whole") == "\(start + 1) \(next)")
            let holes = ChangeLogMark.holes(of: try value("track.holes"))
            #expect(holes.count == 50)
            let kept = try store.sql("SELECT seq FROM _change ORDER BY seq").compactMap { $0[0].integer }
            #expect(Set(start + 1..<next).subtracting(kept) == Set(holes.joined()))
            #expect(try store.check().isEmpty)
            try execute(store, "DELETE FROM _change WHERE seq = \(next - 2)")
            #expect(code { try store.changes(since: start) } == .resyncRequired)
            // Without their numbers, what was taken out on purpose counts as lost.
            try execute(store, "UPDATE _meta SET value = '' WHERE key = 'track.holes'")
            #expect(try store.check().count == 1)
        }
    }

    @Test func ofTooManyHolesTheOlderHalfIsForgotten() throws {
        try withLog { store, start in
            let most = Int64(ChangeLogMark.mostHoles)
            let next = try store.newestChange() + 1
            try store.withWritingConnection { connection in
                var mark = try #require(ChangeLogMark(stored: "\(start + 1) \(next + 4 * most)", next: next + 4 * most))
                var settings = TrackingSettings()
                (settings.next, settings.start) = (next + 4 * most, start + 1)
                mark.add((0...most).map { next + 2 * $0...next + 2 * $0 })
                try mark.store(settings, connection)
                #expect(try mark.holes(connection).count == Int(most / 2))
                #expect(try mark.holes(connection).first == mark.first + 1...mark.first + 1)
                #expect(mark.first == next + 2 * (most / 2) + 1)
            }
        }
    }

    // MARK: - Numbers that are not valid

    @Test(arguments: ["track.next", "track.start"], ["9223372036854775807", "'x'", "9e999", "-1", "7.5", "NULL"])
    func aNumberThatIsNotValidIsAnError(key: String, value: String) throws {
        try withLog { store, start in
            try execute(store, "UPDATE _meta SET value = \(value) WHERE key = '\(key)'")
            #expect(code { try put(store, "a", "Brown") } == .notAStore)
            #expect(code { try store.write { tx in try tx.delete(Patient.self, id: "a") } } == .notAStore)
            let many = (0..<40).map { number in Patient { $0.id = "new\(number)" } }
            #expect(code { try store.write { tx in _ = try tx.upsert(many) } } == .notAStore)
            #expect(code { try store.changes(since: start) } == .notAStore)
            #expect(try store.check().contains { $0.kind == .nextNumber && $0.text.hasSuffix("is not valid") })
            #expect(try store.resource(Patient.self, id: "a")?.name[0].family == "Adams")
        }
    }

    @Test func aVersionWithoutANextOneIsAnError() throws {
        try withLog { store, _ in
            try store.track(.history)
            try execute(store, "UPDATE _resource SET revision = 9223372036854775807 WHERE root = 1")
            let error = #expect(throws: FHIRStoreError.self) { try put(store, "a", "Brown") }
            #expect(error?.code == .notAStore && error?.message.contains("the version 9223372036854775807") == true)
            #expect(try store.check().map(\.text) == ["the version 9223372036854775807 of the resource with number 1 is not valid"])
            // The others go on.
            try put(store, "b", "Brown")
            try store.write { tx in _ = try tx.delete(Patient.self, id: "b") }
            try execute(store, "UPDATE _change SET revision = 9223372036854775807 WHERE kind = 2")
            #expect(code { try put(store, "b", "Clark") } == .notAStore)
            #expect(try store.check().count == 2)
        }
    }

    @Test func aChangeOfAnotherTypeIsRefused() throws {
        try withLog { store, start in
            try putObservation(store, "o")
            try put(store, "a", "Brown")
            let root = "(SELECT root FROM _resource ORDER BY root DESC LIMIT 1)"
            try execute(store, "UPDATE _change SET root = \(root) WHERE kind = 1")
            #expect(code { try store.changes(since: start, squashed: false) } == .notAStore)
            #expect(code { try store.changes(since: start + 6) } == .notAStore)
            let findings = try store.check()
            #expect(findings.map(\.text) == ["change \(start + 7) has the type Patient, but its resource Observation"])
        }
    }

    @Test func aReadersPlaceBeyondTheEndStopsNothing() throws {
        try withLog { store, _ in
            let reader = try store.changeReader(named: "sync")
            try execute(store, "UPDATE _change_reader SET seq = 9223372036854775807")
            #expect(code { try reader.changes() } == .resyncRequired)
            _ = try store.changeReader(named: "other")
            try store.removeChangeReader(named: "other")
            try reader.skipToNewest()
            try put(store, "f", "Adams")
            #expect(try reader.changes().map(\.resourceID) == ["f"])
        }
    }
}
