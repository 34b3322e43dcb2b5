import Foundation

/// A file or a stream that is read as a whole: keys, tokens, views, mappings, JSON documents.
///
/// Pipes are read like files, which Foundation's `Data(contentsOf:)` refuses to do, so that a shell's `<(command)` works. A device or a pipe may
/// have no end, so nothing is read without a limit.
package struct WholeFile: ~Copyable {
    /// Why a file cannot be read.
    package enum Failure: Error, Equatable {
        /// The system cannot open it: its error number.
        case opening(Int32)
        /// It is a folder, or its disk fails: the system's error number.
        case reading(Int32)
        /// It has more bytes than this.
        case tooLong(limit: Int)
        /// It is not UTF-8.
        case notText
    }

    /// What is read as a whole is in memory.
    package static let maximumSize = 256 << 20
    private static let chunk = 1 << 20

    package let descriptor: Int32
    private let isOwned: Bool

    /// Opens a file or a pipe.
    package init(_ path: String) throws(Failure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        isOwned = true
        guard descriptor >= 0 else { throw .opening(errno) }
    }

    /// What is open already, and stays so.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    deinit { if isOwned, descriptor >= 0 { close(descriptor) } }

    /// The size of a regular file; nil for a pipe or a device.
    package var size: Int? {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// The bytes up to the end.
    package func bytes(limit: Int = maximumSize) throws(Failure) -> Data {
        if let size, size > limit { throw .tooLong(limit: limit) }
        var data = Data()
        while true {
            let known = data.count
            // A byte more shows that there is more; a file may also have grown.
            let next = min(limit + 1 - known, Self.chunk)
            data.count = known + next
            let count = try Self.count(data.withUnsafeMutableBytes { Self.read(descriptor, $0.baseAddress?.advanced(by: known), next) })
            data.count = known + count
            if count == 0 { return data }
            if data.count > limit { throw .tooLong(limit: limit) }
        }
    }

    /// Fills memory that the caller wipes, up to the end of the file.
    ///
    /// - Returns: the number of bytes; that of the memory if the file may have more.
    package func fill(_ memory: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        var filled = 0
        while filled < memory.count {
            let count = try Self.count(Self.read(descriptor, memory.baseAddress?.advanced(by: filled), memory.count - filled))
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// The bytes of a file or a pipe.
    package static func bytes(_ path: String, limit: Int = maximumSize) throws(Failure) -> Data {
        let file = try WholeFile(path)
        return try file.bytes(limit: limit)
    }

    /// The text of a file or a pipe.
    package static func text(_ path: String, limit: Int = maximumSize) throws(Failure) -> String {
        guard let text = String(bytes: try bytes(path, limit: limit), encoding: .utf8) else { throw .notText }
        return text
    }

    /// A call of the system, repeated if a signal has interrupted it.
    private static func read(_ descriptor: Int32, _ memory: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        while true {
            let number = Foundation.read(descriptor, memory, count)
            if number >= 0 || errno != EINTR { return number }
        }
    }

    private static func count(_ number: Int) throws(Failure) -> Int {
        guard number >= 0 else { throw .reading(errno) }
        return number
    }
}
