import CFireLiteGzip
import Foundation

/// Unpacks gzip (RFC 1952) of one or several members.
package final class GzipReader {
    private static let inputSize = 1 << 16
    static let magic: [UInt8] = [0x1F, 0x8B]

    private let name: String
    private let zlib: Zlib
    private let source: (UnsafeMutableRawBufferPointer) throws -> Int
    // zlib keeps the address.
    private let stream: UnsafeMutablePointer<firelite_zlib_stream>
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: inputSize, alignment: 1)
    /// Whether a member has begun but not ended.
    private var isInMember = false
    private var isAtEnd = false

    /// - Parameters:
    ///   - name: the file's name in messages.
    ///   - zlib: the functions of the system's library.
    ///   - source: reads compressed bytes and returns their number; 0 at the end.
    /// - Throws: `TransferError` if there is not enough memory.
    package init(name: String, zlib: Zlib, _ source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        self.name = name
        self.zlib = zlib
        self.source = source
        stream = .allocate(capacity: 1)
        stream.initialize(to: firelite_zlib_stream())
        guard zlib.begin(stream) == Zlib.ok else { throw TransferError.system(name, code: ENOMEM) }
    }

    deinit {
        _ = zlib.end(stream)
        stream.deallocate()
        input.deallocate()
    }

    /// Starts again; the source returns its first bytes next.
    func reset() {
        _ = zlib.reset(stream)
        stream.pointee.avail_in = 0
        isInMember = false
        isAtEnd = false
    }

    /// Reads into the memory and returns the number of bytes; 0 at the end.
    ///
    /// - Throws: `TransferError` if the content is damaged or truncated.
    package func read(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        let room = UInt32(clamping: memory.count)
        stream.pointee.next_out = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        while stream.pointee.avail_out == room, room > 0, !isAtEnd {
            if stream.pointee.avail_in == 0 { try fill() }
            if isAtEnd { break }
            isInMember = true
            switch zlib.inflate(stream) {
            case Zlib.ok, Zlib.noProgress: continue
            case Zlib.streamEnd:
                // Another member may follow.
                isInMember = false
                _ = zlib.reset(stream)
            default: throw TransferError(.damaged, "\(name): the compressed content is damaged: get the file again")
            }
        }
        return Int(room - stream.pointee.avail_out)
    }

    private func fill() throws {
        let count = try source(input)
        stream.pointee.next_in = UnsafePointer(input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: count)
        guard count == 0 else { return }
        if isInMember { throw TransferError(.damaged, "\(name): the compressed content is truncated: get the file again") }
        isAtEnd = true
    }
}
