import Foundation

/// Files and folders with health data: only their owner may read and write them.
package enum PrivateFile {
    /// Makes an empty database file with mode 0600 where there is none. A failure is left to SQLite, which tells it better.
    ///
    /// SQLite itself would leave the mode to the umask. It gives `-wal`, `-shm` and `-journal` the mode of the database file, and its
    /// temporary files 0600. A file that is there is not opened: closing it again would drop the locks this process has on it
    /// (<https://www.sqlite.org/howtocorrupt.html>, section 2.2).
    /// - Throws: `FHIRStoreError.cannotOpen` for an empty file of another user's, who would get the records.
    static func create(_ path: String) throws {
        guard !path.isEmpty else { return }
        var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST {
            var status = stat()
            if stat(path, &status) != 0 {
                // A symbolic link to a file that is not there.
                descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            } else if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0, status.st_uid != geteuid() {
                throw FHIRStoreError(.cannotOpen, "\(path) is an empty file of another user: remove it, or give another path")
            }
        }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes a folder, and those it is in, with mode 0700 where they are not there.
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
        // Another process may have been quicker.
        let code = errno == EEXIST && !isFolder() ? ENOTDIR : errno
        if code != EEXIST { throw FHIRStoreError(.cannotOpen, "\(path): \(String(cString: strerror(code)))") }
    }
}
