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
