import Foundation

@testable import FireLite

/// The NDJSON splitter: the lines are the same whatever the size of the pieces, and the chunks add up to the content.
///
/// The first byte says how long a line may be.
enum LinesTarget {
    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard let first = bytes.first else { return }
        let text = UnsafeBufferPointer(rebasing: bytes.dropFirst())
        let longest = 1 + Int(first % 64)
        let expected = naive(text, longest)
        for size in [1, 2, 3, 5, 8, 16, 31, 64, text.count + 1] {
            require(try lines(text, size: size, longest) == expected, "lines differ in pieces of \(size)")
        }
    }

    private static func naive(_ text: UnsafeBufferPointer<UInt8>, _ longest: Int) -> [[UInt8]?] {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        if lines.last == [] { lines.removeLast() }
        return lines.map { line in
            let line = line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : line
            return line.count > longest ? nil : line
        }
    }

    private static func lines(_ text: UnsafeBufferPointer<UInt8>, size: Int, _ longest: Int) throws -> [[UInt8]?] {
        var reader = LineReader(MemoryBytes(text), size: size, longest: longest)
        var lines: [[UInt8]?] = []
        var end = 0
        while let chunk = try reader.next() {
            if chunk.isTooLong {
                lines.append(nil)
            } else {
                let bytes = chunk.text.slice(0..<chunk.count)
                LineReader.forEachLine(in: bytes) { lines.append($0.count > longest ? nil : Array(bytes[$0])) }
            }
            require(chunk.end > end, "a chunk without bytes")
            end = chunk.end
        }
        require(end == text.count, "chunks do not add up")
        return lines
    }
}
