import Foundation

/// The reader has closed its end of the pipe, as `head` does when it has enough.
struct ReaderGone: Error {}

/// Writes to a file descriptor without closing it.
final class DescriptorOutput: ByteOutput {
    private let descriptor: Int32
    private let name: String

    /// - Parameter name: the name in error messages.
    init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { throw ReaderGone() }
                throw ToolError.system(name)
            }
            rest = rest.dropFirst(written)
        }
    }
}
