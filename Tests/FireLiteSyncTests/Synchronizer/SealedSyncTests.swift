import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Sealed records and a server.
@Suite(.ownThread) struct SealedSyncTests {
    private let server = ModelServer()
    private let keyring: RecordKeyring

    init() throws { keyring = try RecordKeyring() }

    private func device(_ change: (inout Synchronizer.Configuration) -> Void = { _ in }) throws -> Device {
        let device = try Device(server, change)
        device.store.records.encryption = .perRecord(keyring, resources: ["Observation": .keeping("status", "effective")])
        return device
    }

    private func weight(_ text: String, _ status: ObservationStatus = .final) -> Observation {
        Observation {
            $0.id = "o"
            $0.status = status
            $0.code = CodeableConcept { $0.text = text }
        }
    }

    private func text(_ device: Device) async throws -> String? {
        try await device.store.records.fetch(Observation.self, id: "o")?.resource.code?.text
    }

    private func atServer() throws -> Observation {
        try FHIRJSON.decode(Observation.self, from: Data(#require(server.contents["Observation/o"]).utf8))
    }

    /// What the file has in the clear.
    private func expectSealed(_ device: Device, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try device.store.blocking { store in
            for table in try store.sql("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap({ $0.values[0].text }) {
                let values = try store.sql("SELECT * FROM \"\(table)\"").flatMap(\.values)
                let text = values.map { if case .blob(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { $0.text ?? "" } }
                    .joined()
                #expect(!text.contains("secret"), "\(table)", sourceLocation: sourceLocation)
            }
        }
    }

    /// A conflict about a resource whose payload is sealed keeps no payload in the clear, of neither side.
    @Test func payloadsOfConflictsAreSealed() async throws {
        func patient(_ gender: AdministrativeGender, _ text: String) -> Patient {
            Patient {
                $0.id = "p"
                $0.gender = gender
                let bytes = Data(repeating: 0x41, count: 20_001) + Data(text.utf8)
                $0.photo = [FireLiteR4.Attachment { $0.data = bytes.base64EncodedString() }]
            }
        }
        server.put(patient(.other, "one"))
        let device = try device { $0.conflicts = .deferred }
        try device.store.blocking { try $0.attachments.externalizeNewPayloads() }
        try await device.sync()
        server.put(patient(.male, "two"))
        try device.edit { try $0.resource(Patient.self, id: "p")?.gender = .female }
        #expect(try await device.sync().deferred == 1)
        try device.store.blocking { store in
            for table in try store.sql("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap({ $0.values[0].text }) {
                let values = try store.sql("SELECT * FROM \"\(table)\"").flatMap(\.values)
                #expect(!values.contains { $0.text?.contains("QUFBQUFBQUFB") ?? false }, "\(table)")
            }
        }
        let conflict = try #require(try await device.synchronizer.changes(.conflict).first)
        #expect(conflict.remote?.contains("QUFBQUFBQUFB") == true)
        try await device.synchronizer.resolve("Patient", id: "p") { _ in .remote }
        #expect(try device.patient("p")?.gender == .male)
    }

    /// What is missing is listed in the clear, so references in sealed resources are not followed.
    @Test func referencesInSealedResourcesAreNotFollowed() async throws {
        let observation = weight("secret-1")
        observation.encounter = Reference { $0.reference = "Encounter/secret-e" }
        server.put(Encounter { $0.id = "secret-e" })
        server.put(observation)
        let device = try device { $0.prefetch = Prefetch() }
        let result = try await device.sync()
        #expect(result.pulled == 1 && result.prefetched == 0)
        try expectSealed(device)
    }

    @Test(arguments: [false, true]) func syncCarriesWholeResourcesBothWays(sendsEachVersion: Bool) async throws {
        server.put(weight("secret-1"))
        let device = try device { $0.sendsEachVersion = sendsEachVersion }
        try await device.sync()
        #expect(try await text(device) == "secret-1")
        try expectSealed(device)
        // A change of what is in the clear, and one of what is not.
        for (number, status) in [(2, ObservationStatus.amended), (3, .amended)] {
            let changed = weight("secret-\(number)", status)
            try await device.store.records.update(changed)
            try await device.sync()
            let there = try atServer()
            #expect(there.code?.text == "secret-\(number)" && there.status == .amended)
            #expect(try await device.synchronizer.changes().isEmpty)
        }
        // One by the server.
        server.put(weight("secret-4", .final))
        try await device.sync()
        #expect(try await text(device) == "secret-4")
        #expect(try device.store.blocking { try $0.resource(Observation.self, id: "o")?.status } == .final)
        server.remove("Observation", "o")
        try await device.sync()
        #expect(try await text(device) == nil)
        try expectSealed(device)
    }

    @Test func aConflictIsKeptSealedUntilItIsDecided() async throws {
        server.put(weight("secret-1"))
        let device = try device { $0.conflicts = .deferred }
        try await device.sync()
        try await device.store.records.update(weight("secret-2"))
        server.put(weight("secret-3"))
        let result = try await device.sync()
        #expect(result.deferred == 1)
        try expectSealed(device)
        #expect(try await text(device) == "secret-2" && atServer().code?.text == "secret-3")
        try await device.synchronizer.resolve("Observation", id: "o") { conflict in
            #expect((conflict.local as? Observation)?.code?.text == "secret-2")
            #expect((conflict.remote as? Observation)?.code?.text == "secret-3")
            return .local
        }
        try await device.sync()
        #expect(try atServer().code?.text == "secret-2")
        try expectSealed(device)
    }

    @Test func withoutTheKeyringNothingIsSentOrOverwritten() async throws {
        server.put(weight("secret-1"))
        let device = try device()
        try await device.sync()
        try await device.store.records.update(weight("secret-2", .amended))
        server.put(samplePatient("p"))
        let other = weight("secret-3")
        other.id = "other"
        server.put(other)
        // One that refers to a new sealed one waits with it.
        let new = weight("secret-4")
        new.id = "new"
        try await device.store.records.create(new)
        try device.edit { tx in
            try tx.upsert(samplePatient("q"))
            try tx.upsert(
                Encounter {
                    $0.id = "e"
                    $0.status = .planned
                    $0.reasonReference = [Reference { $0.reference = "Observation/new" }]
                })
        }
        device.store.records.encryption = .none
        for _ in 0..<2 {
            let result = try await device.sync()
            #expect(result.lockedTypes == ["Observation"] && result.waiting == 3)
            let waiting = try await device.synchronizer.changes()
            #expect(waiting.map { "\($0.id) \($0.isLocked)" }.sorted() == ["e false", "new true", "o true"])
        }
        #expect(try atServer().code?.text == "secret-1" && device.patient("p") != nil)
        #expect(server.contents.keys.sorted() == ["Observation/o", "Observation/other", "Patient/p", "Patient/q"])
        #expect(try await device.store.read { try $0.count(Observation.self) } == 2)
        try expectSealed(device)
        device.store.records.encryption = .perRecord(keyring)
        let result = try await device.sync()
        #expect(result.lockedTypes.isEmpty && result.pulled == 1 && result.created == 2 && result.updated == 1)
        #expect(try atServer().code?.text == "secret-2" && server.contents.count == 6)
        #expect(try await device.store.records.fetch(Observation.self, id: "other")?.resource.code?.text == "secret-3")
        #expect(try await device.synchronizer.changes().isEmpty)
        try expectSealed(device)
    }
}
