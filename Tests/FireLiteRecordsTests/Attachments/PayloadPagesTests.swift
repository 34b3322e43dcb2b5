import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

/// What a fetch reads of the file, in pages.
@Suite struct PayloadPagesTests {
    private static func fetched(_ id: String, _ path: String, whole: Bool = false) throws -> Int {
        // Without anything in its cache.
        let store = try FHIRStore(path: path, release: .r4)
        try store.attachments.resume()
        defer { do { try store.close() } catch {} }
        return try store.read { tx in
            let before = tx.pagesRead
            let document = try #require(try tx.resource(DocumentReference.self, id: id))
            if whole { _ = try tx.whole(document) }
            return tx.pagesRead - before
        }
    }

    @Test func aFetchReadsNoPageOfThePayload() throws {
        let folder = try TemporaryFolder()
        let (apart, inRows) = (folder.file("apart.sqlite"), folder.file("rows.sqlite"))
        let large = Payloads.bytes(10 << 20).fhirBase64
        for path in [apart, inRows] {
            let store = try FHIRStore(path: path, release: .r4)
            if path == apart { try store.attachments.externalizeNewPayloads() }
            try store.write { tx in
                try tx.upsert(Payloads.document("small", "AAAA"))
                try tx.upsert(Payloads.document("large", large))
            }
            try store.close()
        }
        let (small, payload) = (try Self.fetched("small", apart), try Self.fetched("large", apart))
        #expect(payload == small)
        #expect(small < 40)
        // The count sees the payload where it is read.
        #expect(try Self.fetched("large", apart, whole: true) > 2_560)
        #expect(try Self.fetched("large", inRows) > 2_560)
    }
}
