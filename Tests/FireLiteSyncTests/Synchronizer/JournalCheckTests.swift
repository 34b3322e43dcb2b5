import FireLiteR4
import Foundation
import Testing

@testable import FireLite
@testable import FireLiteClient
@testable import FireLiteSync

/// `FHIRStore.check()` compares what a synchronizer and the outbox have noted with the resources and changes that it is about.
struct JournalCheckTests {
    private let server = ModelServer()

    /// A device with two patients of the server, one of them changed, one of its own, and one that is deleted here.
    private func device() async throws -> Device {
        for id in ["a", "b", "c"] { server.put(samplePatient(id)) }
        let device = try Device(server)
        try await device.sync()
        try device.edit { tx in
            try tx.resource(Patient.self, id: "a")?.active = true
            try tx.upsert(samplePatient("own"))
            _ = try tx.delete(Patient.self, id: "c")
        }
        return device
    }

    private func findings(_ device: Device) throws -> [StoreFinding] { try device.store.blocking { try $0.check() } }

    /// Changes rows without the synchronizer.
    private func run(_ device: Device, _ sql: String) throws {
        try device.edit { tx in try #require(try tx.run(on: SyncJournal.tables, sql) > 0) }
    }

    /// What damage does: the resource is gone, and the change log knows nothing of it.
    private func lose(_ device: Device, _ id: String) throws {
        try device.store.blocking { store in
            try store.write(origin: .server) { tx in try #require(try tx.delete(Patient.self, id: id)) }
        }
    }

    @Test func journalsOfChangesThatWaitAreSound() async throws {
        let device = try await device()
        #expect(try findings(device).isEmpty)
        #expect(try await device.synchronizer.changes().count == 3)
        #expect(try findings(device).isEmpty)
        try await device.sync()
        #expect(try findings(device).isEmpty)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    @Test func aResourceThatTheServerHasAndTheStoreLostIsNamed() async throws {
        let device = try await device()
        try lose(device, "b")
        let found = try findings(device)
        #expect(found.map(\.table) == ["_sync_resource"] && found.map(\.typeName) == ["Patient"])
        #expect(found.first?.text.contains("1 resource that the server has is missing") == true)
    }

    @Test func aLostResourceWhoseChangeWaitsIsNoDeletion() async throws {
        let device = try await device()
        // The synchronizer takes in the changes.
        #expect(try await device.synchronizer.changes().count == 3)
        try lose(device, "a")
        let found = try findings(device)
        #expect(found.map(\.table) == ["_sync_change"] && found.first?.text.contains("would delete it at the server") == true)
    }

    /// Without the log since the last look, nobody knows whether what is missing was deleted here.
    @Test func whatIsMissingAfterAGapOfTheLogIsNamed() async throws {
        let device = try await device()
        try await device.sync()
        try lose(device, "b")
        try device.store.blocking { store in
            try store.stopTracking(.changes)
            try store.track(.changes)
        }
        #expect(try findings(device).map(\.table) == ["_sync_resource"])
        // Nor is it forgotten once a sync has found it.
        #expect(try await device.sync().undecided == 1)
        let found = try findings(device)
        #expect(found.map(\.table) == ["_sync_change"] && found.map(\.typeName) == ["Patient"])
        #expect(try await device.synchronizer.discard("Patient", id: "b"))
        try await device.sync()
        #expect(try findings(device).isEmpty)
    }

    @Test(arguments: [
        ("DELETE FROM _sync_server", ["_sync_scope", "_sync_resource", "_sync_change"]),
        ("UPDATE _sync_server SET base = NULL", ["_sync_server"]),
        ("UPDATE _sync_change SET state = 9 WHERE id = 'a'", ["_sync_change"]),
        ("UPDATE _sync_change SET base = substr(base, 2) WHERE id = 'a'", ["_sync_change"]),
        ("UPDATE _sync_change SET remote = '{' WHERE id = 'a'", ["_sync_change"]),
        (#"UPDATE _sync_change SET base = '{"resourceType":"Basic","id":"a","code":{"text":"x"}}' WHERE id = 'a'"#, ["_sync_change"]),
        ("UPDATE _sync_change SET seq = 900 WHERE id = 'a'", ["_sync_change"]),
        ("UPDATE _sync_change SET type = 'Patent' WHERE id = 'a'", ["_sync_change"]),
    ])
    func damagedRowsAreNamed(_ damage: String, _ tables: [String]) async throws {
        let device = try await device()
        #expect(try await device.synchronizer.changes().count == 3)
        try run(device, damage)
        let found = try findings(device)
        #expect(Set(found.compactMap(\.table)) == Set(tables), "\(damage): \(found)")
        #expect(found.allSatisfy { $0.kind == .mismatch })
    }

    @Test func aRequestWithoutAMethodIsNamed() throws {
        let device = try Device(server)
        try device.edit { tx in _ = try tx.enqueue(.create(samplePatient("a")), for: testBase) }
        #expect(try findings(device).isEmpty)
        try device.edit { tx in try #require(try tx.runOutbox("UPDATE _outbox SET method = ''") == 1) }
        #expect(try findings(device).map(\.table) == ["_outbox"])
    }
}
