import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// Modules take part in each write of a store object, inside its transaction.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct WriteParticipantTests {
    private static let module = ModuleTables(
        module: "witness", version: 1, tables: [ModuleTable("_witness", key: "number", columns: [.init("text", .text)])])

    private struct Refusal: Error {}

    /// Notes what it sees in a table and in memory.
    // `lock` guards the lists.
    private final class Witness: WriteParticipant, @unchecked Sendable {
        private let lock = NSLock()
        private var seen: [[WrittenResource]] = []
        private var refusing = false

        func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) throws {
            lock.withLock { seen.append(resources) }
            for resource in resources {
                try transaction.run(
                    on: module, "INSERT INTO _witness(text) VALUES (?)",
                    [.text("\(resource.kind) \(resource.typeName) \(resource.oldID ?? "-") \(resource.id ?? "-")")])
            }
            if lock.withLock({ refusing }) { throw Refusal() }
        }

        func refuse(_ refuses: Bool) { lock.withLock { refusing = refuses } }
        var last: [WrittenResource] { lock.withLock { seen.last ?? [] } }
        var calls: Int { lock.withLock { seen.count } }
    }

    private func notes(_ store: FHIRStore) throws -> [String] {
        try store.read { try $0.rows(of: Self.module, "SELECT text FROM _witness ORDER BY number").compactMap { $0[0].text } }
    }

    @Test func aParticipantSeesEachChangeWithIDsAndRevisions() throws {
        let store = try freshStore()
        let witness = store.participant(Witness.self) { Witness() }
        #expect(store.participant(Witness.self) { Witness() } === witness)
        try store.write { tx in try tx.upsert([Patient { $0.id = "a" }, Patient { $0.id = "b" }]) }
        try store.write { tx in
            try tx.upsert(
                Patient {
                    $0.id = "a"; $0.active = true
                })
            let stored = try #require(try tx.resource(Patient.self, id: "b"))
            stored.id = "c"
            stored.active = false
            try tx.add(Observation { $0.id = "o" })
        }
        #expect(witness.last.map(\.revision) == [2, 1, 2] && witness.last.map(\.oldRevision) == [1, 0, 1])
        try store.write { tx in
            try tx.delete(Patient.self, id: "a")
            try tx.add(Observation { $0.id = "gone" })
            try tx.delete(Observation.self, id: "gone")
        }
        #expect(
            try notes(store) == [
                "added Patient - a", "added Patient - b", "updated Patient a a", "added Observation - o", "updated Patient b c",
                "deleted Patient a a",
            ])
        #expect(witness.last[0].oldRevision == 2 && witness.last[0].revision == 0)
        let kept = try #require(try store.resource(Patient.self, id: "c"))
        #expect(witness.calls == 3 && kept.pk != witness.last[0].pk)
    }

    @Test func whatChangesNoResourceCallsNobody() throws {
        let store = try freshStore()
        try store.write { tx in try tx.upsert(Patient { $0.id = "a" }) }
        let witness = store.participant(Witness.self) { Witness() }
        try store.write { tx in try tx.upsert(Patient { $0.id = "a" }) }
        #expect(throws: Refusal.self) {
            try store.write { tx in
                try tx.upsert(Patient { $0.id = "b" })
                throw Refusal()
            }
        }
        #expect(witness.calls == 0)
        store.remove(participant: witness)
        try store.write { tx in try tx.upsert(Patient { $0.id = "c" }) }
        #expect(witness.calls == 0)
    }

    @Test func anErrorOfAParticipantRollsBackTheWrite() throws {
        let store = try freshStore()
        let witness = store.participant(Witness.self) { Witness() }
        try store.write { tx in try tx.upsert(Patient { $0.id = "a" }) }
        witness.refuse(true)
        let held = Patient { $0.id = "b" }
        #expect(throws: Refusal.self) { try store.write { tx in try tx.add(held) } }
        #expect(!held.isManaged)
        #expect(try store.query(Patient.self).ids() == ["a"])
        #expect(try notes(store) == ["added Patient - a"])
        witness.refuse(false)
        try store.write { tx in try tx.add(held) }
        #expect(try notes(store).count == 2)
    }

    @Test func changesBeyondTheLimitOfObserversAreAllListed() throws {
        let store = try freshStore()
        let witness = store.participant(Witness.self) { Witness() }
        let updates = store.changes()
        let count = CommitRecord.limit + 5
        try store.write { tx in try tx.upsert((0..<count).map { number in Patient { $0.id = "\(number)" } }) }
        #expect(witness.last.count == count && witness.last.last?.id == "\(count - 1)")
        withExtendedLifetime(updates) {}
    }

    @Test func asynchronousWritesAndImportsCallParticipants() async throws {
        let store = try freshStore()
        let witness = store.participant(Witness.self) { Witness() }
        try await store.write { tx in _ = try tx.store([Patient { $0.id = "a" }]) }
        #expect(witness.last.map(\.id) == ["a"])
        try await store.write(origin: .local) { tx in _ = try tx.delete(Patient.self, id: "a") }
        #expect(witness.last.map(\.kind) == [.deleted])
    }
}
