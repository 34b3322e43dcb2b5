import Foundation

/// The part of a document that its reader may still need, and the line and column of places in it.
struct XMLWindow {
    /// The bytes, and the offset of the first one in the document.
    private(set) var bytes: UnsafeBufferPointer<UInt8>
    private(set) var start: Int
    /// The bytes, if the window owns them.
    private var memory: UnsafeMutableBufferPointer<UInt8>?

    /// The last place whose line was found: usually, the next one comes after it.
    private var known = (offset: 0, line: 1, lineStart: 0)
    /// The line of the first byte, and the offset where that line begins.
    private var first = (line: 1, lineStart: 0)

    /// A window on a document in memory, which must stay there.
    init(_ bytes: UnsafeBufferPointer<UInt8>, start: Int) {
        self.bytes = bytes
        self.start = start
        known.offset = start
    }

    /// The offset of the end.
    var end: Int { start + bytes.count }

    /// The offset of the last `<` before an offset; the offset itself if there is none.
    func tag(before offset: Int) -> Int {
        var index = min(offset, end) - start
        while index > 0 {
            index -= 1
            if bytes[index] == UInt8(ascii: "<") { return start + index }
        }
        return offset
    }

    /// The bytes between two offsets.
    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        let lower = min(max(range.lowerBound - start, 0), bytes.count)
        let upper = min(max(range.upperBound - start, lower), bytes.count)
        return UnsafeBufferPointer(rebasing: bytes[lower..<upper])
    }

    /// The line and the column of an offset, both from 1.
    mutating func place(of offset: Int) -> (line: Int, column: Int) {
        let offset = min(max(offset, start), end)
        if offset < known.offset { known = (start, first.line, first.lineStart) }
        if let base = bytes.baseAddress {
            var index = known.offset - start
            while index < offset - start, let found = memchr(base + index, 0x0A, offset - start - index) {
                index = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
                known.line += 1
                known.lineStart = start + index
            }
        }
        known.offset = offset
        return (known.line, offset - known.lineStart + 1)
    }

    // MARK: - Documents that arrive in pieces

    /// Drops the bytes before an offset and adds others at the end, in memory of the window's own.
    ///
    /// - Parameters:
    ///   - room: the most bytes to add.
    ///   - fill: reads bytes into the memory, and returns how many; 0 at the end.
    /// - Returns: the added bytes.
    mutating func advance(
        keepingFrom offset: Int, room: Int, filling fill: (UnsafeMutableRawBufferPointer) throws -> Int
    ) rethrows -> UnsafeBufferPointer<UInt8> {
        let kept = min(max(offset, start), end)
        _ = place(of: kept)
        first = (known.line, known.lineStart)
        let left = end - kept
        let needed = left + room
        let old = bytes.baseAddress.map { $0 + (kept - start) }
        let target: UnsafeMutableBufferPointer<UInt8>
        if let memory, memory.count >= needed {
            target = memory
        } else {
            target = .allocate(capacity: max(needed, (memory?.count ?? 0) * 2))
        }
        if let old, left > 0, let base = target.baseAddress { memmove(base, old, left) }
        if let memory, memory.baseAddress != target.baseAddress { memory.deallocate() }
        memory = target
        bytes = UnsafeBufferPointer(rebasing: target[..<left])
        start = kept
        let count = try fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[left..<needed]))
        bytes = UnsafeBufferPointer(rebasing: target[..<(left + count)])
        return UnsafeBufferPointer(rebasing: bytes[left...])
    }

    /// Frees the window's own memory.
    mutating func close() {
        memory?.deallocate()
        memory = nil
        bytes = UnsafeBufferPointer(start: nil, count: 0)
    }
}
