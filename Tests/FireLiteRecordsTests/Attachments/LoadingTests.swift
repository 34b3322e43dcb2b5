import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

/// Attachments whose content an app fetches from their addresses.
@Suite(.timeLimit(.minutes(30))) struct LoadingTests {
    private func store(_ configure: (FireLiteR4.Attachment) -> Void = { _ in }) throws -> FHIRStore {
        let store = try Payloads.store()
        let attachment = Attachment {
            $0.url = "https://example.org/letter.pdf"
            $0.contentType = "application/pdf"
        }
        configure(attachment)
        let document = DocumentReference {
            $0.id = "1"
            $0.content = [DocumentReferenceContent { $0.attachment = attachment }]
        }
        try store.write { _ = try $0.upsert(document) }
        return store
    }

    private func stream(_ bytes: Data) -> AsyncStream<Data> {
        AsyncStream { stream in
            for start in stride(from: 0, to: bytes.count, by: 5_000) { stream.yield(bytes[start..<min(start + 5_000, bytes.count)]) }
            stream.finish()
        }
    }

    private func code(_ store: FHIRStore, _ bytes: Data, _ number: Int = 0) async throws -> AttachmentError.Code? {
        do {
            _ = try await store.attachments.load(number, of: "DocumentReference", id: "1") { _ in stream(bytes) }
            return nil
        } catch let error as AttachmentError {
            return error.code
        }
    }

    private let pdf = Data("%PDF-1.7 ".utf8) + Payloads.bytes(20_000)

    @Test func theContentOfAnAddressIsStored() async throws {
        let store = try store()
        let count = try await store.attachments.load(0, of: "DocumentReference", id: "1") { url in
            #expect(url.absoluteString == "https://example.org/letter.pdf")
            return stream(pdf)
        }
        #expect(count == pdf.count)
        try store.blocking { store in
            let attachment = try #require(try Payloads.whole(store, "1").content.first?.attachment)
            #expect(attachment.data == pdf.fhirBase64 && attachment.size == pdf.count && attachment.hash?.count == 28)
            #expect(attachment.url == "https://example.org/letter.pdf")
            #expect(try Payloads.count(store) == 1)
        }
        // It is there now, with a hash that later fetches are compared with.
        #expect(try await store.attachments.load(0, of: "DocumentReference", id: "1") { _ in stream(Data()) } == nil)
    }

    @Test func whatDoesNotMatchIsRefusedAndNothingIsStored() async throws {
        let short = try store { $0.size = pdf.count + 1 }
        #expect(try await code(short, pdf) == .missing)
        let long = try store { $0.size = pdf.count - 1 }
        #expect(try await code(long, pdf) == .tooLarge)
        let hashed = try store { $0.hash = Data(count: 20).fhirBase64 }
        #expect(try await code(hashed, pdf) == .wrongHash)
        let typed = try store()
        #expect(try await code(typed, Data("#!/bin/sh".utf8)) == .wrongType)
        #expect(try await code(typed, pdf, 1) == .noPlace)
        let limited = try store()
        try limited.blocking { try $0.attachments.externalizeNewPayloads(AttachmentPolicy(maximumBytes: 10_000)) }
        #expect(try await code(limited, pdf) == .tooLarge)
        let nowhere = try store { $0.url = nil }
        #expect(try await code(nowhere, pdf) == .invalidArgument)
        for store in [short, long, hashed, typed, limited, nowhere] {
            #expect(try store.blocking { try Payloads.count($0) } == 0)
            #expect(try store.blocking { try $0.resource(DocumentReference.self, id: "1")?.content.first?.attachment?.data } == nil)
        }
    }

    @Test func aChangeMeanwhileIsNotOverwritten() async throws {
        let store = try store()
        var refused: AttachmentError.Code?
        do {
            _ = try await store.attachments.load(0, of: "DocumentReference", id: "1") { _ in
                try store.blocking { store in
                    try store.write { tx in
                        let stored = try #require(try tx.resource(DocumentReference.self, id: "1"))
                        stored.content[0].attachment?.url = "https://example.org/other.pdf"
                    }
                }
                return stream(pdf)
            }
        } catch let error as AttachmentError { refused = error.code }
        #expect(refused == .noPlace)
        #expect(try store.blocking { try Payloads.count($0) } == 0)
    }
}
