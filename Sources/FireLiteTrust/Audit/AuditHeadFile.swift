import FireLiteCore
import Foundation

/// A file of kept heads, one token per line. Only its owner can read and write it (mode 0600).
public struct AuditHeadFile: Sendable {
    /// The file, which is created with the first head.
    public let url: URL
    private var path: String { url.filePath }

    /// A file of kept heads.
    public init(_ url: URL) { self.url = url }

    /// The heads in the file, in the order they were added.
    ///
    /// - Parameter mayBeEmpty: whether the file may be missing or have no head yet, so that the result may be empty. Default: that is an error, as
    ///   without a kept head a trail that was cut off looks whole.
    /// - Throws: `AuditError.file` if it has no head or cannot be read; `AuditError.invalidProof` if a line is not a head.
    public func heads(mayBeEmpty: Bool = false) throws -> [AuditHead] {
        let heads = try readHeads()
        guard mayBeEmpty || !heads.isEmpty else {
            throw AuditError(.file, "\(path) has no head: it is missing or was emptied, or none was saved yet")
        }
        return heads
    }

    private func readHeads() throws -> [AuditHead] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        guard let text = try? WholeFile.text(path) else {
            throw AuditError(.file, "\(path) cannot be read: check its permissions")
        }
        return try text.split(separator: "\n").map { try AuditHead(token: String($0)) }
    }

    /// Adds a head and syncs the file to the disk.
    ///
    /// - Throws: `AuditError.file`.
    public func append(_ head: AuditHead) throws {
        guard let file = try? PrivateFile.open(path, .appended) else { throw failure }
        defer { close(file) }
        let bytes = Array("\(head.token)\n".utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else { throw failure }
    }

    private var failure: AuditError { AuditError(.file, "\(path) cannot be written: check its permissions and the disk") }
}
