import Foundation

/// Files and folders with health data, which only their owner can read and write.
package enum PrivateFile {
    /// Creates an empty database file with mode 0600 if there is none. SQLite reports a failure, with a better message.
    ///
    /// SQLite itself would leave the mode to the umask. It gives `-wal`, `-shm` and `-journal` the mode of the database file, and its
    /// temporary files 0600. An existing file is not opened: closing it again would drop the locks that this process has on it
    /// (<https://www.sqlite.org/howtocorrupt.html>, section 2.2).
    /// - Throws: `FHIRStoreError.cannotOpen` for an empty file of another user, who could read the records.
    static func create(_ path: String) throws {
        guard !path.isEmpty else { return }
        var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST {
            var status = stat()
            if stat(path, &status) != 0 {
                // A symbolic link to a missing file.
                descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            } else if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0, status.st_uid != geteuid() {
                throw FHIRStoreError(.cannotOpen, "\(path) is an empty file of another user: remove it, or give another path")
            }
        }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Creates a folder, and missing parent folders, with mode 0700.
    ///
    /// - Throws: `FHIRStoreError.cannotOpen`.
    package static func makeFolder(_ path: String) throws {
        func isFolder() -> Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
        if isFolder() || mkdir(path, 0o700) == 0 { return }
        if errno == ENOENT {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            if parent != path {
                try makeFolder(parent)
                if mkdir(path, 0o700) == 0 { return }
            }
        }
        // Another process may have been faster.
        let code = errno == EEXIST && !isFolder() ? ENOTDIR : errno
        if code != EEXIST { throw FHIRStoreError(.cannotOpen, "\(path): \(String(cString: strerror(code)))") }
    }
}
