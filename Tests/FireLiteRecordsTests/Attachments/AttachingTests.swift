import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

/// Adding and removing attachments, and what the policy refuses.
@Suite struct AttachingTests {
    private static let magic: [(kind: AttachmentKind?, bytes: [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xDB]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE1]),
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE2]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE3]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE8]),
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xEE]), (nil, [0xFF, 0xD8, 0xFF, 0xE4]), (nil, [0xFF, 0xD8, 0xFF]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (nil, [0x89, 0x50, 0x4E, 0x47]),
        (.tiff, [0x49, 0x49, 0x2A, 0x00]), (.tiff, [0x4D, 0x4D, 0x00, 0x2A]), (nil, [0x49, 0x49, 0x00, 0x2A]),
        (.pdf, Array("%PDF-1.7".utf8)), (nil, Array("%PDF".utf8)),
        (.dicom, [UInt8](repeating: 0, count: 128) + Array("DICM".utf8)), (nil, [UInt8](repeating: 0, count: 127) + Array("DICM".utf8)),
        (nil, [0x7F, 0x45, 0x4C, 0x46]), (nil, []),
    ]

    @Test func firstBytesShowTheType() throws {
        let store = try Payloads.store()
        try store.attachments.externalizeNewPayloads(AttachmentPolicy(kinds: Set(AttachmentKind.allCases)))
        for (kind, bytes) in Self.magic {
            #expect(AttachmentKind(beginning: bytes) == kind, "\(bytes)")
            if kind != nil {
                _ = try store.attachments.put(Data(bytes))
            } else {
                #expect(throws: AttachmentError.self, "\(bytes)") { try store.attachments.put(Data(bytes)) }
            }
        }
        #expect(AttachmentKind(contentType: "image/jpg") == .jpeg)
        #expect(AttachmentKind(contentType: "Application/PDF; version=1") == .pdf)
    }

    @Test func aProgramNamedAsPDFIsRefused() throws {
        let store = try Payloads.store()
        try store.write { _ = try $0.upsert(Patient { $0.id = "1" }) }
        let program = Data([0x7F, 0x45, 0x4C, 0x46]) + Payloads.bytes(10_000)
        let error = #expect(throws: AttachmentError.self) {
            try store.attachments.attach(program, to: "Patient", id: "1", title: "letter.pdf", contentType: "application/pdf")
        }
        #expect(error?.code == .wrongType)
        #expect(try Payloads.count(store) == 0)
    }

    @Test func twentyMebibytesAreTakenAndOneByteMoreIsRefused() async throws {
        let store = try Payloads.store()
        let bytes = Data(count: 20 << 20)
        let reference = try await store.attachments.put(bytes)
        #expect(try await store.attachments.data(reference) == bytes)
        let refused = await #expect(throws: AttachmentError.self) { try await store.attachments.put(bytes + [0]) }
        #expect(refused?.code == .tooLarge)
        let pieces = AsyncStream<Data> { stream in
            for _ in 0..<20 { stream.yield(Data(count: 1 << 20)) }
            stream.yield(Data([0]))
            stream.finish()
        }
        let streamed = await #expect(throws: AttachmentError.self) { try await store.attachments.put(pieces) }
        #expect(streamed?.code == .tooLarge)
        #expect(try store.blocking { try Payloads.count($0) } == 1)
    }

    @Test func anAttachmentIsAddedAndRemoved() throws {
        let store = try Payloads.store()
        let document = DocumentReference { $0.id = "1" }
        try store.write { tx in
            try tx.upsert(Patient { $0.id = "1" })
            try tx.upsert(document)
        }
        let pdf = Data("%PDF-1.7 ".utf8) + Payloads.bytes(10_000)
        for type in ["Patient", "DocumentReference"] { try store.attachments.attach(pdf, to: type, id: "1", title: "letter") }
        let photo = try #require(try store.resource(Patient.self, id: "1")?.photo.first)
        #expect(photo.contentType == "application/pdf" && photo.title == "letter" && photo.size == pdf.count)
        #expect(photo.hash?.count == 28)
        #expect(try store.attachments.data(of: photo) == pdf)
        #expect(try Payloads.whole(store, "1").content.first?.attachment?.data == pdf.fhirBase64)
        #expect(try Payloads.count(store) == 1)
        #expect(throws: AttachmentError.self) { try store.attachments.attach(pdf, to: "Patient", id: "2") }
        #expect(throws: AttachmentError.self) { try store.attachments.detach(1, from: "Patient", id: "1") }
        try store.attachments.detach(0, from: "Patient", id: "1")
        #expect(try store.resource(Patient.self, id: "1")?.photo.isEmpty == true)
        try store.attachments.detach(0, from: "DocumentReference", id: "1")
        #expect(try store.resource(DocumentReference.self, id: "1")?.content.isEmpty == true)
        #expect(try Payloads.count(store) == 0)
    }

    // MARK: - Damage

    @Test func aFlippedByteIsAHashErrorAndTheResourceStillReads() throws {
        let store = try Payloads.store()
        try store.write { _ = try $0.upsert(Payloads.document("1", Payloads.bytes(600_000).fhirBase64)) }
        #expect(try store.attachments.verify().isEmpty)
        // What a page that changed would do.
        try Damage.flip(store)
        let fetched = try #require(try store.resource(DocumentReference.self, id: "1"))
        #expect(fetched.content[0].attachment?.title == "letter")
        let error = #expect(throws: AttachmentError.self) { try store.attachments.resolvingPayloads(in: fetched) }
        #expect(error?.code == .wrongHash)
        let faults = try store.attachments.verify()
        #expect(faults.map(\.code) == [.wrongHash])
        #expect(faults.first?.resources == ["DocumentReference/1"])
        try Damage.removeChunk(store)
        #expect(try store.check().map(\.kind) == [.payload])
        #expect(try store.attachments.verify().map(\.code) == [.missing])
        #expect(try store.resource(DocumentReference.self, id: "1") != nil)
        try Damage.removeBlob(store)
        #expect(try store.check().map(\.kind) == [.payload])
        #expect(throws: AttachmentError.self) { try Payloads.whole(store, "1") }
    }
}
