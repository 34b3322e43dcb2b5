import Foundation

/// A file that appears under its name when it is whole, and not at all where something fails. Only its owner may read and write it (mode 0600).
///
/// Every file with records that the library or its tool writes is one of these. The database of a store is made in its place, as others may
/// open it at once: by `PrivateFile.create`.
package final class PendingFile {
    /// What a file holds.
    package enum Kind {
        case database, text
    }

    package let path: String
    /// Where the file is written meanwhile.
    package let temporaryPath: String
    private let replaces: Bool
    let folder: PendingFolder

    /// Makes the empty file under a temporary name.
    ///
    /// - Parameters:
    ///   - replaces: whether a file that is there is replaced.
    ///   - database: what must not be written over, with the files that belong to it; nil for none.
    ///   - folder: where the file is written meanwhile; one of its own unless given.
    /// - Throws: `FHIRStoreError`: `alreadyExists`, `cannotOpen`, `invalidArgument`.
    package init(_ kind: Kind, path: String, replaces: Bool, database: String?, in folder: PendingFolder? = nil) throws {
        self.path = path
        self.replaces = replaces
        try Self.check(path, kind, replaces: replaces, database: database)
        let place = URL(fileURLWithPath: path)
        do {
            self.folder = try folder ?? PendingFolder(in: place.deletingLastPathComponent().path)
        } catch let error as FHIRStoreError {
            throw FHIRStoreError(error.code, "\(path): \(error.message)")
        }
        temporaryPath = self.folder.path + "/" + place.lastPathComponent
        let descriptor = Foundation.open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FHIRStoreError(.cannotOpen, "\(path) cannot be created: \(String(cString: strerror(errno))): check its folder")
        }
        close(descriptor)
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
            throw FHIRStoreError(.cannotOpen, "\(path) is no ordinary file: give another path")
        }
        guard kind == .database else { return }
        // SQLite would take a log that was left there for one of the new file.
        for companion in ["-wal", "-journal"] where stat(path + companion, &status) == 0 && status.st_size > 0 {
            throw FHIRStoreError(
                .alreadyExists, "\(path)\(companion) is there, so \(path) is in use or was not closed: close it, or give another path")
        }
    }

    private static func exists(_ path: String) -> FHIRStoreError {
        FHIRStoreError(.alreadyExists, "\(path) is there already: give another path, or ask for it to be replaced")
    }

    /// Opens the file for writing; the descriptor is the caller's to close.
    ///
    /// - Throws: `FHIRStoreError.cannotOpen`.
    package func open() throws -> Int32 {
        let descriptor = Foundation.open(temporaryPath, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FHIRStoreError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))") }
        return descriptor
    }

    // MARK: - Finishing

    /// Brings the file, which nobody has open any more, to the disk and to its place.
    ///
    /// - Throws: `FHIRStoreError`.
    package func finish() throws { try Self.finish([self]) }

    /// Brings files, which nobody has open any more, to the disk and then to their places.
    ///
    /// - Throws: `FHIRStoreError`.
    package static func finish(_ files: [PendingFile]) throws {
        for file in files { try sync(file.temporaryPath, O_RDWR) }
        try PendingFolder.uninterrupted { for file in files { try file.putInPlace() } }
        for folder in Set(files.map { URL(fileURLWithPath: $0.path).deletingLastPathComponent().path }) { try sync(folder, O_RDONLY) }
    }

    private func putInPlace() throws {
        if replaces {
            guard rename(temporaryPath, path) == 0 else { throw failure() }
        } else if link(temporaryPath, path) == 0 {
            unlink(temporaryPath)
        } else {
            // `link` never replaces a file; `rename` is for file systems without links.
            if errno == EEXIST { throw Self.exists(path) }
            var status = stat()
            guard lstat(path, &status) != 0 else { throw Self.exists(path) }
            guard rename(temporaryPath, path) == 0 else { throw failure() }
        }
        isInPlace = true
    }

    /// Whether the file is in its place, though perhaps not after a loss of power where `finish` threw.
    private(set) var isInPlace = false

    private func failure() -> FHIRStoreError {
        FHIRStoreError(.cannotOpen, "\(path) cannot be put in place: \(String(cString: strerror(errno)))")
    }

    private static func sync(_ path: String, _ flags: Int32) throws {
        let descriptor = Foundation.open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw FHIRStoreError(.sqlite, "\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FHIRStoreError(.sqlite, "\(path): \(String(cString: strerror(errno)))") }
    }
}
