import FireLite
import Foundation

@testable import FireLiteCLI

/// Keeps what is written.
final class MemoryOutput: ByteOutput {
    private(set) var data = Data()
    var text: String { String(decoding: data, as: UTF8.self) }

    func write(_ bytes: UnsafeRawBufferPointer) { data.append(contentsOf: bytes) }
}

/// Fails as a full disk does.
final class FailingOutput: ByteOutput {
    func write(_ bytes: UnsafeRawBufferPointer) throws { throw ToolError.system("standard output", code: ENOSPC) }
}
