import FireLiteCore
import Foundation

extension PrivateFile {
    /// Creates an empty database file if there is none. SQLite reports a failure, with a better message.
    ///
    /// SQLite itself would leave the mode to the umask. It gives `-wal`, `-shm` and `-journal` the mode of the database file, and its
    /// temporary files 0600. An existing file is not opened: closing it again would drop the locks that this process has on it
    /// (<https://www.sqlite.org/howtocorrupt.html>, section 2.2).
    /// - Throws: `FHIRStoreError.cannotOpen` for an empty file of another user, who could read the records.
    package static func createDatabase(_ path: String) throws {
        guard !path.isEmpty else { return }
        do throws(POSIXError) { close(try open(path, .new)) } catch {
            guard error.code == .EEXIST else { return }
            var status = stat()
            if stat(path, &status) != 0 {
                // A symbolic link to a missing file.
                if let descriptor = try? open(path, .appended) { close(descriptor) }
            } else if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0, status.st_uid != geteuid() {
                throw FHIRStoreError(.cannotOpen, "\(path) is an empty file of another user: remove it, or give another path")
            }
        }
    }
}
