import Foundation

/// Collects small pieces and hands them on in large ones.
///
/// What is not flushed is lost.
final class BufferedOutput: ByteOutput {
    private static let size = 1 << 18

    private let target: any ByteOutput
    private var buffer = Data(capacity: BufferedOutput.size)

    init(_ target: any ByteOutput) { self.target = target }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.size { try flush() }
    }

    func flush() throws {
        try target.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
