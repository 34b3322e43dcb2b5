import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

/// Thumbnails that a hook makes.
@Suite struct ThumbnailTests {
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0])

    private func image(_ count: Int, seed: UInt8 = 1) -> Data { Self.jpeg + Payloads.bytes(count, seed: seed) }

    /// A store with one image, and the reference to it.
    private func stored(_ store: FHIRStore, _ bytes: Data) throws -> PayloadReference {
        try store.write { _ = try $0.upsert(Payloads.document("1", bytes.fhirBase64)) }
        let document = try #require(try store.resource(DocumentReference.self, id: "1"))
        return try #require(document.content[0].attachment?.data.flatMap { PayloadReference($0) })
    }

    @Test func thumbnailsFallBackToTheNextLarger() throws {
        let store = try Payloads.store()
        let bytes = image(50_000)
        let reference = try stored(store, bytes)
        let none = try store.attachments.thumbnail(.small, of: reference)
        #expect(none.size == .full && none.bytes == bytes)
        let medium = image(5_000, seed: 2)
        var asked: [Int] = []
        let kept = try store.attachments.makeThumbnails(of: reference) { original, kind, height in
            asked.append(height)
            #expect(original == bytes && kind == .jpeg)
            return height == 1_000 ? medium : nil
        }
        #expect(kept == [.medium] && asked == [1_000, 200])
        for size in [ThumbnailSize.small, .medium] {
            let found = try store.attachments.thumbnail(size, of: reference)
            #expect(found.size == .medium && found.bytes == medium)
        }
        #expect(try store.attachments.thumbnail(.full, of: reference).bytes == bytes)
        let small = image(500, seed: 3)
        #expect(try store.attachments.makeThumbnails(of: reference) { $2 == 1_000 ? medium : small } == [.medium, .small])
        let found = try store.attachments.thumbnail(.small, of: reference)
        #expect(found.size == .small && found.bytes == small)
        #expect(try Payloads.count(store) == 3)
        // One that is not smaller is not kept, and the others go.
        #expect(try store.attachments.makeThumbnails(of: reference) { original, _, _ in original + [0] }.isEmpty)
        #expect(try Payloads.count(store) == 1)
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 0)
    }

    @Test func onlyImagesHaveThumbnails() throws {
        let store = try Payloads.store()
        let pdf = try stored(store, Data("%PDF-1.7".utf8) + Payloads.bytes(5_000))
        #expect(try store.attachments.makeThumbnails(of: pdf) { _, _, _ in Self.jpeg }.isEmpty)
        let reference = try stored(store, image(5_000))
        let error = #expect(throws: AttachmentError.self) {
            try store.attachments.makeThumbnails(of: reference) { _, _, _ in Data("#!/bin/sh".utf8) }
        }
        #expect(error?.code == .wrongType)
        #expect(try store.attachments.thumbnail(.small, of: reference).size == .full)
    }

    @Test func thumbnailsGoWithTheImage() throws {
        let store = try Payloads.store()
        let reference = try stored(store, image(50_000))
        // Another resource has the small one as a payload of its own.
        let (medium, small) = (image(9_000, seed: 2), image(5_000, seed: 3))
        try store.write { _ = try $0.upsert(Payloads.document("2", small.fhirBase64)) }
        try store.attachments.makeThumbnails(of: reference) { $2 == 1_000 ? medium : small }
        #expect(try Payloads.count(store) == 3)
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 0)
        try store.write { _ = try $0.delete(DocumentReference.self, id: "1") }
        #expect(try Payloads.count(store) == 1)
        #expect(try store.sql("SELECT count(*) FROM _thumbnail")[0][0] == 0)
        #expect(try Payloads.whole(store, "2").content[0].attachment?.data == small.fhirBase64)
        #expect(try store.check().isEmpty)
    }

    @Test func aPayloadStaysWhileItIsAThumbnail() throws {
        let store = try Payloads.store()
        let reference = try stored(store, image(50_000))
        let small = image(5_000, seed: 3)
        try store.write { _ = try $0.upsert(Payloads.document("2", small.fhirBase64)) }
        try store.attachments.makeThumbnails(of: reference) { $2 == 200 ? small : nil }
        try store.write { _ = try $0.delete(DocumentReference.self, id: "2") }
        #expect(try store.attachments.thumbnail(.small, of: reference).bytes == small)
    }

    @Test func thumbnailsAreSealedWithTheImage() throws {
        let store = try Payloads.store()
        let (bytes, small) = (image(50_000), image(5_000, seed: 3))
        let clear = try stored(store, bytes)
        try store.attachments.makeThumbnails(of: clear) { $2 == 200 ? small : nil }
        store.records.encryption = .perRecord(try RecordKeyring())
        #expect(try store.attachments.externalizePayloads() == 1)
        #expect(try store.attachments.list().map(\.isSealed) == [true, true])
        let document = try #require(try store.resource(DocumentReference.self, id: "1"))
        let reference = try #require(document.content[0].attachment?.data.flatMap { PayloadReference($0) })
        #expect(try store.attachments.thumbnail(.small, of: reference).bytes == small)
        #expect(try store.attachments.verify().isEmpty)
    }
}
