import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What happens to resources that both sides have changed.
@Suite struct ConflictTests {
    private let server = ModelServer()

    /// A device and a server that both have changed the family name of a patient, the server also the gender.
    private func conflicting(_ policy: ConflictPolicy) async throws -> Device {
        let device = try Device(server) { $0.conflicts = policy }
        try device.edit { try $0.upsert(samplePatient("a", "Base")) }
        try await device.sync()
        let remote = samplePatient("a", "Remote")
        remote.gender = .female
        server.put(remote)
        try device.edit { try $0.upsert(samplePatient("a", "Local")) }
        return device
    }

    /// Behaviour 17: the answer is local.
    @Test func theStoresStateWins() async throws {
        let device = try await conflicting(.client)
        let result = try await device.sync()
        #expect(result.resolved == 1 && result.updated == 1)
        #expect(server.contents["Patient/a"]?.contains("Local") == true && server.contents["Patient/a"]?.contains("female") == false)
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 17: the answer is remote.
    @Test func theServersStateWins() async throws {
        let device = try await conflicting(.server)
        let result = try await device.sync()
        #expect(result.resolved == 1 && result.updated == 0)
        #expect(try device.contents() == server.contents && server.contents["Patient/a"]?.contains("Remote") == true)
    }

    /// Behaviour 17: a closure gets base, local and remote, by type and id.
    @Test func aClosureGetsBaseLocalAndRemote() async throws {
        let device = try await conflicting(
            ConflictPolicy { conflict in
                let names = [conflict.base, conflict.local, conflict.remote].map { ($0 as? Patient)?.name.first?.family }
                guard names == ["Base", "Local", "Remote"], conflict.typeName == "Patient", conflict.id == "a",
                    conflict.remoteVersion == "2", conflict.paths == ["name[0].family"], let merged = conflict.remote as? Patient
                else { return .deferred }
                merged.name[0].family = "Merged"
                return .merged(merged)
            })
        let result = try await device.sync()
        #expect(result.resolved == 1 && result.updated == 1 && result.deferred == 0)
        #expect(server.contents["Patient/a"]?.contains("Merged") == true && server.contents["Patient/a"]?.contains("female") == true)
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 17: the answer is deferred: listed, not sent, and resolved later.
    @Test func aDeferredConflictIsListedAndResolvedLater() async throws {
        let device = try await conflicting(.merge())
        let result = try await device.sync()
        #expect(result.deferred == 1 && result.pushed == 0)
        let conflicts = try await device.synchronizer.changes(.conflict)
        #expect(conflicts.map(\.id) == ["a"] && conflicts[0].remote?.contains("Remote") == true)
        #expect(conflicts[0].base?.contains("Base") == true)
        #expect(try await device.synchronizer.state(of: "Patient", id: "a") == .conflict)
        // Another edit, and another pull, change nothing about it.
        try device.edit { try $0.upsert(samplePatient("a", "Later")) }
        try await device.sync()
        #expect(server.version("Patient", "a") == 2)
        #expect(try device.patient("a")?.name.first?.family == "Later")
        let resolved = try await device.synchronizer.resolve("Patient", id: "a") { conflict in
            guard let local = conflict.local, let remote = conflict.remote else { return .deferred }
            return .merged(ThreeWayMerge(base: conflict.base, local: local, remote: remote, preferring: .local).resource)
        }
        #expect(resolved)
        try await device.sync()
        #expect(server.contents["Patient/a"]?.contains("Later") == true && server.contents["Patient/a"]?.contains("female") == true)
        #expect(try device.contents() == server.contents)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Behaviour 17: disjoint changes merge by themselves.
    @Test func disjointChangesMerge() async throws {
        let device = try Device(server)
        try device.edit { try $0.upsert(samplePatient("a", "Base")) }
        try await device.sync()
        let remote = samplePatient("a", "Base")
        remote.gender = .female
        server.put(remote)
        try device.edit { try $0.upsert(samplePatient("a", "Local")) }
        #expect(try await device.sync().resolved == 1)
        #expect(server.contents["Patient/a"]?.contains("Local") == true && server.contents["Patient/a"]?.contains("female") == true)
        #expect(try device.contents() == server.contents)
    }

    /// Two types with the same id are two resources.
    @Test func conflictsAreByTypeAndID() async throws {
        let device = try Device(server) { $0.conflicts = .server }
        try device.edit { tx in
            try tx.upsert(samplePatient("same"))
            try tx.upsert(sampleObservation("same", of: "same"))
        }
        try await device.sync()
        server.put(samplePatient("same", "Remote"))
        let changed = sampleObservation("same", of: "same")
        changed.status = .amended
        try device.edit { try $0.upsert(changed) }
        let result = try await device.sync()
        #expect(result.resolved == 0 && result.updated == 1 && result.pulled == 1)
        #expect(try device.contents() == server.contents)
    }

    /// Deleted here and changed there, and the other way round.
    @Test(arguments: [true, false]) func deletionsAgainstChanges(localWins: Bool) async throws {
        let device = try Device(server) { $0.conflicts = localWins ? .client : .server }
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        try await device.sync()
        server.put(samplePatient("a", "Remote"))
        server.remove("Patient", "b")
        try device.edit { tx in
            _ = try tx.delete(Patient.self, id: "a")
            try tx.upsert(samplePatient("b", "Local"))
        }
        let result = try await device.sync()
        #expect(result.resolved == 2)
        try await device.sync()
        #expect(server.contents.keys.sorted() == [localWins ? "Patient/b" : "Patient/a"])
        #expect(try device.contents() == server.contents)
    }

    /// The same change on both sides is no conflict.
    @Test func theSameChangeOnBothSidesIsNone() async throws {
        let device = try Device(server) { $0.conflicts = ConflictPolicy { _ in throw CancellationError() } }
        try device.edit { try $0.upsert(samplePatient("a", "Base")) }
        try await device.sync()
        server.put(samplePatient("a", "Same"))
        try device.edit { try $0.upsert(samplePatient("a", "Same")) }
        let result = try await device.sync()
        #expect(result.pushed == 0 && server.version("Patient", "a") == 2)
        #expect(try await device.synchronizer.changes().isEmpty)
    }
}
