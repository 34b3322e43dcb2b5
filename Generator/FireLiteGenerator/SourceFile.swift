import Foundation

/// A file's bytes together with the name to use in messages about it.
struct SourceFile: Sendable {
    let name: String
    /// The content without a byte order mark, with which official packages may start a file.
    let bytes: [UInt8]
    /// Offsets of the first byte of each line.
    private let lineStarts: [Int]

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        lineStarts = Self.lineStarts(in: self.bytes)
    }

    /// Reads a file from disk.
    ///
    /// - Throws: `GeneratorError` when it cannot be read.
    init(path: String) throws {
        do {
            self.init(name: path, bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
        } catch {
            throw GeneratorError("cannot read this file", because: error, at: SourceLocation(file: path))
        }
    }

    /// The bytes with the line ends of Unix, which a checkout on Windows may have changed.
    var unifiedLines: [UInt8] { Self.unifyingLines(of: bytes) }

    /// A copy of a text with a line feed for each carriage return and line feed.
    static func unifyingLines(of bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\r")) else { return bytes }
        var unified: [UInt8] = []
        unified.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let endsLine = byte == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
            if !endsLine { unified.append(byte) }
        }
        return unified
    }

    /// The place of a byte. O(log lines).
    func location(of offset: Int) -> SourceLocation {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return SourceLocation(file: name, line: low + 1, column: offset - lineStarts[low] + 1)
    }

    /// With `memchr`, because a loop over megabytes is slow in a debug build, the one `swift run` makes.
    private static func lineStarts(in bytes: [UInt8]) -> [Int] {
        var starts = [0]
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var position = 0
            while let found = memchr(base + position, Int32(UInt8(ascii: "\n")), buffer.count - position) {
                position = base.distance(to: UnsafeRawPointer(found)) + 1
                starts.append(position)
            }
        }
        return starts
    }
}
