import FireLiteCore
import Foundation

/// The folder with payloads in files, beside the database: `health.sqlite-payloads`.
///
/// A file is written under a temporary name, brought to the disk, renamed, and only then named by a row. It never changes afterwards. A crash in
/// between leaves a file that no row names, which `sweep` deletes.
package struct PayloadFolder: Sendable {
    package let path: String

    /// Nil for a database in memory.
    package init?(_ store: FHIRStore) {
        guard store.path != ":memory:", !store.path.isEmpty else { return nil }
        self.init(database: store.path)
    }

    package init(database: String) { path = database + FileTarget.payloads }

    package func path(of name: String) -> String { path + "/" + name }

    /// Whether a file may have this name: a row of a file from a stranger may have any text.
    package static func isName(_ name: String) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
    }

    /// The names in the folder; none if there is no folder.
    ///
    /// - Throws: `FHIRStoreError.disk` if the folder cannot be read: its files must not count as missing.
    package func names() throws -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw unreadable()
        }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw unreadable() }
        return names
    }

    private func unreadable() -> FHIRStoreError {
        FHIRStoreError(
            .disk, "\(path): the folder with payloads cannot be read (\(String(cString: strerror(errno)))): check its owner and permissions"
        )
    }

    /// Whether something else than a folder has its name, such as a file or a link to itself: then there are no files of payloads.
    private var isOccupied: Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ELOOP || errno == ENOTDIR }
        return status.st_mode & S_IFMT != S_IFDIR
    }

    /// Begins a file.
    ///
    /// - Throws: `FHIRStoreError`.
    package func writer() throws -> PayloadFileWriter {
        if PrivateFile.makeNewFolder(path) { Self.synchronize((path as NSString).deletingLastPathComponent) }
        return try PayloadFileWriter(self)
    }

    /// Brings the names in a folder to the disk.
    static func synchronize(_ folder: String) {
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    // MARK: - Reading

    /// Calls `body` with the open file, a plain one of this folder, and its size; nil if there is none.
    package func reading<Value>(_ name: String, _ body: (Int32, Int) throws -> Value) rethrows -> Value? {
        guard Self.isName(name) else { return nil }
        let descriptor = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try body(descriptor, Int(status.st_size))
    }

    /// The size of a file; nil if there is none.
    package func size(of name: String) -> Int? { reading(name) { $1 } }

    /// Reads bytes at an offset.
    ///
    /// - Returns: how many there were.
    package static func read(_ descriptor: Int32, at offset: Int, into memory: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < memory.count {
            let part = pread(descriptor, memory.baseAddress?.advanced(by: count), memory.count - count, off_t(offset + count))
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { break }
            count += part
        }
        return count
    }

    // MARK: - Upkeep

    /// Copies the files to the folder of another database, but for those that it has in the same size. A link with that folder's name is refused:
    /// somebody else may have put it there. If this folder is a file, or a link to none, there is nothing to copy.
    ///
    /// - Parameter wanted: the names of the files; nil for all.
    /// - Throws: `FHIRStoreError`; `disk` if this folder cannot be read.
    func copy(to other: PayloadFolder, _ wanted: Set<String>? = nil) throws {
        try other.requireNoLink()
        if isOccupied { return }
        for name in try names().filter({ Self.isName($0) && wanted?.contains($0) ?? true }).sorted()
        where other.size(of: name) != size(of: name) {
            // Nil if it was deleted meanwhile, as its payload then was.
            try reading(name) { descriptor, size in
                let writer = try other.writer()
                var buffer = Data(count: 1 << 20)
                var offset = 0
                while offset < size {
                    let count = buffer.withUnsafeMutableBytes { Self.read(descriptor, at: offset, into: $0) }
                    guard count > 0 else { break }
                    try writer.append(buffer.prefix(count))
                    offset += count
                }
                try writer.finish(as: name)
            }
        }
    }

    private func requireNoLink() throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
        throw FHIRStoreError(
            .cannotOpen, "\(path) is a link or a file, not a folder for payloads, so nothing was copied: remove it, or give another path")
    }

    /// Deletes files that no row names, and temporary ones whose writer is gone. Call it inside a write: nobody else is between file and row then.
    ///
    /// - Parameters:
    ///   - used: the names in rows.
    ///   - overwrites: whether the files are overwritten first.
    /// - Throws: `FHIRStoreError.disk` if the folder cannot be read.
    package func sweep(keeping used: Set<String>, overwrites: Bool) throws {
        for name in try names() where !used.contains(name) {
            let path = path(of: name)
            if Self.isName(name) {
                Self.delete(path, overwrites: overwrites)
            } else if name.hasSuffix(PayloadFileWriter.suffix) {
                let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                // Its writer holds the lock.
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { Self.delete(path, overwrites: overwrites) }
                close(descriptor)
            }
        }
    }

    /// Deletes a file.
    ///
    /// - Parameter overwrites: whether its bytes become zeros first, unless it has another name, too: a backup may be a link to it.
    static func delete(_ path: String, overwrites: Bool) {
        if overwrites { overwrite(path) }
        unlink(path)
    }

    private static func overwrite(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return }
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var offset: off_t = 0
        while offset < status.st_size {
            let count = pwrite(descriptor, zeros, min(zeros.count, Int(status.st_size - offset)), offset)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            offset += off_t(count)
        }
        fsync(descriptor)
    }
}
