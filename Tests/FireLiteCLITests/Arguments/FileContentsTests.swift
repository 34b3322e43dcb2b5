import FireLiteCore
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

@Suite struct FileContentsTests {
    /// A pipe has no size and gives its bytes in pieces: all of them are read.
    @Test func aPipeIsReadToItsEnd() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let writer = Thread {
            do {
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                for start in stride(from: 0, to: bytes.count, by: 70_000) {
                    try handle.write(contentsOf: bytes[start..<min(start + 70_000, bytes.count)])
                }
                try handle.close()
            } catch { Issue.record(error) }
        }
        writer.start()
        #expect(try FileContents.bytes(of: path) == bytes)
    }

    /// A device without an end ends the command, not the memory.
    @Test func whatNeverEndsIsRefused() throws {
        let file = try WholeFile("/dev/zero")
        let error = #expect(throws: ToolError.self) { try FileContents.bytes(of: file, named: "zeros", limit: 5 << 20) }
        #expect(error?.status == .failed && error?.message == "zeros has more than 5242880 bytes, which is too much here")
    }

    @Test func whatCannotBeReadIsNamed() throws {
        let folder = try TemporaryFolder()
        func message(_ body: () throws -> Void) -> String? { #expect(throws: ToolError.self) { try body() }?.message }
        let missing = folder.path + "/none"
        #expect(message { _ = try FileContents.bytes(of: missing) } == "\(missing): No such file or directory")
        let ofFolder = message { _ = try FileContents.bytes(of: folder.path) }
        #expect(ofFolder == "\(folder.path) cannot be read: it is a folder, or its disk fails")
        let binary = try folder.write("b", Data([0xFF, 0xFE]))
        #expect(message { _ = try FileContents.text(of: binary) } == "\(binary) cannot be read as text: it is not UTF-8")
        #expect(try FileContents.text(of: folder.write("empty", "")) == "")
    }
}
