import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

/// The examples of the pages on records and on sealed records.
@Suite(.timeLimit(.minutes(30))) struct RecordsExamples {
    private struct Settings: Codable, Equatable {
        var theme = "dark"
    }

    @Test func records() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let observation = observation("1", date: "2024-05-01")
        // example KeepingRecords.md
        let record = try store.records.create(observation, annotations: ["fitness", "Under review"])
        print(record.annotations, record.metadata.status)
        // end
        #expect(record.annotations == ["fitness", "under review"])
        // example KeepingRecords.md
        try store.write { _ in
            observation.status = .amended
            try store.records.update(observation)
            try store.records.annotate("Observation", id: record.id, with: ["fitness"])
        }
        // end
        let observations = [self.observation("1"), self.observation("2")]
        // example KeepingRecords.md
        let result = try store.records.create(observations, annotations: ["import"])
        for failure in result.failed { print(failure.index, failure.error) }
        // end
        #expect(result.failed.count == 1)
        // example KeepingRecords.md
        let page = try store.records.query(Observation.self)
            .where { $0.status == .amended }.annotated("fitness").dated(from: "2024-01").page(of: 20)
        let rest = try store.records.query(Observation.self).annotated("fitness").after(page.next).all()
        // end
        #expect(page.records.map(\.id) == ["1"] && rest.count == 1)
    }

    private func observation(_ id: String, date: String? = nil) -> Observation { FireLiteRecordsTests.observation(id, date: date) }

    @Test func identifiersAndAppData() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = Patient { $0.id = "1" }
        // example KeepingRecords.md
        try patient.addCustomIdentifier("4711", partner: "Organization/partner")
        print(patient.customIdentifiers(of: "Organization/partner"))
        // end
        #expect(patient.identifier.first?.assigner?.reference == "Organization/partner")
        let settings = Settings()
        // example KeepingRecords.md
        try store.appData.put(encoding: settings, id: "settings", annotations: ["ui"])
        let stored = try store.appData.get("settings")?.decoded(Settings.self)
        let all = try store.appData.query.annotated("ui").all()
        // end
        #expect(stored == settings && all.count == 1)
    }

    @Test func sealedRecords() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        // example SealedRecords.md
        let keyring = try RecordKeyring()
        store.records.encryption = .perRecord(
            keyring, resources: ["Observation": .keeping("status", "effective"), "Patient": .only("name", "address")])
        // end
        try store.records.create(observation("1"), annotations: ["fitness"])
        let other = try FHIRStore.inMemory(release: .r4)
        other.records.encryption = .perRecord(keyring)
        // example SealedRecords.md
        let wire = try store.records.wireRecord("Observation", id: "1", client: "app")
        let json = try JSONEncoder().encode(wire)
        let key = try other.records.receive(JSONDecoder().decode(WireRecord.self, from: json), candidates: ["fitness"])
        // end
        #expect(try other.records.summary(key.typeName, id: key.id)?.annotations == ["fitness"])
        // example SealedRecords.md
        let fresh = try keyring.addKey()
        // Distribute keyring.exported() to the other devices.
        try keyring.makePrimary(fresh)
        try store.records.rewrap()
        try keyring.removeKey(RecordKeyring.firstID)
        // end
        // example SealedRecords.md
        let device = try PrivateKey(.rsa())
        let sealed = try keyring.exported(for: device.publicKey)
        let copy = try RecordKeyring(exported: sealed, with: device)
        // end
        #expect(copy.ids == keyring.ids)
        let receiver = try RecordKeyring()
        // example SealedRecords.md
        let wireKey = try keyring.wireKey(keyring.primaryID, for: device.publicKey)
        try receiver.receive(wireKey, with: device)
        // end
        #expect(receiver.ids.contains(fresh))
        #expect(try store.records.fetch(Observation.self, id: "1")?.resource.code?.text == "value")
    }
}
