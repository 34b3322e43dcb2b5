import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// The history keeps all versions of resources.
@Suite(.soundStores) struct HistoryTests {
    private static func families(_ store: FHIRStore, _ id: String) throws -> [String] {
        try store.history(of: Patient.self, id: id).map { version in
            try store.resource(Patient.self, id: id, version: version.version)?.name.first?.family ?? "?"
        }
    }

    @Test func everyVersionCanBeRead() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "A1")
        try store.track(.history)
        try put(store, "a", "A2")
        try store.write(origin: .server) { tx in try #require(try tx.resource(Patient.self, id: "a")).name[0].family = "A3" }
        #expect(try Self.families(store, "a") == ["A3", "A2", "A1"])
        let versions = try store.history(of: Patient.self, id: "a")
        #expect(versions.map(\.version) == [3, 2, 1])
        #expect(versions.map(\.isCurrent) == [true, false, false])
        // When it was first stored was not recorded.
        #expect(versions[2].storedAt == nil && versions[2].replacedAt == versions[1].storedAt)
        #expect(try store.history(typeName: "Patient", id: "none").isEmpty)
        #expect(try store.resource(Patient.self, id: "a", version: 4) == nil)
        // The log has nothing of it.
        #expect(try store.tracked(.changes).isEmpty)
    }

    /// Of each write by the clock with which the store was opened, on every connection.
    @Test func timesAreThoseOfTheStoresClock() throws {
        let folder = try TemporaryFolder()
        let moments = [1_000_000_000, 2_000_000_000].map { Date(timeIntervalSince1970: $0) }
        for (moment, family) in zip(moments, ["A1", "A2"]) {
            var configuration = FHIRStore.Configuration()
            configuration.clock.now = { moment }
            let store = try FHIRStore(path: folder.file("clock.sqlite"), release: .r4, configuration: configuration)
            try store.track(.history)
            try put(store, "a", family)
            let written = try store.sql("SELECT updated FROM _resource").first?.values[0]
            #expect(written == .integer(Int64(moment.timeIntervalSince1970) * 1_000))
            try store.close()
        }
        let store = try FHIRStore(path: folder.file("clock.sqlite"), release: .r4)
        let versions = try store.history(of: Patient.self, id: "a")
        #expect(versions.map(\.storedAt) == [moments[1], moments[0]] && versions[1].replacedAt == moments[1])
    }

    @Test func aDeletedResourceIsReadAndRestored() throws {
        let store = try freshStore()
        try store.track(.history)
        try put(store, "a", "A1")
        let pk = try #require(try store.resource(Patient.self, id: "a")?.pk)
        try put(store, "a", "A2")
        try store.write { tx in try tx.delete(Patient.self, id: "a") }
        let versions = try store.history(of: Patient.self, id: "a")
        #expect(versions.map(\.isDeleted) == [true, false] && versions.allSatisfy { $0.pk == pk })
        #expect(try Self.families(store, "a") == ["A2", "A1"])
        try store.write { tx in
            let restored = try #require(try tx.restore(Patient.self, id: "a", version: 1))
            #expect(restored.name[0].family == "A1")
            #expect(try tx.restore(Patient.self, id: "a", version: 9) == nil)
        }
        #expect(try store.resource(Patient.self, id: "a")?.name[0].family == "A1")
        // A new resource, whose versions continue.
        let all = try store.history(of: Patient.self, id: "a")
        #expect(all.map(\.version) == [3, 2, 1] && all[0].isCurrent && all[0].pk != pk)
        #expect(try Self.families(store, "a") == ["A1", "A2", "A1"])
    }

    private func delete(_ store: FHIRStore, _ id: String) throws { try store.write { tx in _ = try tx.delete(Patient.self, id: id) } }

    private func versions(_ store: FHIRStore, _ id: String) throws -> [Int64] {
        try store.history(of: Patient.self, id: id).map(\.version)
    }

    @Test func versionsOfAResourceThatIsStoredAgainContinue() throws {
        let store = try freshStore(isInFile: true)
        try store.track(.history)
        for family in ["A1", "A2"] { try put(store, "a", family) }
        try delete(store, "a")
        try put(store, "b", "B1")
        try put(store, "a", "A3")
        #expect(try versions(store, "a") == [3, 2, 1] && versions(store, "b") == [1])
        // The object that was stored can be changed and saved, as can one that is fetched.
        try store.write { tx in
            try tx.delete(Patient.self, id: "a")
            let again = try tx.upsert(Patient { $0.id = "a" })
            again.active = true
            try tx.saveChanges()
            again.active = false
        }
        #expect(try versions(store, "a").first == 4)
        try store.write { tx in try #require(try tx.resource(Patient.self, id: "a")).active = nil }
        #expect(try versions(store, "a").first == 5)
        // Each number is read once.
        let all = try versions(store, "a")
        #expect(all == all.sorted(by: >) && Set(all).count == all.count)
        #expect(try store.resource(Patient.self, id: "a", version: 3)?.name[0].family == "A3")
        // Another type with the id begins at 1.
        try putObservation(store, "a")
        #expect(try store.history(of: Observation.self, id: "a").map(\.version) == [1])
    }

    @Test func manyResourcesThatAreStoredAgainContinue() throws {
        let store = try freshStore()
        try store.track(.history, of: Patient.self)
        let ids = (0..<600).map { "\($0)" }
        func storeAll() throws { try store.write { tx in _ = try tx.upsert(ids.map { id in Patient { $0.id = id } }) } }
        try storeAll()
        try store.write { tx in for id in ids[..<300] { try tx.delete(Patient.self, id: id) } }
        try storeAll()
        for (index, id) in ids.enumerated() { #expect(try versions(store, id).first == (index < 300 ? 2 : 1)) }
        #expect(try store.sql("SELECT count(*) FROM _resource WHERE revision = 2")[0][0].integer == 300)
    }

    @Test func pruningTakesNoNumberBack() throws {
        let store = try freshStore(isInFile: true)
        try store.track(.history)
        for family in ["A1", "A2", "A3"] { try put(store, "a", family) }
        try delete(store, "a")
        // The three versions and when the first was added.
        #expect(try store.write { try $0.pruneHistory() } == 4)
        #expect(try versions(store, "a").isEmpty && store.history().isEmpty)
        #expect(try store.write { try $0.pruneHistory() } == 0)
        #expect(try store.check().isEmpty)
        // A hash of the id is all that is left, and no other id has it.
        let row = try #require(try store.sql("SELECT * FROM _change").first)
        #expect(row["id"].text?.hasPrefix("#") == true && row["revision"] == 3 && row["content"].isNull && row["pk"].isNull)
        #expect(try store.sql("SELECT count(*) FROM _change")[0][0] == 1)
        try put(store, "b", "B1")
        #expect(try versions(store, "b") == [1])
        try put(store, "a", "A4")
        #expect(try versions(store, "a") == [4])
        try put(store, "a", "A5")
        try delete(store, "a")
        _ = try store.write { try $0.pruneHistory() }
        // One row for the id, with the last number.
        #expect(try store.sql("SELECT revision FROM _change WHERE kind = 2").map { $0[0] } == [5])
        try put(store, "a", "A6")
        #expect(try versions(store, "a") == [6])
        #expect(try store.check().isEmpty)
    }

    @Test func prunedNumbersAreKeptByBackupsAndRecoveredStores() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.track(.history)
            try store.track(.changes)
            try put(store, "a", "A1")
            try put(store, "a", "A2")
            try delete(store, "a")
            try store.changeReader(named: "sync").skipToNewest()
            _ = try store.write { try $0.pruneHistory() }
            try put(store, "b", "B1")
            #expect(try store.changeReader(named: "sync").changes().map(\.resourceID) == ["b"])
            try store.backup(to: URL(fileURLWithPath: folder + "/backup.sqlite"))
            try store.close()
            try FHIRStore.recover(
                from: URL(fileURLWithPath: folder + "/store.sqlite"), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
            for name in ["backup", "recovered"] {
                let copy = try FHIRStore(path: folder + "/\(name).sqlite", release: .r4)
                try put(copy, "a", "A3")
                #expect(try versions(copy, "a") == [3], "\(name)")
                #expect(try copy.changes(since: copy.changeLogStart(), squashed: false).map(\.resourceID) == ["b", "a"])
                #expect(try copy.check().isEmpty)
                // Nothing is left when nothing is tracked.
                for tracking in StoreTracking.allCases { try copy.stopTracking(tracking) }
                #expect(try copy.sql("SELECT count(*) FROM _change")[0][0] == 0)
            }
        }
    }

    @Test func withoutAHistoryNumbersBeginAgain() throws {
        let store = try freshStore()
        try store.track(.changes)
        try put(store, "a", "A1")
        try put(store, "a", "A2")
        try delete(store, "a")
        try put(store, "a", "A3")
        #expect(try store.sql("SELECT revision FROM _resource").map { $0[0] } == [1])
        // Pruning needs no numbers of a log.
        _ = try store.write { try $0.pruneHistory() }
        #expect(try store.sql("SELECT count(*) FROM _change WHERE id LIKE '#%'")[0][0] == 0)
    }

    @Test func aVersionCanBeRestoredByTheNameOfItsType() throws {
        let store = try freshStore()
        try store.track(.history)
        for family in ["A1", "A2"] { try put(store, "a", family) }
        try store.write { tx in
            let restored = try tx.restore(typeName: "Patient", id: "a", version: 1) as? Patient
            #expect(restored?.name[0].family == "A1")
            #expect(try tx.restore(typeName: "Observation", id: "a", version: 1) == nil)
            #expect(throws: FHIRStoreError.self) { try tx.restore(typeName: "Horse", id: "a", version: 1) }
        }
        #expect(try Self.families(store, "a") == ["A1", "A2", "A1"])
    }

    @Test func theHistoryOfTypesAndOfTheStore() throws {
        let store = try freshStore()
        try store.track(.history)
        try put(store, "a", "A1")
        try put(store, "a", "A2")
        try putObservation(store, "o")
        try store.write { tx in try tx.delete(Observation.self, id: "o") }
        #expect(try store.history().count == 3)
        #expect(try store.history(typeName: "Observation").map(\.isDeleted) == [true])
        #expect(try store.history(limit: 1).count == 1)
        #expect(try store.history(since: .distantFuture).isEmpty)
    }

    @Test func oldVersionsArePrunedByNumberAndAge() throws {
        let store = try freshStore()
        try store.track(.history)
        for family in ["A1", "A2", "A3", "A4"] { try put(store, "a", family) }
        #expect(try store.write { try $0.pruneHistory(keeping: 2) } >= 1)
        #expect(try Self.families(store, "a") == ["A4", "A3", "A2"])
        #expect(try store.write { try $0.pruneHistory(replacedBefore: .distantPast) } == 0)
        _ = try store.write { try $0.pruneHistory() }
        #expect(try Self.families(store, "a") == ["A4"])
    }

    /// A query writes the changes so far, and each that is written counts until the commit.
    @Test func changesOfOneWriteAreOneVersion() throws {
        let store = try freshStore(isInFile: true)
        try store.track(.history)
        try put(store, "a", "A1")
        let held = try #require(try store.resource(Patient.self, id: "a"))
        for round in 1...3 {
            try store.write { tx in
                let query = tx.query(Patient.self)
                for step in 1...3 {
                    held.name[0].family = "\(round).\(step)"
                    #expect(try query.where { $0.name.family == "\(round).\(step)" }.count() == 1)
                }
                _ = try tx.upsert([Patient { $0.id = "b\(round)" }])
                let added = try #require(try tx.resource(Patient.self, id: "b\(round)"))
                added.active = true
                #expect(try query.where { $0.active == true }.count() == round)
                added.active = false
                _ = try query.count()
                added.active = true
            }
            #expect(held.isCurrent)
        }
        #expect(try versions(store, "a") == [4, 3, 2, 1])
        #expect(try Self.families(store, "a") == ["3.3", "2.3", "1.3", "A1"])
        for round in 1...3 { #expect(try versions(store, "b\(round)") == [1]) }
        // An object that was read between two changes, or after them, is current after the write.
        let read = try store.write { tx in
            _ = try tx.upsert([Patient { $0.id = "b1" }])
            _ = try tx.upsert([
                Patient {
                    $0.id = "b1"; $0.active = false
                }
            ])
            let read = try #require(try tx.resource(Patient.self, id: "b1"))
            _ = try tx.upsert([
                Patient {
                    $0.id = "b1"; $0.active = true
                }
            ])
            return read
        }
        #expect(read.isCurrent && read.active == true)
        #expect(try versions(store, "b1") == [2, 1])
        try store.write { _ in read.active = false }
        #expect(try versions(store, "b1") == [3, 2, 1])
        // What fails leaves the objects as they were, and they can be changed again.
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try store.write { tx in
                for step in 1...2 {
                    held.name[0].family = "failed \(step)"
                    _ = try tx.query(Patient.self).count()
                }
                throw Failure()
            }
        }
        #expect(held.isCurrent && held.name[0].family == "3.3")
        try store.write { _ in held.name[0].family = "last" }
        #expect(try versions(store, "a") == [5, 4, 3, 2, 1])
    }

    /// Deleted and stored again, an id has one line of versions, of which so many are kept.
    @Test func versionsOfAnIDArePrunedTogetherHoweverOftenItWasDeleted() throws {
        for count in 0...8 {
            let store = try freshStore()
            try store.track(.history)
            try put(store, "b", "B1")
            try delete(store, "b")
            for round in 1...3 {
                for family in 1...2 { try put(store, "a", "\(round).\(family)") }
                if round < 3 { try delete(store, "a") }
            }
            let all = try Self.families(store, "a")
            #expect(all == ["3.2", "3.1", "2.2", "2.1", "1.2", "1.1"])
            let before = try versions(store, "a")
            _ = try store.write { try $0.pruneHistory(keeping: count) }
            #expect(try Self.families(store, "a") == Array(all.prefix(count + 1)), "keeping \(count)")
            #expect(try versions(store, "a") == Array(before.prefix(count + 1)), "keeping \(count)")
            #expect(try Self.families(store, "b") == (count == 0 ? [] : ["B1"]))
            #expect(try store.write { try $0.pruneHistory(keeping: count) } == 0)
            // No number comes back.
            try delete(store, "a")
            try put(store, "a", "4")
            #expect(try versions(store, "a").first == 7)
        }
    }

    @Test func whatTheLogNeedsOfWhatWouldBePrunedIsCounted() throws {
        let store = try freshStore()
        try store.track(.changes)
        try store.track(.history)
        func needed(_ count: Int = 0) throws -> Int { try store.write { try $0.historyNeededByLog(keeping: count) }.entries }
        for family in ["A1", "A2", "A3"] { try put(store, "a", family) }
        #expect(try store.write { try $0.pruneHistory() } == 0)
        // The addition and two changes.
        #expect(try needed() == 3 && needed(1) == 2 && needed(2) == 1 && needed(3) == 0)
        let reader = try store.changeReader(named: "sync")
        try put(store, "a", "A4")
        #expect(try store.write { try $0.pruneHistory() } == 3)
        #expect(try needed() == 1)
        #expect(try store.write { try $0.historyNeededByLog() }.reader?.name == "sync")
        try reader.acknowledge(through: store.newestChange())
        #expect(try needed() == 0)
        #expect(try store.write { try $0.pruneHistory() } == 1)
    }

    @Test func theLogAndTheHistoryKeepWhatTheOtherDoesNotNeed() throws {
        let store = try freshStore()
        try store.track(.changes)
        try store.track(.history)
        let reader = try store.changeReader(named: "sync")
        try put(store, "a", "A1")
        try put(store, "a", "A2")
        // Acknowledged, and still history.
        try reader.acknowledge(through: store.newestChange())
        #expect(try Self.families(store, "a") == ["A2", "A1"])
        // Pruned, but not what the log needs.
        try put(store, "a", "A3")
        _ = try store.write { try $0.pruneHistory() }
        #expect(try Self.families(store, "a") == ["A3", "A2"])
        #expect(try reader.changes().count == 1)
        try store.stopTracking(.history)
        try reader.acknowledge(through: store.newestChange())
        #expect(try store.sql("SELECT count(*) FROM _change")[0].values[0] == .integer(0))
    }

    @Test func aDamagedVersionIsAnErrorAndAFinding() throws {
        let store = try FHIRStore(path: freshStore(isInFile: true).path, release: .r4)
        try store.track(.history)
        try put(store, "a", "A1")
        try put(store, "a", "A2")
        #expect(try store.check().isEmpty)
        try store.withWritingConnection { try $0.run("UPDATE _change SET content = replace(content, 'A1', 'B1') WHERE kind = 1") }
        #expect(throws: FHIRStoreError.self) { try store.resource(Patient.self, id: "a", version: 1) }
        #expect(try store.check().map(\.kind) == [.content])
        try store.withWritingConnection { try $0.run("UPDATE _change SET content = '{' WHERE kind = 1") }
        #expect(throws: FHIRStoreError.self) { try store.resource(Patient.self, id: "a", version: 1) }
        // The test's store is checked at the end.
        try store.write { _ = try $0.pruneHistory() }
    }

    @Test func backupsAndRecoveredStoresHaveTheHistoryAndTheLog() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try store.track(.history)
            try store.track(.changes)
            let reader = try store.changeReader(named: "sync")
            try put(store, "a", "A1")
            try put(store, "a", "A2")
            try store.write { tx in try tx.delete(Patient.self, id: "a") }
            try put(store, "b", "B1")
            try store.backup(to: URL(fileURLWithPath: folder + "/backup.sqlite"))
            try store.close()
            try FHIRStore.recover(
                from: URL(fileURLWithPath: folder + "/store.sqlite"), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
            for name in ["backup", "recovered"] {
                let copy = try FHIRStore(path: folder + "/\(name).sqlite", release: .r4)
                #expect(try Self.families(copy, "a") == ["A2", "A1"], "\(name)")
                #expect(try copy.changeReader(named: "sync").changes().map(\.resourceID) == ["b"], "\(name)")
                try put(copy, "c", "C1")
                #expect(try copy.changeReader(named: "sync").changes().count == 2)
                #expect(try copy.check().isEmpty)
            }
            _ = reader
        }
    }

    @Test func onlyFilesThatTrackHaveTheNewFormat() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            func format() throws -> SQLValue { try store.sql("PRAGMA user_version")[0].values[0] }
            #expect(try format() == .integer(2))
            try store.track(.changes)
            #expect(try format() == .integer(3))
            try store.close()
            var configuration = FHIRStore.Configuration()
            configuration.access = .readOnly
            #expect(try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration).tracked(.changes) == .all)
        }
    }
}
