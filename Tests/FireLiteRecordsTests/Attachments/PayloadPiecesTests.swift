import Foundation
import Testing

@testable import FireLiteRecords

/// Payloads that are stored and read in pieces.
@Suite struct PayloadPiecesTests {
    @Test func aPayloadIsStoredAndReadInPieces() async throws {
        let store = try Payloads.store()
        for size in [0, 1, 256 << 10, (256 << 10) + 1, 5_000_000] {
            let bytes = Payloads.bytes(size)
            let pieces = AsyncStream<ArraySlice<UInt8>> { stream in
                let all = [UInt8](bytes)
                for start in stride(from: 0, to: size, by: 70_000) { stream.yield(all[start..<min(start + 70_000, size)]) }
                stream.finish()
            }
            let reference = try await store.attachments.put(pieces)
            #expect(reference.byteCount == size)
            #expect(try store.blocking { try $0.attachments.put(bytes) } == reference)
            var read = Data()
            for try await piece in store.attachments.pieces(reference) { read += piece }
            #expect(read == bytes)
            guard size > 100 else { continue }
            let range = size / 3..<size - 10
            #expect(try store.blocking { try $0.attachments.data(reference, in: range) } == bytes[range])
        }
        #expect(try store.blocking { try $0.attachments.verify() }.isEmpty)
    }

    @Test func piecesOfAChangedPayloadEndWithAnError() async throws {
        let store = try Payloads.store()
        let reference = try await store.attachments.put(Payloads.bytes(600_000))
        try store.blocking { try Damage.flip($0) }
        var count = 0
        do {
            for try await piece in store.attachments.pieces(reference) { count += piece.count }
            Issue.record("all pieces came")
        } catch let error as AttachmentError {
            #expect(error.code == .wrongHash && count < 600_000)
        }
    }

    @Test func collectingLeavesAPutThatIsUnderWay() throws {
        let store = try Payloads.store()
        let blob = try store.write { tx in
            let blob = try tx.addBlob(hash: nil, byteCount: 0)
            tx.loosePayloads.remove(blob)
            return blob
        }
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 0)
        let old = Int64(Date().timeIntervalSince1970 * 1_000) - Attachments.abandonedMilliseconds - 1_000
        try store.write { tx in _ = try tx.runBlobs("UPDATE _blob SET created = ? WHERE blob = ?", [.integer(old), .integer(blob)]) }
        #expect(try store.attachments.removeUnreferencedPayloads().payloads == 1)
    }

    @Test func onlyTheExactTextIsAReference() throws {
        let hex = String(repeating: "0a", count: 32)
        for text in ["blob:sha256:\(hex);9", "blob:sha256:\(hex);9;text", "blob:hmac-sha256:\(hex);9"] {
            #expect(PayloadReference(text)?.description == text)
        }
        for text in [
            "blob:sha256:\(hex);09", "blob:sha256:\(hex.uppercased());9", "blob:sha256:\(hex);9;text;text", "blob:sha256:\(hex);+9",
            "blob:sha256:\(hex);-9", "blob:sha256:\(hex.dropLast(2));9", "blob:sha512:\(hex);9", "blob:sha256:\(hex);9;", "",
        ] {
            #expect(PayloadReference(text) == nil, "\(text)")
        }
    }

    @Test func cancellingAtHalfLeavesNothing() async throws {
        let store = try Payloads.store()
        let (pieces, feed) = AsyncStream<Data>.makeStream()
        let task = Task { try await store.attachments.put(pieces) }
        for _ in 0..<12 { feed.yield(Data(count: 1 << 20)) }
        var waits = 0
        while try store.blocking({ try $0.sql("SELECT count(*) FROM _blob_chunk")[0][0] }) == 0, waits < 10_000 {
            await Task.yield()
            waits += 1
        }
        task.cancel()
        feed.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try store.blocking { try $0.sql("SELECT count(*) FROM _blob_chunk")[0][0] } == 0)
        #expect(try store.blocking { try Payloads.count($0) } == 0)
    }
}
