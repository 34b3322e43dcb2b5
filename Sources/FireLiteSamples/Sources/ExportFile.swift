import FireLite
import FireLiteCrypto
import Foundation

/// The bytes of an `export.xml`, in a file or in a zip.
final class ExportFile {
    private static let markSize = 1 << 16
    private let handle: FileHandle
    private let size: UInt64
    private let path: String
    private let entry: ZipEntry?
    private var gzip: GzipReader?
    /// What is left of the gzip header, of the compressed bytes and of the trailer.
    private var pending: [UInt8] = []
    private var rest: UInt64 = 0
    private var trailer: [UInt8] = []

    /// - Throws: `SampleError.file`, `damaged`.
    init(path: String) throws {
        self.path = path
        guard let handle = FileHandle(forReadingAtPath: path) else { throw SampleError(.file, "\(path) cannot be read") }
        self.handle = handle
        size = try handle.seekToEnd()
        entry = try ZipEntry.find("export.xml", handle, size: size, path)
        try handle.seek(toOffset: entry?.offset ?? 0)
        guard let entry else { return }
        rest = entry.compressedSize
        if entry.isDeflated {
            // The deflated bytes of a zip are those of gzip between another header and trailer.
            pending = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
            trailer = Self.bytes(entry.checksum) + Self.bytes(UInt32(truncatingIfNeeded: entry.uncompressedSize))
            gzip = try GzipReader(name: path, zlib: .system()) { [unowned self] in try self.packed($0) }
        }
    }

    /// Reads into the memory and returns the number of bytes; 0 at the end.
    func read(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        if let gzip { return try gzip.read(memory) }
        if entry != nil { return try packed(memory) }
        return try plain(memory, memory.count)
    }

    /// What tells this file from others: its size and its beginning, which has the time of the export.
    func mark() throws -> String {
        var bytes = [UInt8](repeating: 0, count: Self.markSize)
        let count = try bytes.withUnsafeMutableBytes { try read($0) }
        let digest = HashAlgorithm.sha256.digest(of: Data(bytes[..<count]))
        return "\(size)-" + digest.prefix(16).hexText
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

    private func plain(_ memory: UnsafeMutableRawBufferPointer, _ limit: Int) throws -> Int {
        let count = Foundation.read(handle.fileDescriptor, memory.baseAddress, min(memory.count, limit))
        guard count >= 0 else { throw SampleError(.file, "\(path) cannot be read") }
        return count
    }

    private func packed(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        if !pending.isEmpty {
            let count = min(memory.count, pending.count)
            memory.copyBytes(from: pending[..<count])
            pending.removeFirst(count)
            return count
        }
        if rest > 0 {
            let count = try plain(memory, Int(clamping: rest))
            guard count > 0 else { throw SampleError(.damaged, "\(path) is truncated: get the file again") }
            rest -= UInt64(count)
            if rest == 0 { (pending, trailer) = (trailer, []) }
            return count
        }
        return 0
    }
}

/// Where a file is in a zip.
struct ZipEntry {
    let offset: UInt64
    let compressedSize: UInt64
    let uncompressedSize: UInt64
    let checksum: UInt32
    let isDeflated: Bool

    private static let directorySignature: UInt32 = 0x0201_4B50
    private static let endSignature: UInt32 = 0x0605_4B50
    private static let end64Signature: UInt32 = 0x0606_4B50
    private static let fileSignature: UInt32 = 0x0403_4B50
    /// The end of the directory with the longest comment.
    private static let endSize: UInt64 = 22 + 65_535 + 100

    /// The largest file whose name ends so; nil if the file is no zip.
    ///
    /// - Throws: `SampleError.damaged`.
    static func find(_ name: String, _ handle: FileHandle, size: UInt64, _ path: String) throws -> ZipEntry? {
        guard let first = try bytes(handle, 0, 4), first.number32(0) == fileSignature else { return nil }
        func damaged() -> SampleError { SampleError(.damaged, "\(path) is a damaged zip, or one without \(name): get the file again") }
        let tailStart = size > endSize ? size - endSize : 0
        guard let tail = try bytes(handle, tailStart, Int(size - tailStart)), tail.count >= 22 else { throw damaged() }
        guard let end = (0...tail.count - 22).reversed().first(where: { tail.number32($0) == endSignature }) else { throw damaged() }
        var (start, length) = (UInt64(tail.number32(end + 16)), UInt64(tail.number32(end + 12)))
        if start == 0xFFFF_FFFF || length == 0xFFFF_FFFF,
            let end64 = (0..<end).reversed().first(where: { tail.number32($0) == end64Signature }), end64 + 56 <= tail.count
        {
            (start, length) = (tail.number64(end64 + 48), tail.number64(end64 + 40))
        }
        guard length < 1 << 28, let directory = try bytes(handle, start, Int(length)) else { throw damaged() }
        guard
            let found = entries(directory).filter({ $0.name.hasSuffix(name) && !$0.name.hasSuffix("_cda.xml") })
                .max(by: { $0.entry.uncompressedSize < $1.entry.uncompressedSize })?.entry
        else { throw damaged() }
        guard let header = try bytes(handle, found.offset, 30), header.number32(0) == fileSignature else { throw damaged() }
        let begin = found.offset + 30 + UInt64(header.number16(26)) + UInt64(header.number16(28))
        return ZipEntry(
            offset: begin, compressedSize: found.compressedSize, uncompressedSize: found.uncompressedSize, checksum: found.checksum,
            isDeflated: found.isDeflated)
    }

    private static func entries(_ directory: [UInt8]) -> [(name: String, entry: ZipEntry)] {
        var entries: [(name: String, entry: ZipEntry)] = []
        var place = 0
        while place + 46 <= directory.count, directory.number32(place) == directorySignature {
            let nameSize = directory.number16(place + 28)
            let extraSize = directory.number16(place + 30)
            let next = place + 46 + nameSize + extraSize + directory.number16(place + 32)
            let method = directory.number16(place + 10)
            guard next <= directory.count else { break }
            defer { place = next }
            guard method == 0 || method == 8 else { continue }
            var sizes = [
                UInt64(directory.number32(place + 24)), UInt64(directory.number32(place + 20)), UInt64(directory.number32(place + 42)),
            ]
            extend(&sizes, Array(directory[(place + 46 + nameSize)..<(place + 46 + nameSize + extraSize)]))
            entries.append(
                (
                    String(decoding: directory[(place + 46)..<(place + 46 + nameSize)], as: UTF8.self),
                    ZipEntry(
                        offset: sizes[2], compressedSize: sizes[1], uncompressedSize: sizes[0], checksum: directory.number32(place + 16),
                        isDeflated: method == 8)
                ))
        }
        return entries
    }

    /// Replaces numbers that are too large for 32 bits by those of the extra field 1.
    private static func extend(_ numbers: inout [UInt64], _ extra: [UInt8]) {
        var place = 0
        while place + 4 <= extra.count {
            let (kind, size) = (extra.number16(place), extra.number16(place + 2))
            var value = place + 4
            let end = min(extra.count, value + size)
            if kind == 1 {
                for index in numbers.indices where numbers[index] == 0xFFFF_FFFF && value + 8 <= end {
                    numbers[index] = extra.number64(value)
                    value += 8
                }
            }
            place += 4 + size
        }
    }

    private static func bytes(_ handle: FileHandle, _ offset: UInt64, _ count: Int) throws -> [UInt8]? {
        try handle.seek(toOffset: offset)
        guard let data = try handle.read(upToCount: count), data.count == count else { return nil }
        return [UInt8](data)
    }
}

extension [UInt8] {
    fileprivate func number16(_ place: Int) -> Int { Int(self[place]) | Int(self[place + 1]) << 8 }

    fileprivate func number32(_ place: Int) -> UInt32 { UInt32(number16(place)) | UInt32(number16(place + 2)) << 16 }

    fileprivate func number64(_ place: Int) -> UInt64 { UInt64(number32(place)) | UInt64(number32(place + 4)) << 32 }
}
