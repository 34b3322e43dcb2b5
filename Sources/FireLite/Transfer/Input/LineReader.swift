import Foundation

/// Cuts the content into pieces that end at line feeds.
struct LineReader {
    /// Some complete lines; the last line of the content may lack its line feed.
    struct Chunk {
        /// The lines, and possibly the beginning of a later one after `count` bytes.
        let text: TextBuffer
        let count: Int
        /// The offset in the content of the chunk's end.
        let end: Int
        /// Whether the chunk has no text, but stands for one line that is too long to read.
        let isTooLong: Bool
        /// Whether the end of that line was not reached.
        let isEndless: Bool
    }

    private static let lineFeed = Int32(UInt8(ascii: "\n"))

    private let input: any RewindableBytes
    private let size: Int
    private let longest: Int
    private let skipped: Int
    /// The last piece, whose bytes from `carried` on are the beginning of the next line.
    private var last: TextBuffer?
    private var carried = 0
    private var isAtEnd = false
    private var offset = 0

    /// - Parameters:
    ///   - size: the number of bytes read at once.
    ///   - longest: the maximum length of a line in bytes.
    ///   - skipped: the number of bytes after which a longer line is not read to its end. Default: none.
    init(_ input: any RewindableBytes, size: Int, longest: Int, skipped: Int = .max) {
        self.input = input
        self.size = size
        self.longest = longest
        self.skipped = skipped
    }

    /// The next lines, or nil at the end.
    mutating func next() throws -> Chunk? {
        let tail = last.map { $0.slice(carried..<$0.count) }
        let text = TextBuffer(capacity: size + (tail?.count ?? 0))
        if let tail { text.append(tail) }
        last = nil
        var searched = 0
        while !isAtEnd {
            let room = text.room
            let number = try input.fill(room)
            isAtEnd = number < room.count
            text.count += number
            if let end = Self.lastLineFeed(in: text, from: searched) { return chunk(text, count: end + 1) }
            searched = text.count
            // One more for the carriage return, which is not part of the line.
            if text.count > longest + 1 { return try skipLine(text) }
            text.reserve(text.count + 1)
        }
        return text.count == 0 ? nil : chunk(text, count: text.count)
    }

    private mutating func chunk(_ text: TextBuffer, count: Int, isTooLong: Bool = false, isEndless: Bool = false) -> Chunk {
        (last, carried) = (text, count)
        offset += count
        return Chunk(text: text, count: count, end: offset, isTooLong: isTooLong, isEndless: isEndless)
    }

    /// Reads on to the end of a line without keeping it, but not forever.
    private mutating func skipLine(_ text: TextBuffer) throws -> Chunk {
        var end: Int?
        let start = offset
        while end == nil, !isAtEnd {
            if offset - start + text.count > skipped { return chunk(text, count: text.count, isTooLong: true, isEndless: true) }
            offset += text.count
            text.count = 0
            let room = text.room
            text.count = try input.fill(room)
            isAtEnd = text.count < room.count
            end = Self.firstLineFeed(in: text.bytes)
        }
        return chunk(text, count: end.map { $0 + 1 } ?? text.count, isTooLong: true)
    }

    // MARK: - Line feeds

    private static func lastLineFeed(in text: TextBuffer, from start: Int) -> Int? {
        var index = text.count - 1
        while index >= start {
            if text.base[index] == UInt8(lineFeed) { return index }
            index -= 1
        }
        return nil
    }

    static func firstLineFeed(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let base = bytes.baseAddress, let found = memchr(base, lineFeed, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Calls `body` with each line of the bytes, without its line feed and the carriage return before it.
    static func forEachLine(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) throws -> Void) rethrows {
        var start = 0
        while start < bytes.count {
            let found = firstLineFeed(in: UnsafeBufferPointer(rebasing: bytes[start...])).map { start + $0 }
            var end = found ?? bytes.count
            if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            try body(start..<end)
            start = (found ?? bytes.count) + 1
        }
    }
}
