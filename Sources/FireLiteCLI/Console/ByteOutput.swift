import Foundation

/// Where bytes go: a file descriptor, or memory in tests.
protocol ByteOutput: AnyObject {
    /// Writes all of the bytes.
    ///
    /// - Throws: `ToolError` if the system fails to.
    func write(_ bytes: UnsafeRawBufferPointer) throws
}

extension ByteOutput {
    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    func write(_ data: Data) throws {
        try data.withUnsafeBytes { try write($0) }
    }
}
