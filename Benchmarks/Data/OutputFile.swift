import Foundation

/// A file that is written from its beginning, through a buffer.
final class OutputFile {
    private let path: String
    private let file: UnsafeMutablePointer<FILE>

    /// - Throws: `BenchmarkFailure` where it cannot be made.
    init(_ path: String) throws {
        guard let file = fopen(path, "w") else { throw BenchmarkFailure("cannot write \(path): \(String(cString: strerror(errno)))") }
        self.path = path
        self.file = file
    }

    func write(_ bytes: UnsafeRawBufferPointer) { _ = fwrite(bytes.baseAddress, 1, bytes.count, file) }

    func writeLineFeed() { putc(10, file) }

    /// - Throws: `BenchmarkFailure` where something was not written.
    func close() throws {
        let failed = ferror(file) != 0
        guard fclose(file) == 0, !failed else { throw BenchmarkFailure("cannot write all of \(path): is the disk full?") }
    }
}
