import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Resources that cannot be read in the store: they wait with a reason, and everything else is sent.
@Suite struct DamagedResourceTests {
    private let server = ModelServer()

    private func patient(_ id: String, _ family: String) -> Patient {
        let patient = samplePatient(id, family)
        patient.gender = .female
        return patient
    }

    /// Sets a value by SQL, so that the resource does not match its digest.
    private func set(_ gender: String, of id: String, _ device: Device) throws {
        try device.edit { tx in
            let changed = try tx.run(
                on: ModuleTables(module: "test", version: 1, tables: [ModuleTable("_test", key: "k", columns: [])]),
                "UPDATE Patient SET gender = ? WHERE id = ?", [.text(gender), .text(id)])
            #expect(changed == 1)
        }
    }

    /// What waits, with the reasons.
    private func expect(_ ids: [String], of damaged: String, _ device: Device) async throws {
        let waiting = try await device.synchronizer.changes(.pending)
        #expect(waiting.map(\.id).sorted() == ids)
        let own = try #require(waiting.first { $0.id == damaged })
        #expect(own.status == nil && own.attempts > 0)
        let text = try #require(own.issues.first?.diagnostics)
        #expect(text.hasPrefix("Patient/\(damaged) is not sent, as it cannot be read here: "), "\(text)")
        #expect(waiting.allSatisfy { $0.id == damaged || $0.issues.isEmpty })
    }

    @Test(arguments: [Synchronizer.Configuration.Grouping.single, .batches, .transactions], [true, false])
    func newResourcesWaitAndOthersAreSent(_ grouping: Synchronizer.Configuration.Grouping, _ isFirst: Bool) async throws {
        let device = try Device(server) { $0.grouping = grouping }
        if !isFirst { try await device.sync() }
        try device.edit { tx in
            for id in ["a", "b", "c"] { try tx.upsert(patient(id, "One")) }
            for id in ["a", "b"] { try tx.upsert(sampleObservation("of-\(id)", of: id)) }
        }
        try set("male", of: "b", device)
        for _ in 0..<2 {
            let result = try await device.sync(.push)
            #expect(result.damaged == 1 && result.waiting == 2 && result.parked == 0 && result.failure == nil)
            #expect(server.contents.keys.sorted() == ["Observation/of-a", "Patient/a", "Patient/c"])
            // What refers to a new resource waits with it.
            try await expect(["b", "of-b"], of: "b", device)
        }
        #expect(try await device.synchronizer.lastResult()?.damaged == 1)
        try set("female", of: "b", device)
        #expect(try await device.sync(.push).created == 2)
        #expect(try await device.synchronizer.changes().isEmpty)
        #expect(try device.contents() == server.contents && server.contents.count == 5)
    }

    @Test(arguments: [Synchronizer.Configuration.Grouping.single, .transactions])
    func changedResourcesWaitAndWhatRefersToThemIsSent(_ grouping: Synchronizer.Configuration.Grouping) async throws {
        let device = try Device(server) { $0.grouping = grouping }
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(patient(id, "One")) } }
        try await device.sync()
        try device.edit { tx in
            for id in ["a", "b"] { try tx.upsert(patient(id, "Two")) }
            try tx.upsert(sampleObservation("o", of: "b"))
        }
        try set("male", of: "b", device)
        let result = try await device.sync(.push)
        #expect(result.damaged == 1 && result.updated == 1 && result.created == 1)
        try await expect(["b"], of: "b", device)
        #expect(server.contents["Patient/b"]?.contains("One") == true && server.contents["Patient/a"]?.contains("Two") == true)
        try set("female", of: "b", device)
        #expect(try await device.sync(.push).updated == 1)
        #expect(try device.contents() == server.contents)
    }

    /// What was sent without an answer is not known any more if it cannot be read: it waits, and the others are settled.
    @Test(arguments: [2, 5]) func changesWithoutAnAnswerAreSettledWithoutIt(_ count: Int) async throws {
        let network = FaultyNetwork(server) { $0.method == .get ? nil : .answerLost }
        let device = try Device(network) {
            $0.maximumInterruptions = 0
            $0.grouping = .transactions
        }
        let ids = ["a", "b", "c", "d", "e"].prefix(count)
        try device.edit { tx in for id in ids { try tx.upsert(patient(id, "One")) } }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        network.fault = { _ in nil }
        try set("male", of: "b", device)
        let result = try await device.sync(.push)
        #expect(result.damaged == 1 && result.pushed == 0)
        try await expect(["b"], of: "b", device)
        try set("female", of: "b", device)
        try await device.sync(.push)
        #expect(try await device.synchronizer.changes().isEmpty)
        #expect(try device.contents() == server.contents && server.writes.count == 1)
    }
}
