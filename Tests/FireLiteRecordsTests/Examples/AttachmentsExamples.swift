import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

/// The examples of the page on attachments.
@Suite struct AttachmentsExamples {
    @Test func attachments() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let document = Payloads.document("1", Payloads.bytes(10_000).fhirBase64)
        do {
            let store = try FHIRStore(path: path, release: .r4)
            // example PayloadsApart.md
            try store.attachments.externalizeNewPayloads()
            try store.write { tx in try tx.upsert(document) }
            // end
            try store.write { _ = try $0.upsert(Patient { $0.id = "1" }) }
            try store.close()
        }
        // example PayloadsApart.md
        let store = try FHIRStore(path: path, release: .r4)
        try store.attachments.resume()
        // end
        // example PayloadsApart.md
        let fetched = try store.resource(DocumentReference.self, id: "1")
        if let attachment = fetched?.content.first?.attachment, let bytes = try store.attachments.data(of: attachment) {
            print(attachment.title ?? "", bytes.count)
        }
        // end
        let pdf = Data("%PDF-1.7".utf8) + Payloads.bytes(20_000)
        // example PayloadsApart.md
        try store.attachments.attach(pdf, to: "Patient", id: "1", title: "letter")
        let photo = try store.resource(Patient.self, id: "1")?.photo.first
        if let reference = photo?.data.flatMap({ PayloadReference($0) }) {
            let beginning = try store.attachments.data(reference, in: 0..<1_000)
            print(beginning.count)
        }
        // end
        #expect(photo?.data.flatMap { PayloadReference($0) } != nil)
        #expect(try store.attachments.list().count == 2)
        // example PayloadsApart.md
        try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: 1_000_000))
        // end
        let image = try store.attachments.put(Data([0xFF, 0xD8, 0xFF, 0xE0]) + Payloads.bytes(5_000))
        // example PayloadsApart.md
        try store.attachments.makeThumbnails(of: image) { bytes, kind, height in scaled(bytes, to: height) }
        let small = try store.attachments.thumbnail(.small, of: image)
        // end
        #expect(small.size == .small && small.bytes.count == 200)
    }

    private func scaled(_ bytes: Data, to height: Int) -> Data { bytes.prefix(height) }

    @Test func addresses() async throws {
        let store = try Payloads.store()
        let document = DocumentReference {
            $0.id = "2"
            $0.content = [DocumentReferenceContent { $0.attachment = Attachment { $0.url = "https://example.org/letter" } }]
        }
        try store.blocking { store in try store.write { _ = try $0.upsert(document) } }
        // example PayloadsApart.md
        try await store.attachments.load(0, of: "DocumentReference", id: "2") { url in try await fetch(url) }
        // end
        #expect(try store.blocking { try $0.attachments.list() }.map(\.byteCount) == [20_000])
    }

    private func fetch(_ url: URL) async throws -> AsyncStream<Data> {
        AsyncStream { stream in
            stream.yield(Payloads.bytes(20_000))
            stream.finish()
        }
    }
}
