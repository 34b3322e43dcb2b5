import FireLiteCore
import Foundation

/// A file that appears under its name when it is complete, and not at all if something fails. Only its owner can read and write it (mode 0600).
///
/// The library and its tool write every file with records this way. Only the database of a store is created in its place, as others may
/// open it at once: by `PrivateFile.createDatabase`.
package final class PendingFile {
    /// The kind of a file.
    package enum Kind {
        case database, text
    }

    package let path: String
    /// The path at which the file is written meanwhile.
    package let temporaryPath: String
    private let replaces: Bool
    /// The database that it replaces; nil for none, and for one that the caller has locked.
    private let replaced: ReplacedFile?
    let folder: PendingFolder

    /// Creates the empty file under a temporary name.
    ///
    /// - Parameters:
    ///   - replaces: whether to replace an existing file; by a database, only another database.
    ///   - database: the database that must not be overwritten, with the files that belong to it; nil for none.
    ///   - folder: the folder for the temporary file. Default: one of its own.
    ///   - keys: the keys that a replaced database may have, if it is encrypted.
    ///   - isLocked: whether the caller holds an exclusive lock on a replaced database. Default: false; it is refused if anybody has it open.
    /// - Throws: `FHIRStoreError`: `alreadyExists`, `cannotOpen`, `invalidArgument`, `busy`.
    package init(
        _ kind: Kind, path: String, replaces: Bool, database: String?, in folder: PendingFolder? = nil, keys: [Secret] = [],
        isLocked: Bool = false
    ) throws {
        self.path = path
        self.replaces = replaces
        try Self.check(path, kind, replaces: replaces, database: database)
        replaced = kind == .database && replaces && !isLocked ? ReplacedFile(path: path, keys: keys) : nil
        // Before the work, so that it is not in vain.
        try replaced?.requireReplaceable()
        let place = URL(fileURLWithPath: path)
        do {
            self.folder = try folder ?? PendingFolder(in: place.deletingLastPathComponent().path)
        } catch let error as FHIRStoreError {
            throw FHIRStoreError(error.code, "\(path): \(error.message)")
        }
        temporaryPath = self.folder.path + "/" + place.lastPathComponent
        do throws(POSIXError) { close(try PrivateFile.open(temporaryPath, .new)) } catch {
            throw FHIRStoreError(.cannotOpen, "\(path) cannot be created: \(error.reason): check its folder")
        }
    }

    private static func check(_ path: String, _ kind: Kind, replaces: Bool, database: String?) throws {
        var status = stat()
        if !replaces, lstat(path, &status) == 0 { throw exists(path) }
        if let database, FileTarget.isPart(path, of: database) {
            throw FHIRStoreError(.invalidArgument, "\(path) is the database itself, or a part of it: give another path")
        }
        if let other = FileTarget.database(with: path) {
            throw FHIRStoreError(.invalidArgument, "\(path) would be taken for a part of the database \(other): give another path")
        }
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw FHIRStoreError(.cannotOpen, "\(path) is not an ordinary file: give another path")
        }
        guard kind == .database else { return try checkIsText(path) }
        // SQLite would take a leftover log for the new file's.
        for companion in ["-wal", "-journal"] where stat(path + companion, &status) == 0 && status.st_size > 0 {
            throw FHIRStoreError(
                .alreadyExists, "\(path)\(companion) exists, so \(path) is in use or was not closed: close it, or give another path")
        }
    }

    /// Refuses to replace what is no text, such as a database of anybody.
    private static func checkIsText(_ path: String) throws {
        let descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw FHIRStoreError(.cannotOpen, "\(path): \(String(cString: strerror(errno))): give another path")
        }
        defer { close(descriptor) }
        // An encrypted database begins with random bytes.
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw FHIRStoreError(.cannotOpen, "\(path): \(String(cString: strerror(errno))): give another path") }
        guard bytes[..<count].allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }) else {
            throw FHIRStoreError(.invalidArgument, "\(path) exists, and is a database or another file that is no text: give another path")
        }
    }

    private static func exists(_ path: String) -> FHIRStoreError {
        FHIRStoreError(.alreadyExists, "\(path) exists already", remedy: .replaceFile)
    }

    /// Opens the file for writing; the caller must close the descriptor.
    ///
    /// - Throws: `FHIRStoreError.cannotOpen`.
    package func open() throws -> Int32 {
        let descriptor = Foundation.open(temporaryPath, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FHIRStoreError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))") }
        return descriptor
    }

    // MARK: - Finishing

    /// Syncs the file, which must be closed, and moves it to its place.
    ///
    /// - Throws: `FHIRStoreError`.
    package func finish() throws { try Self.finish([self]) }

    /// Syncs files, which must be closed, and then moves them to their places.
    ///
    /// - Throws: `FHIRStoreError`.
    package static func finish(_ files: [PendingFile]) throws {
        for file in files { try sync(file.temporaryPath, O_RDWR) }
        try PendingFolder.uninterrupted { for file in files { try file.putInPlace() } }
        for folder in Set(files.map { URL(fileURLWithPath: $0.path).deletingLastPathComponent().path }) { try sync(folder, O_RDONLY) }
    }

    private func putInPlace() throws {
        if replaces {
            // Until the old file has no name.
            let lock = try replaced?.lock()
            defer { withExtendedLifetime(lock) {} }
            guard rename(temporaryPath, path) == 0 else { throw failure() }
        } else if link(temporaryPath, path) == 0 {
            unlink(temporaryPath)
        } else {
            // `link` never replaces a file; `rename` is for file systems without hard links.
            if errno == EEXIST { throw Self.exists(path) }
            var status = stat()
            guard lstat(path, &status) != 0 else { throw Self.exists(path) }
            guard rename(temporaryPath, path) == 0 else { throw failure() }
        }
        isInPlace = true
    }

    /// Whether the file is in its place; if `finish` threw, a loss of power may undo that.
    private(set) var isInPlace = false

    private func failure() -> FHIRStoreError {
        FHIRStoreError(.cannotOpen, "\(path) cannot be moved to its place: \(String(cString: strerror(errno)))")
    }

    private static func sync(_ path: String, _ flags: Int32) throws {
        let descriptor = Foundation.open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw FHIRStoreError(.sqlite, "\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FHIRStoreError(.sqlite, "\(path): \(String(cString: strerror(errno)))") }
    }
}
