import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30))) struct WireRecordTests {
    private func code(_ body: () throws -> Void) -> RecordError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RecordError)?.code
        }
    }

    @Test func recordsAreExchangedWithTheirAnnotations() throws {
        let keyring = try RecordKeyring()
        let tagKey = Data((0..<32).map { UInt8($0) })
        let source = try FHIRStore.inMemory(release: .r4)
        source.records.encryption = .perRecord(keyring)
        try source.records.create(observation("a", "secret", date: "2024-05-06T10:00:00Z"), annotations: ["my word", "käse"])
        for tags in [WireTags.keyed, try WireTags.legacy(key: Secret(tagKey))] {
            let wire = try source.records.wireRecord("Observation", id: "a", client: "App#1", tags: tags)
            let json = try JSONEncoder().encode(wire)
            let names = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any]).keys.sorted()
            #expect(
                names == [
                    "attachment_key", "common_key_id", "createdAt", "date", "encrypted_body", "encrypted_key", "encrypted_tags",
                    "model_version", "record_id", "status",
                ])
            #expect(wire.date == "2024-05-06" && wire.commonKeyID == RecordKeyring.firstID && wire.encryptedTags.count == 6)
            #expect(json.range(of: Data("secret".utf8)) == nil)
            try withRecordStore { target in
                target.records.encryption = .perRecord(try RecordKeyring(exported: keyring.exported()))
                let read = try JSONDecoder().decode(WireRecord.self, from: json)
                let key = try target.records.receive(read, tags: tags, candidates: ["KÄSE", "my word", "other"])
                #expect(key == RecordKey("Observation", id: "a"))
                let record = try #require(try target.records.fetch(Observation.self, id: "a"))
                #expect(record.resource.code?.text == "secret" && record.annotations == ["käse", "my word"])
                var gone = read
                gone.status = "deleted"
                try target.records.receive(gone, tags: tags)
                #expect(try target.records.summary("Observation", id: "a")?.metadata.status == .deleted)
            }
        }
    }

    @Test func whatWasChangedOrCannotBeReadIsRefused() throws {
        try withRecordStore { store in
            #expect(code { _ = try store.records.wireRecord("Observation", id: "a", client: "c") } == .missingKey)
            store.records.encryption = .perRecord(try RecordKeyring())
            #expect(code { _ = try store.records.wireRecord("Observation", id: "a", client: "c") } == .notFound)
            try store.records.create(observation("a"))
            let wire = try store.records.wireRecord("Observation", id: "a", client: "c")
            func refusal(_ change: (inout WireRecord) -> Void) -> RecordError.Code? {
                var changed = wire
                change(&changed)
                return code { _ = try store.records.receive(changed) }
            }
            #expect(refusal { _ in } == nil)
            #expect(refusal { $0.modelVersion = 2 } == .unsupportedModelVersion)
            #expect(refusal { $0.commonKeyID = "other" } == .missingKey)
            #expect(refusal { $0.encryptedBody = "short" } == .invalidContent)
            #expect(refusal { $0.encryptedKey = $0.attachmentKey ?? "" } == .cannotOpen)
            #expect(throws: RecordError.self) { try WireTags.legacy(key: "") }
        }
    }

    /// A tag that cannot be read may be an annotation: the record is refused, and the annotations of the stored one stay.
    @Test func aTagThatTheKeyDoesNotDecryptIsRefused() throws {
        try withRecordStore { store in
            store.records.encryption = .perRecord(try RecordKeyring())
            try store.records.create(observation("a"), annotations: ["word"])
            let tags = try WireTags.legacy(key: Secret(Data((0..<32).map { UInt8($0) })))
            let wire = try store.records.wireRecord("Observation", id: "a", client: "c", tags: tags)
            let keyed = try store.records.wireRecord("Observation", id: "a", client: "c")
            func refusal(_ tagsOfRecord: [String]) -> RecordError.Code? {
                var changed = wire
                changed.encryptedTags = tagsOfRecord
                return code { _ = try store.records.receive(changed, tags: tags) }
            }
            let others = Array(wire.encryptedTags.dropLast())
            for tags in [others + ["no base64"], others + [""], keyed.encryptedTags] { #expect(refusal(tags) == .cannotOpen) }
            #expect(try store.records.fetch(Observation.self, id: "a")?.annotations == ["word"])
            #expect(refusal(wire.encryptedTags) == nil)
            #expect(try store.records.fetch(Observation.self, id: "a")?.annotations == ["word"])
        }
    }
}
