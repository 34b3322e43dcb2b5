/// Bytes that can be read from the start more than once.
package protocol RewindableBytes: AnyObject {
    /// Reads until the memory is full or the content ends, and returns the number of bytes.
    func fill(_ memory: UnsafeMutableRawBufferPointer) throws -> Int

    /// Returns to the first byte.
    func rewind() throws
}

/// Bytes that are read once, from the current position.
final class InOrder: RewindableBytes {
    private let source: any RewindableBytes

    init(_ source: any RewindableBytes) { self.source = source }

    func fill(_ memory: UnsafeMutableRawBufferPointer) throws -> Int { try source.fill(memory) }

    func rewind() {}
}

/// Bytes in memory, which must outlive the object.
final class MemoryBytes: RewindableBytes {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = UnsafeRawBufferPointer(bytes) }

    func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int {
        let number = min(memory.count, bytes.count - position)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + number]))
        position += number
        return number
    }

    func rewind() { position = 0 }
}
