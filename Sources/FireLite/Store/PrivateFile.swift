import Foundation

/// Files with health data: only their owner may read and write them.
enum PrivateFile {
    /// Makes an empty file with mode 0600 where there is none. A failure is left to SQLite, which tells it better.
    ///
    /// SQLite itself would leave the mode to the umask. It gives `-wal`, `-shm` and `-journal` the mode of the database file, and its
    /// temporary files 0600. A file that is there is not opened: closing it again would drop the locks this process has on it
    /// (<https://www.sqlite.org/howtocorrupt.html>, section 2.2).
    static func create(_ path: String) {
        guard !path.isEmpty else { return }
        var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        var status = stat()
        if descriptor < 0, errno == EEXIST, stat(path, &status) != 0 {
            // A symbolic link to a file that is not there.
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        }
        if descriptor >= 0 { close(descriptor) }
    }
}

/// A database file that appears under its name when it is complete, and not at all where something fails.
final class PendingFile {
    let path: String
    /// Where the file is written meanwhile: beside its place, so that it can be moved there at once.
    let temporaryPath: String
    private let replaces: Bool

    /// - Throws: `FHIRStoreError`: `alreadyExists`, `cannotOpen`.
    init(path: String, replaces: Bool) throws {
        self.path = path
        self.replaces = replaces
        temporaryPath = path + ".\(UUID().uuidString).partial"
        var status = stat()
        if lstat(path, &status) == 0 {
            guard replaces else { throw Self.exists(path) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw FHIRStoreError(.cannotOpen, "\(path) is no ordinary file: give another path")
            }
        }
        // SQLite would take a log that was left there for one of the new file.
        for companion in ["-wal", "-journal"] where stat(path + companion, &status) == 0 && status.st_size > 0 {
            throw FHIRStoreError(
                .alreadyExists, "\(path)\(companion) is there, so \(path) is in use or was not closed: close it, or give another path")
        }
        let descriptor = open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FHIRStoreError(.cannotOpen, "\(path) cannot be created: \(String(cString: strerror(errno))): check its folder")
        }
        close(descriptor)
    }

    deinit { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(temporaryPath + suffix) } }

    private static func exists(_ path: String) -> FHIRStoreError {
        FHIRStoreError(.alreadyExists, "\(path) is there already: give another path, or ask for it to be replaced")
    }

    /// Brings the file, which no connection has open any more, to the disk and to its place.
    ///
    /// - Throws: `FHIRStoreError`.
    func finish() throws {
        try Self.sync(temporaryPath, O_RDWR)
        if replaces {
            guard rename(temporaryPath, path) == 0 else { throw failure() }
        } else if link(temporaryPath, path) != 0 {
            // `link` never replaces a file; `rename` is for file systems without links.
            if errno == EEXIST { throw Self.exists(path) }
            var status = stat()
            guard lstat(path, &status) != 0 else { throw Self.exists(path) }
            guard rename(temporaryPath, path) == 0 else { throw failure() }
        }
        isInPlace = true
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Self.sync(folder, O_RDONLY)
    }

    /// Whether the file is in its place, though perhaps not after a loss of power where `finish` threw.
    private(set) var isInPlace = false

    private func failure() -> FHIRStoreError {
        FHIRStoreError(.cannotOpen, "\(path) cannot be put in place: \(String(cString: strerror(errno)))")
    }

    private static func sync(_ path: String, _ flags: Int32) throws {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw FHIRStoreError(.sqlite, "\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FHIRStoreError(.sqlite, "\(path): \(String(cString: strerror(errno)))") }
    }
}
