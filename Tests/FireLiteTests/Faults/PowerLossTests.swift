import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Loss of power at every sync point of a workload. `FIRELITE_FAULT_SEEDS` sets how many images of each kind are made; default: 1.
@Suite struct PowerLossTests {
    private static let seeds = ProcessInfo.processInfo.environment["FIRELITE_FAULT_SEEDS"].flatMap(Int.init) ?? 1

    /// What a workload did, and what the store held after each commit.
    private struct Recording {
        var records: [DiskRecord]
        var states: [[String: String]]
    }

    /// What became of the images.
    private struct Outcome {
        var points = 0
        var images = 0
        var lost = 0
        var torn = 0
        var faults: [String] = []
    }

    private func record(_ durability: FHIRStore.Durability) throws -> Recording {
        try withTemporaryFolder { folder in
            let disk = FaultDisk(folder: folder)
            disk.record()
            let path = folder + "/store.sqlite"
            var states: [[String: String]] = [[:]]
            var configuration = FHIRStore.Configuration()
            configuration.durability = durability
            func commit(_ store: FHIRStore, _ body: (WriteTransaction) throws -> Void) throws {
                try store.write(body)
                disk.mark(states.count)
                states.append(try snapshot(store))
            }
            do {
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                try commit(store) { tx in try tx.upsert((0..<40).map { faultPatient("\($0)") }) }
                try commit(store) { tx in
                    for id in stride(from: 0, to: 40, by: 3) {
                        let patient = try #require(try tx.resource(Patient.self, id: "\(id)"))
                        patient.name[0].family = "changed"
                        patient.name.removeLast()
                    }
                }
                try commit(store) { tx in try tx.upsert((0..<40).map { faultObservation("\($0)") }) }
                try commit(store) { tx in for id in 0..<10 { try tx.delete(Patient.self, id: "\(id)") } }
                try store.createIndex(Patient.self) { $0.name.family }
                try commit(store) { tx in try tx.upsert((100..<110).map { faultPatient("\($0)", names: 5) }) }
                try Connection(path: path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
                try commit(store) { tx in try tx.upsert((100..<110).map { faultPatient("\($0)", names: 3) }) }
                try Connection(path: path).execute("PRAGMA wal_checkpoint(RESTART)")
                try commit(store) { tx in try tx.upsert((200..<300).map { faultPatient("\($0)") }) }
            }
            do {
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                try commit(store) { tx in try tx.delete(Observation.self, id: "3") }
                try commit(store) { tx in try tx.upsert((300..<310).map { faultPatient("\($0)") }) }
            }
            return Recording(records: disk.records, states: states)
        }
    }

    /// Makes images before and after each sync and each return of a commit, and opens each.
    private func replay(_ recording: Recording, keeps allowed: (_ returned: Int) -> ClosedRange<Int>) throws -> Outcome {
        var outcome = Outcome()
        var model = DiskModel()
        var returned = 0
        var random = SeededGenerator(seed: 6)
        func look() throws {
            outcome.points += 1
            for loss in DiskModel.Loss.allCases where loss == .everything || !model.isSynced {
                let isSeeded = loss == .some || loss == .tornAndReordered
                for _ in 0..<(isSeeded ? Self.seeds : 1) {
                    outcome.images += 1
                    if loss == .tornAndReordered { outcome.torn += 1 }
                    do {
                        let found = try contents(of: model.image(after: loss, &random))
                        let range = allowed(returned).clamped(to: 0...recording.states.count - 1)
                        if !range.contains(where: { recording.states[$0] == found }) { outcome.lost += 1 }
                    } catch {
                        outcome.faults.append("\(loss) at point \(outcome.points): \(error)")
                    }
                }
            }
        }
        for record in recording.records {
            if case .synced = record { try look() }
            model.apply(record)
            switch record {
            case .synced: try look()
            case .mark(let number):
                returned = number
                try look()
            default: break
            }
        }
        return outcome
    }

    private struct Unsound: Error {
        let faults: [String]
    }

    /// What a fresh store finds in the files; it must be sound.
    private func contents(of image: [String: [UInt8]]) throws -> [String: String] {
        try withTemporaryFolder { folder in
            for (name, bytes) in image { try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name)) }
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            let faults = try store.check().map(\.text)
            guard faults.isEmpty else { throw Unsound(faults: faults) }
            return try snapshot(store)
        }
    }

    @Test func fullKeepsEveryCommitThatReturned() throws {
        let outcome = try replay(record(.full)) { $0...$0 + 1 }
        #expect(outcome.faults == [])
        #expect(outcome.lost == 0)
        #expect(outcome.points > 30)
        print("power loss: full, \(outcome.points) points, \(outcome.images) images, \(outcome.torn) of them torn and reordered")
    }

    @Test func normalKeepsAPrefixOfTheCommits() throws {
        let recording = try record(.normal)
        let outcome = try replay(recording) { 0...$0 + 1 }
        #expect(outcome.faults == [])
        #expect(outcome.lost == 0)
        print("power loss: normal, \(outcome.points) points, \(outcome.images) images, \(outcome.torn) of them torn and reordered")
    }

    /// That the images forget what was not synced, or the tests above would hold for any store.
    @Test func withoutSyncsCommitsAreLost() throws {
        let bulk = try replay(record(.bulk)) { $0...$0 + 1 }
        #expect(bulk.lost + bulk.faults.count > 0)
        var deaf = try record(.full)
        deaf.records.removeAll { if case .synced = $0 { true } else { false } }
        let outcome = try replay(deaf) { $0...$0 + 1 }
        #expect(outcome.lost + outcome.faults.count > outcome.images / 2)
        print("power loss: without syncs \(outcome.lost + outcome.faults.count) of \(outcome.images) images lost commits")
    }
}
