import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

/// The asynchronous forms say what the blocking ones say.
@Suite struct AsyncRecordFormsTests {
    @Test func queriesOfRecordsAgreeInBothForms() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        for number in 1...7 {
            try store.blocking { _ = try $0.records.create(observation("\(number)"), annotations: number % 2 == 0 ? ["even"] : ["odd"]) }
        }
        let query = store.records.query(Observation.self).annotated("odd").sort { $0.id.ascending }
        let ids = try store.blocking { _ in try query.ids() }
        #expect(ids == ["1", "3", "5", "7"])
        #expect(try await query.ids() == ids)
        #expect(try await query.first()?.id == "1")
        #expect(try await query.summaries().map(\.id) == ids)
        let opened = try await query.opened()
        #expect(opened.succeeded.map(\.id) == ids && opened.failed.isEmpty)
        #expect(try await query.page(number: 2, size: 3).map(\.id) == ["7"])
    }

    @Test func appDataAgreesInBothForms() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let data = store.appData
        try await data.put(encoding: ["theme": "dark"], id: "settings", annotations: ["ui"])
        try await data.put(Data([1, 2]), id: "bytes")
        #expect(try await data.get("settings")?.decoded([String: String].self) == ["theme": "dark"])
        try await data.annotate("bytes", with: ["ui"])
        let query = data.query.annotated("ui")
        #expect(try await query.count() == 2)
        #expect(try await query.summaries().map(\.id).sorted() == ["bytes", "settings"])
        #expect(try await query.opened().succeeded.count == 2)
        #expect(try await query.page(number: 1, size: 1).count == 1)
        try await data.delete("bytes")
        #expect(try await data.get("bytes") == nil)
        #expect(try await data.purge() == 1)
        await #expect(throws: RecordError.self) { try await data.annotate("bytes", with: []) }
    }

    @Test func attachmentsAgreeInBothForms() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let attachments = store.attachments
        #expect(try await !attachments.resume())
        try await attachments.externalizeNewPayloads()
        #expect(try await attachments.resume())
        let image = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Payloads.bytes(50_000)
        let small = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Payloads.bytes(500, seed: 2)
        let document = Payloads.document("1", image.base64EncodedString())
        try await store.write { _ = try $0.upsert(document) }
        let listed = try await attachments.list()
        #expect(try listed == store.blocking { try $0.attachments.list() } && listed.count == 1)
        let text = try await store.read { try $0.resource(DocumentReference.self, id: "1")?.content[0].attachment?.data }
        let reference = try #require(text.flatMap { PayloadReference($0) })
        #expect(try await attachments.makeThumbnails(of: reference) { _, _, height in height == 200 ? small : nil } == [.small])
        let found = try await attachments.thumbnail(.small, of: reference)
        #expect(found.size == .small && found.bytes == small)
        try await attachments.detach(0, from: "DocumentReference", id: "1")
        await #expect(throws: AttachmentError.self) { try await attachments.detach(0, from: "DocumentReference", id: "1") }
    }
}
