import Foundation

/// Files that only their owner can read and write.
package enum PrivateData {
    /// Replaces a file as a whole: after a crash it has the old or the new content.
    package static func write(_ data: Data, to path: String) throws {
        let temporary = path + ".\(UUID().uuidString).tmp"
        let handle = try create(temporary)
        do {
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
            guard rename(temporary, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Creates an empty file with mode 0600, and empties one that is there.
    package static func create(_ path: String) throws -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
