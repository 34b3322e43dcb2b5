import FireLiteCore
import Foundation

/// A hidden folder for new files until they are complete, next to their place, so that they can be moved there in one step.
///
/// It has a random name and mode 0700, so that nobody can plant a file or a link in it. It is removed when
/// released. The next process that works in the same place removes a folder that a killed process left behind: a process that uses one holds a
/// lock on a file in it, which the system drops however the process ends.
package final class PendingFolder {
    package let path: String
    private let lock: Int32

    /// - Parameter folder: the folder of the new files.
    /// - Throws: `FHIRStoreError.cannotOpen`.
    package init(in folder: String) throws {
        Self.sweep(folder)
        var code: Int32 = 0
        // A sweep between the two calls takes the folder for an old one.
        for _ in 0..<100 {
            let path = folder + "/\(Self.prefix)\(UUID().uuidString)\(Self.suffix)"
            guard LiveFolders.shared.add(path, { PrivateFile.makeNewFolder(path) }) else {
                code = errno
                break
            }
            let lock = (try? PrivateFile.open(path + Self.lockName, .new)) ?? -1
            var status = stat()
            // File systems without locks are never swept.
            if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, fstat(lock, &status) == 0, status.st_nlink > 0 {
                self.path = path
                self.lock = lock
                return
            }
            code = errno
            if lock >= 0 { close(lock) }
            Self.remove(path)
            LiveFolders.shared.forget(path)
        }
        throw FHIRStoreError(
            .cannotOpen, "\(String(cString: strerror(code))): check that the folder \(folder) exists and is writable")
    }

    deinit {
        LiveFolders.shared.remove(path)
        close(lock)
    }

    // MARK: - Removing

    private static let lockName = "/.firelite-lock"
    private static let prefix = ".firelite-"
    private static let suffix = ".partial"

    /// Removes the folders that killed processes left in a folder.
    package static func sweep(_ folder: String) {
        guard let directory = opendir(folder) else { return }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name.hasPrefix(prefix), name.hasSuffix(suffix) { names.append(name) }
        }
        closedir(directory)
        for name in names where isAbandoned("\(folder)/\(name)") { remove("\(folder)/\(name)") }
    }

    private static func isAbandoned(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { return false }
        let lock = open(path + Self.lockName, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        // Without a lock file, the folder is just being created, or the process was killed in between.
        guard lock >= 0 else { return errno == ENOENT && status.st_mtime_seconds < time(nil) - 60 }
        defer { close(lock) }
        return flock(lock, LOCK_EX | LOCK_NB) == 0
    }

    /// Removes a folder of this kind with the files in it, and follows no link.
    fileprivate static func remove(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, let directory = fdopendir(descriptor) else { return }
        var names: [[CChar]] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                        Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
                    }
                })
        }
        // `.` and `..` are refused. The lock file is removed last, so that an interrupted removal is swept too.
        for name in names where strcmp(name, String(lockName.dropFirst())) != 0 { unlinkat(descriptor, name, 0) }
        unlinkat(descriptor, String(lockName.dropFirst()), 0)
        closedir(directory)
        rmdir(path)
    }

    // MARK: - Signals

    /// Removes all folders of the process, which is about to end; creating or finishing others blocks from then on.
    package static func abandonAll() { LiveFolders.shared.abandon() }

    /// Runs `body` so that `abandonAll` runs entirely before or after it.
    static func uninterrupted<Value>(_ body: () throws -> Value) rethrows -> Value { try LiveFolders.shared.locked(body) }
}

/// The folders that this process uses.
private final class LiveFolders: @unchecked Sendable {
    static let shared = LiveFolders()
    // `lock` guards `paths`.
    private let lock = NSLock()
    private var paths: Set<String> = []

    func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    func add(_ path: String, _ make: () -> Bool) -> Bool {
        locked {
            guard make() else { return false }
            paths.insert(path)
            return true
        }
    }

    func forget(_ path: String) { locked { _ = paths.remove(path) } }

    func remove(_ path: String) {
        locked {
            PendingFolder.remove(path)
            paths.remove(path)
        }
    }

    /// Holds the lock.
    func abandon() {
        lock.lock()
        for path in paths { PendingFolder.remove(path) }
    }
}

extension stat {
    fileprivate var st_mtime_seconds: Int {
        #if canImport(Darwin)
            Int(st_mtimespec.tv_sec)
        #else
            Int(st_mtim.tv_sec)
        #endif
    }
}
