import Foundation

/// Files and folders with health data or secrets, which only their owner can read and write: modes 0600 and 0700.
package enum PrivateFile {
    /// How a file is opened.
    package enum Use {
        /// It must not exist, not even as a symbolic link.
        case new
        /// Its content is removed. A symbolic link is refused.
        case emptied
        /// It is written at its end.
        case appended
    }

    /// Opens a file for writing, and creates it if there is none.
    ///
    /// - Returns: a descriptor that the caller closes.
    package static func open(_ path: String, _ use: Use) throws(POSIXError) -> Int32 {
        let flags: Int32 =
            switch use {
            case .new: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            case .emptied: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
            case .appended: O_WRONLY | O_CREAT | O_APPEND
            }
        let descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        return descriptor
    }

    /// Creates an empty file, and empties one that is there.
    package static func create(_ path: String) throws(POSIXError) -> FileHandle {
        FileHandle(fileDescriptor: try open(path, .emptied), closeOnDealloc: true)
    }

    /// Replaces a file as a whole: after a crash it has the old or the new content.
    package static func write(_ data: Data, to path: String) throws {
        let temporary = path + ".\(UUID().uuidString).tmp"
        let handle = try create(temporary)
        do {
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
            guard rename(temporary, path) == 0 else { throw failure(errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Creates a folder, and missing parent folders. An existing folder is unchanged.
    package static func makeFolder(_ path: String) throws(POSIXError) {
        func isFolder() -> Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
        if isFolder() || makeNewFolder(path) { return }
        if errno == ENOENT {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            if parent != path {
                try makeFolder(parent)
                if makeNewFolder(path) { return }
            }
        }
        // Another process may have been faster.
        let code = errno == EEXIST && !isFolder() ? ENOTDIR : errno
        if code != EEXIST { throw failure(code) }
    }

    /// Creates one folder in a folder that is there.
    ///
    /// - Returns: false with `errno` if it cannot be created, or is there.
    package static func makeNewFolder(_ path: String) -> Bool { mkdir(path, 0o700) == 0 }

    private static func failure(_ code: Int32) -> POSIXError { POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
}

extension POSIXError {
    /// The system's words for it.
    package var reason: String { String(cString: strerror(code.rawValue)) }
}
