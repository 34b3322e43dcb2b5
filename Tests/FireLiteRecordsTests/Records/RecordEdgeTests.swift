import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

/// Rules at the edges of records, app data and what is sealed.
@Suite(.timeLimit(.minutes(30))) struct RecordEdgeTests {
    private func code(_ body: () throws -> Void) -> RecordError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RecordError)?.code
        }
    }

    @Test func purgingKeepsWhatWasDeletedAtThatTimeAndLeavesNoAnnotation() throws {
        try withRecordStore { store in
            let clock = TestClock()
            clock.follow(store)
            try store.records.create(observation("a"), annotations: ["x"])
            try store.records.create(observation("b"), annotations: ["x"])
            try store.records.delete("Observation", id: "a")
            let later = clock.advance()
            try store.records.delete("Observation", id: "b")
            #expect(try store.records.purge(deletedBefore: later) == 1)
            #expect(try store.sql("SELECT id FROM _record").map { $0[0] } == [.text("b")])
            #expect(try store.records.purge() == 1)
            #expect(try store.sql("SELECT count(*) FROM _record_annotation")[0][0] == 0)
        }
    }

    @Test func aVersionCountsChangesOfTheContentAlone() throws {
        try withRecordStore { store in
            try store.records.create(observation("a"), annotations: ["x"])
            try store.records.update(observation("a"), annotations: ["y"])
            #expect(try store.sql("SELECT version FROM _record")[0][0] == 1)
            try store.records.update(observation("a", "new"))
            #expect(try store.sql("SELECT version FROM _record")[0][0] == 2)
        }
    }

    @Test func aSealedRecordDeletedElsewhereIsShreddedWhenRecordsAreReconciled() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        do {
            let store = try FHIRStore(path: path, release: .r4)
            store.records.encryption = .perRecord(try RecordKeyring(), resources: ["Observation": .keeping("status")])
            try store.records.create(observation("a"))
            try store.close()
        }
        do {
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { _ = try $0.delete(Observation.self, id: "a") }
            try store.close()
        }
        let store = try FHIRStore(path: path, release: .r4)
        #expect(try store.records.reconcile() == 1)
        for table in ["_record_key", "_record_content"] {
            #expect(try store.sql("SELECT count(*) FROM \(table)")[0][0] == 0, "\(table)")
        }
    }

    @Test func sealedAppDataIsNotReplacedInTheClear() throws {
        try withRecordStore { store in
            store.records.encryption = .perRecord(try RecordKeyring())
            try store.appData.put(Data("one".utf8), id: "a")
            store.records.encryption = .none
            #expect(code { try store.appData.put(Data("two".utf8), id: "a") } == .missingKey)
            #expect(try store.sql("SELECT content FROM _appdata_content")[0][0].data != Data("two".utf8))
        }
    }

    @Test func sealedAnnotationsAreNotPlainHashes() throws {
        try withRecordStore { store in
            let keyrings = [try RecordKeyring(), try RecordKeyring()]
            #expect(keyrings[0].code(of: "fitness") != keyrings[1].code(of: "fitness"))
            #expect(keyrings[0].code(of: "fitness") == keyrings[0].code(of: "fitness"))
            let digest = PayloadReference.hash(of: Data("fitness".utf8))
            #expect(
                keyrings[0].code(ofPayload: digest) != digest && keyrings[0].code(ofPayload: digest) != keyrings[1].code(ofPayload: digest))
        }
    }

    @Test func choiceElementsThatAreNotKeptAreSealed() throws {
        try withRecordStore { store in
            store.records.encryption = .perRecord(try RecordKeyring(), resources: ["Observation": .keeping("status")])
            try store.records.create(observation("a", date: "2024-05-01"))
            #expect(try store.resource(Observation.self, id: "a")?.effectiveDateTime == nil)
            #expect(try store.records.fetch(Observation.self, id: "a")?.resource.effectiveDateTime != nil)
        }
    }

    @Test func listsShowSealedRecordsWithoutTheirKeys() throws {
        try withRecordStore { store in
            store.records.encryption = .perRecord(try RecordKeyring(), resources: ["Observation": .keeping("status")])
            try store.records.create(observation("a"), annotations: ["x"])
            try store.appData.put(Data([1]), id: "d", annotations: ["x"])
            #expect(try store.records.summaries("Observation").map(\.annotations) == [["x"]])
            store.records.encryption = .none
            #expect(code { _ = try store.records.summaries("Observation") } == .missingKey)
            let listed = try store.records.summaries("Observation", opensAnnotations: false)
            #expect(listed.map(\.isSealed) == [true] && listed.map(\.annotations) == [[]])
            let data = try store.appData.query.summaries(opensAnnotations: false)
            #expect(data.map(\.isSealed) == [true] && data.map(\.annotations) == [[]])
        }
    }

    @Test func asynchronousFormsOfManyDoTheSame() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        store.records.encryption = .perRecord(try RecordKeyring())
        try await store.records.create([observation("a"), observation("b")], annotations: ["x"])
        let updated = try await store.records.update([observation("a", "new"), observation("z")])
        #expect(updated.succeeded.count == 1 && updated.failed.map(\.id) == ["z"])
        #expect(try await store.records.annotate("Observation", id: "b", with: ["Y"]) == ["y"])
        let fetched = try await store.records.fetch(Observation.self, ids: ["b", "no"])
        #expect(fetched.succeeded.map(\.annotations) == [["y"]] && fetched.failed.count == 1)
        let wire = try await store.records.wireRecord("Observation", id: "a", client: "app")
        #expect(try await store.records.receive(wire, candidates: ["x"]) == RecordKey("Observation", id: "a"))
        #expect(try await store.records.delete(Observation.self, ids: ["a"]).isComplete)
        try await store.appData.put(["d": Data([1])], annotations: ["x"])
        try await store.appData.put(Data([2]), id: "e")
        #expect(try await store.appData.get("e")?.data == Data([2]))
        #expect(try await store.appData.get(ids: ["d", "e"]).succeeded.count == 2)
        #expect(try await store.appData.query.annotated("x").all().count == 1)
        #expect(try await store.appData.delete(ids: ["d"]).isComplete)
        #expect(try await store.records.rewrap().wrapped == 0)
    }

    @Test func asynchronousFormsOfPayloadsDoTheSame() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let bytes = Payloads.bytes(50_000)
        try store.blocking { store in try store.write { _ = try $0.upsert(Payloads.document("1", bytes.fhirBase64)) } }
        #expect(try await store.attachments.externalizePayloads() == 1)
        #expect(try await store.attachments.verify().isEmpty)
        let reference = try await store.attachments.put(bytes)
        #expect(try await store.attachments.data(reference, in: 10..<20) == bytes[10..<20])
        let stored = try await store.read { tx in try tx.resource(DocumentReference.self, id: "1")?.copy() }
        let whole = try await store.attachments.resolvingPayloads(in: try #require(stored))
        #expect(whole.content[0].attachment?.data == bytes.fhirBase64)
        try await store.attachments.attach(Payloads.bytes(9_000), to: "DocumentReference", id: "1")
        #expect(try await store.attachments.inlinePayloads() == 1)
        #expect(try await store.attachments.removeUnreferencedPayloads().payloads == 0)
    }
}
