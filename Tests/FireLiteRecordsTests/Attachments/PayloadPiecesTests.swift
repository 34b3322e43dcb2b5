import FireLiteRecords
import Foundation
import Testing

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
