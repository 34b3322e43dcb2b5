import FireLiteCore
import Foundation

/// Writes a file with a payload. It disappears if it is not finished.
package final class PayloadFileWriter {
    /// The end of temporary names.
    package static let suffix = ".part"

    private let folder: PayloadFolder
    /// The name that the file is going to have.
    package let name: String
    private let temporary: String
    private let descriptor: Int32
    private var isFinished = false

    /// - Throws: `FHIRStoreError`.
    init(_ folder: PayloadFolder) throws {
        self.folder = folder
        name = UUID().uuidString.lowercased().filter { $0 != "-" }
        temporary = folder.path(of: name + Self.suffix)
        do throws(POSIXError) { descriptor = try PrivateFile.open(temporary, .new) } catch {
            throw Self.failure(folder, "cannot be created", error.code.rawValue)
        }
        flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(temporary) }
    }

    /// - Throws: `FHIRStoreError`: `diskFull`, `cannotOpen`.
    package func append(_ bytes: Data) throws {
        try bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let count = write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure(folder, "cannot be written") }
                start += count
            }
        }
    }

    /// Brings the file to the disk under its name.
    ///
    /// - Parameter other: another name; nil for its own.
    /// - Throws: `FHIRStoreError`.
    package func finish(as other: String? = nil) throws {
        guard fsync(descriptor) == 0, rename(temporary, folder.path(of: other ?? name)) == 0 else {
            throw Self.failure(folder, "cannot be brought to the disk")
        }
        isFinished = true
        PayloadFolder.synchronize(folder.path)
    }

    private static func failure(_ folder: PayloadFolder, _ what: String, _ code: Int32 = errno) -> FHIRStoreError {
        let reason = String(cString: strerror(code))
        return FHIRStoreError(code == ENOSPC ? .diskFull : .cannotOpen, "a file of payloads in \(folder.path) \(what): \(reason)")
    }
}
