import Foundation

/// A hidden folder for new files until they are whole: beside their place, so that they can be moved there at once.
///
/// It has a random name and belongs to its owner alone (mode 0700), so that nobody can put a file or a link into its way. It is gone when it is
/// released. One that a killed process left behind is removed by the next that works in the same place: whoever uses one holds a lock
/// on a file in it, which the system drops however the process ends.
package final class PendingFolder {
    package let path: String
    private let lock: Int32

    /// - Parameter folder: where the files are to go.
    /// - Throws: `FHIRStoreError.cannotOpen`.
    package init(in folder: String) throws {
        Self.sweep(folder)
        var code: Int32 = 0
        // A sweep that comes between the two calls takes the folder for an old one.
        for _ in 0..<100 {
            let path = folder + "/\(Self.prefix)\(UUID().uuidString)\(Self.suffix)"
            guard LiveFolders.shared.add(path, { mkdir(path, 0o700) == 0 }) else {
                code = errno
                break
            }
            let lock = open(path + Self.lockName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
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
            .cannotOpen, "\(String(cString: strerror(code))): check that the folder \(folder) is there and may be written")
    }

    deinit {
        LiveFolders.shared.remove(path)
        close(lock)
    }

    // MARK: - Removing

    private static let lockName = "/.firelite-lock"
    private static let prefix = ".firelite-"
    private static let suffix = ".partial"

    /// Removes what processes left in a folder that were killed.
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
        // Without one, somebody is just making it, or has been killed between the two.
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
        // The two names of folders are refused. The lock goes last, so that what is left of a removal that is cut short is swept, too.
        for name in names where strcmp(name, String(lockName.dropFirst())) != 0 { unlinkat(descriptor, name, 0) }
        unlinkat(descriptor, String(lockName.dropFirst()), 0)
        closedir(directory)
        rmdir(path)
    }

    // MARK: - Signals

    /// Removes every such folder of the process, which is about to end; whatever else would make or finish one waits for ever.
    package static func abandonAll() { LiveFolders.shared.abandon() }

    /// Runs `body` so that `abandonAll` comes before or after all of it.
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

    /// Keeps the lock.
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
