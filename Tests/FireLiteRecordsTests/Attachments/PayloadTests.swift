import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

/// Payloads that are kept apart from their resources.
@Suite struct PayloadTests {
    static func bytes(_ count: Int, seed: UInt8 = 1) -> Data {
        var state = UInt32(seed) &* 2_654_435_761
        return Data(
            (0..<count).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            })
    }

    static func document(_ id: String, _ data: String) -> DocumentReference {
        DocumentReference {
            $0.id = id
            $0.content = [
                DocumentReferenceContent {
                    $0.attachment = Attachment {
                        $0.data = data
                        $0.title = "letter"
                    }
                }
            ]
        }
    }

    static func store() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.attachments.keepApart()
        return store
    }

    static func blobs(_ store: FHIRStore) throws -> Int64 {
        try store.sql("SELECT count(*) FROM _blob").first?[0].integer ?? -1
    }

    @Test func aFetchedResourceHasAReferenceAndTheWholeOneItsPayload() throws {
        let store = try Self.store()
        let bytes = Self.bytes(1_000_000)
        let document = Self.document("1", bytes.fhirBase64)
        let json = FHIRJSON.string(document)
        try store.write { try $0.upsert(document) }
        // The object that was stored keeps what the app has set.
        #expect(document.content[0].attachment?.data == bytes.fhirBase64)
        let fetched = try #require(try store.resource(DocumentReference.self, id: "1"))
        let reference = try #require(fetched.content[0].attachment?.data.flatMap { PayloadReference($0) })
        #expect(reference.byteCount == 1_000_000)
        #expect(try FHIRJSON.string(store.attachments.whole(fetched)) == json)
        #expect(try store.attachments.data(reference) == bytes)
        #expect(try store.check().isEmpty)
    }
}
