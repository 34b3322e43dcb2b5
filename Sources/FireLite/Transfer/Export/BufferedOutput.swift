import Foundation

/// Collects small pieces and writes them in large ones.
///
/// Bytes that are not flushed are lost.
package final class BufferedOutput: ByteOutput {
    private static let size = 1 << 18

    private let target: any ByteOutput
    private var buffer = Data(capacity: BufferedOutput.size)

    package init(_ target: any ByteOutput) { self.target = target }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.size { try flush() }
    }

    package func flush() throws {
        try target.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
