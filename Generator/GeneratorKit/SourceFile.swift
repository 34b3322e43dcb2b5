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
            throw GeneratorError("cannot read this file", at: SourceLocation(file: path))
        }
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
