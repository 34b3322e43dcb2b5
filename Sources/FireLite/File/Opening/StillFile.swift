import Foundation

/// A database file that is read as immutable, although it may change.
struct StillFile {
    private let path: String
    private let location: String
    private let stamp: Stamp?

    private struct Stamp: Equatable {
        let device: Int
        let file: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int
        let logSize: Int

        init?(_ location: String) {
            var status = stat()
            guard stat(location, &status) == 0 else { return nil }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            (device, file, size) = (Int(status.st_dev), UInt64(status.st_ino), Int(status.st_size))
            (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
            logSize = ReadOnlyFile.size(location + "-wal") ?? 0
        }
    }

    /// - Parameter location: the resolved `path`.
    init(path: String, location: String) {
        self.path = path
        self.location = location
        stamp = Stamp(location)
    }

    /// Whether the file has been written to since it was opened.
    var hasChanged: Bool { stamp == nil || Stamp(location) != stamp }

    /// - Throws: `FHIRStoreError.busy` if the file has been written to since it was opened.
    func verify() throws {
        guard hasChanged else { return }
        throw FHIRStoreError(
            .busy,
            "\(path) was changed by another program while it was read without locks, so the result may mix two states: read again")
    }
}
