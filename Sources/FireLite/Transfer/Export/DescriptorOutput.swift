import Foundation

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
