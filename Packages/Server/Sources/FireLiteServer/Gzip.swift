import CServerZlib
import Foundation

/// Packs and unpacks gzip (RFC 1952) with the system's zlib.
enum Gzip {
    /// Why a text cannot be unpacked.
    enum Failure: Error {
        case malformed
        case tooLong
    }

    /// The window of 32 KiB, with the header of gzip (zlib manual, deflateInit2 and inflateInit2).
    private static let windowBits: Int32 = 15 + 16
    private static let chunk = 1 << 16

    /// Packs a text that comes in pieces. Not for use by several tasks at a time.
    final class Packer {
        // zlib keeps the address of the stream.
        private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        /// Answers are packed while the client waits, so speed counts more than the last byte (1 to 9).
        private static let level: Int32 = 3

        init() {
            stream.initialize(to: z_stream())
            let status = deflateInit2_(
                stream, Self.level, Z_DEFLATED, Gzip.windowBits, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
            precondition(status == Z_OK, "zlib has no memory, or is another version than its header")
        }

        deinit {
            deflateEnd(stream)
            stream.deallocate()
        }

        /// The packed bytes that a piece makes.
        ///
        /// - Parameter isLast: whether no other piece follows.
        func add(_ piece: some Sequence<UInt8>, isLast: Bool = false) -> [UInt8] {
            var input = Array(piece)
            var output: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: Gzip.chunk)
            input.withUnsafeMutableBufferPointer { bytes in
                stream.pointee.next_in = bytes.baseAddress
                stream.pointee.avail_in = UInt32(bytes.count)
                repeat {
                    let count = buffer.withUnsafeMutableBufferPointer { space in
                        stream.pointee.next_out = space.baseAddress
                        stream.pointee.avail_out = UInt32(space.count)
                        deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                        return space.count - Int(stream.pointee.avail_out)
                    }
                    output += buffer[..<count]
                } while stream.pointee.avail_out == 0
            }
            return output
        }
    }

    /// The text of a whole body.
    ///
    /// - Parameters:
    ///   - data: one or more members.
    ///   - limit: the maximum number of bytes of the text.
    /// - Throws: ``Failure``.
    static func unpacked(_ data: Data, limit: Int) throws -> Data {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, windowBits, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else { throw Failure.malformed }
        defer { inflateEnd(stream) }
        var input = Array(data)
        var text = Data()
        var buffer = [UInt8](repeating: 0, count: chunk)
        try input.withUnsafeMutableBufferPointer { bytes in
            stream.pointee.next_in = bytes.baseAddress
            stream.pointee.avail_in = UInt32(bytes.count)
            while true {
                let (status, count) = buffer.withUnsafeMutableBufferPointer { space in
                    stream.pointee.next_out = space.baseAddress
                    stream.pointee.avail_out = UInt32(space.count)
                    let status = inflate(stream, Z_NO_FLUSH)
                    return (status, space.count - Int(stream.pointee.avail_out))
                }
                text += buffer[..<count]
                guard text.count <= limit else { throw Failure.tooLong }
                switch status {
                case Z_OK: continue
                case Z_STREAM_END:
                    if stream.pointee.avail_in == 0 { return }
                    guard inflateReset(stream) == Z_OK else { throw Failure.malformed }
                default: throw Failure.malformed
                }
            }
        }
        return text
    }
}
