import Foundation

/// Where bytes go: a file descriptor, or memory in tests.
package protocol ByteOutput: AnyObject {
    /// Writes all of the bytes.
    ///
    /// - Throws: `TransferError` if the system fails to; `ReaderGone`.
    func write(_ bytes: UnsafeRawBufferPointer) throws
}

extension ByteOutput {
    package func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    package func write(_ data: Data) throws {
        try data.withUnsafeBytes { try write($0) }
    }
}

/// Collects small pieces and writes them in large ones.
///
/// Bytes that are not flushed are lost.
package final class BufferedOutput: ByteOutput {
    private static let size = 1 << 18

    private let target: any ByteOutput
    private var buffer = Data(capacity: BufferedOutput.size)

    package init(_ target: any ByteOutput) { self.target = target }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        // As a sequence, the bytes would first be looked at for what else they are.
        buffer.append(bytes.bindMemory(to: UInt8.self))
        if buffer.count >= Self.size { try flush() }
    }

    package func flush() throws {
        try target.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// The reader has closed its end of the pipe, as `head` does when it has enough.
package struct ReaderGone: Error {}

/// Writes to a file descriptor without closing it.
package final class DescriptorOutput: ByteOutput {
    private let descriptor: Int32
    private let name: String

    /// - Parameter name: the name in error messages.
    package init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { throw ReaderGone() }
                throw TransferError.system(name)
            }
            rest = rest.dropFirst(written)
        }
    }
}
