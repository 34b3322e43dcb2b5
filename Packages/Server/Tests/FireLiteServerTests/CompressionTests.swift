import FireLiteReleases
import FireLiteService
import Foundation
import Testing

@testable import FireLiteServer

@Suite struct CompressionTests {
    @Test func whatIsPackedIsUnpackedAgain() throws {
        for size in [0, 1, 1_000, 65_536, 300_000] {
            let data = Data((0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) & 7 })
            let packer = Gzip.Packer()
            var packed = Data()
            for start in stride(from: 0, to: size, by: 50_000) { packed += packer.add(data[start..<min(size, start + 50_000)]) }
            packed += packer.add([], isLast: true)
            #expect(try Gzip.unpacked(packed, limit: size) == data)
            // Two members are one text.
            #expect(try Gzip.unpacked(packed + packed, limit: 2 * size) == data + data)
            if size > 0 { #expect(throws: Gzip.Failure.tooLong) { try Gzip.unpacked(packed, limit: size - 1) } }
            for end in [0, 5, packed.count / 2, packed.count - 1] {
                #expect(throws: Gzip.Failure.malformed) { try Gzip.unpacked(packed.prefix(end), limit: size) }
            }
            #expect(throws: Gzip.Failure.self) { try Gzip.unpacked(packed + Data([1, 2, 3]), limit: size) }
        }
    }

    @Test func weightsOfEncodingsCount() {
        for field in ["gzip", "deflate, gzip;q=0.5", "*", "GZIP ; q=1", "x-gzip"] { #expect(ResponseCompression.acceptsGzip(field)) }
        for field in [nil, "", "deflate", "gzip;q=0", "gzip;q=0, *", "identity"] { #expect(!ResponseCompression.acceptsGzip(field)) }
    }
}
