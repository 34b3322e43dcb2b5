import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite
@testable import FireLiteClient
@testable import FireLiteSync

/// The file notes how many rows the journal has of a server. If some are lost, `check` says so, and a sync compares everything before it sends.
@Suite struct LostRowsTests {
    private let server = ModelServer()

    /// A device with a changed, a new and a deleted patient, which it has not sent.
    private func device() async throws -> Device {
        for id in ["a", "b", "d"] { server.put(samplePatient(id, "One")) }
        let device = try Device(server) { $0.conflicts = .server }
        try await device.sync()
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Two"))
            try tx.upsert(samplePatient("c", "New"))
            try tx.delete(Patient.self, id: "b")
        }
        return device
    }

    private func run(_ device: Device, _ sql: String) throws {
        try device.edit { tx in try #require(try tx.run(on: SyncJournal.tables, sql) > 0) }
    }

    private func tables(_ device: Device) throws -> Set<String> {
        Set(try device.store.blocking { try $0.check() }.compactMap(\.table))
    }

    /// Without the list of changes, edits are sent, and nobody knows whether what is missing was deleted here.
    @Test func editsWithoutTheirRowsAreSent() async throws {
        let device = try await device()
        #expect(try await device.synchronizer.changes().count == 3)
        #expect(try tables(device).isEmpty)
        try run(device, "DELETE FROM _sync_change")
        #expect(try tables(device).contains("_sync_change"))
        let before = try device.contents()
        #expect(try await device.sync().undecided == 1)
        #expect(try device.contents() == before)
        #expect(server.contents["Patient/a"] == before["Patient/a"] && server.contents["Patient/c"] == before["Patient/c"])
        #expect(server.exists(SyncKey(typeName: "Patient", id: "b")) && server.version("Patient", "d") == 1)
        #expect(try await device.synchronizer.changes().map(\.id) == ["b"])
    }

    /// A check lists what the change log has lost, also of what a synchronizer has not seen yet.
    @Test(arguments: ["", " WHERE seq = (SELECT max(seq) FROM _change)"]) func aCheckListsLostRowsOfTheLog(condition: String) async throws {
        let device = try await device()
        try run(device, "DELETE FROM _change\(condition)")
        #expect(try tables(device).contains("_change"))
        _ = try await device.synchronizer.changes()
        #expect(try tables(device).contains("_change"))
    }

    /// Without the server's versions, what the log says is sent, and a deletion at the server is a conflict.
    @Test(arguments: [SyncDirection.both, .push]) func versionsThatAreLostAreComparedFirst(_ direction: SyncDirection) async throws {
        let device = try await device()
        server.remove("Patient", "d")
        try run(device, "DELETE FROM _sync_resource")
        #expect(try tables(device).contains("_sync_resource"))
        // The deletion stays in the list, although no row says that the server has the resource.
        if direction == .push { #expect(try await device.synchronizer.changes().count == 3) }
        let before = try device.contents()
        try await device.sync(direction)
        #expect(try device.contents() == before)
        #expect(server.contents == before.filter { $0.key != "Patient/d" })
        #expect(try await device.synchronizer.changes().map { "\($0.id) \($0.state)" } == ["d conflict"])
        #expect(try tables(device).isEmpty)
    }

    /// Recovery keeps the note, so that what was lost before it, or by it, is noticed after it, too.
    @Test(arguments: ["_sync_change", "_sync_resource"]) func recoveryKeepsTheNote(table: String) async throws {
        let folder = try TemporaryFolder()
        let files = ["old.sqlite", "new.sqlite"].map { folder.file($0) }
        for id in ["a", "b", "d"] { server.put(samplePatient(id, "One")) }
        do {
            let device = try Device(server, store: try FHIRStore(path: files[0], release: .r4))
            try await device.sync()
            try device.edit { tx in
                try tx.upsert(samplePatient("a", "Two"))
                try tx.upsert(samplePatient("c", "New"))
                try tx.delete(Patient.self, id: "b")
            }
            server.put(samplePatient("a", "Other"))
            #expect(try await device.synchronizer.changes().count == 3)
            try run(device, "DELETE FROM \(table)")
            try device.store.blocking { try $0.close() }
        }
        _ = try await FHIRStore.recover(
            from: URL(fileURLWithPath: files[0]), to: URL(fileURLWithPath: files[1]), release: .r4)
        let device = try Device(server, store: try FHIRStore(path: files[1], release: .r4))
        #expect(try tables(device).contains(table))
        for _ in 0..<2 { try await device.sync() }
        // Nobody knows which side changed it, and whether what is missing was deleted here.
        #expect(try device.patient("a")?.name.first?.family == "Two" && server.contents["Patient/a"]?.contains("Other") == true)
        #expect(try device.patient("b") == nil && server.exists(SyncKey(typeName: "Patient", id: "b")) == (table == "_sync_change"))
        #expect(server.contents["Patient/c"]?.contains("New") == true)
    }

    /// A server that was renumbered gets the number of its rows again.
    @Test func rowsOfARenumberedServerAreFound() async throws {
        let device = try await device()
        #expect(try await device.synchronizer.changes().count == 3)
        try run(device, "UPDATE _sync_server SET server = server + 1")
        #expect(try tables(device).contains("_sync_change"))
        try await device.sync()
        #expect(try await device.synchronizer.changes().isEmpty)
        #expect(try device.contents() == server.contents)
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/c", "Patient/d"])
        #expect(try tables(device).isEmpty)
    }
}
