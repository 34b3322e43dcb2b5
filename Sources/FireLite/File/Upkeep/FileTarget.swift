import Foundation

/// The path of a new file.
package enum FileTarget {
    /// The suffixes of the files that belong to a database.
    package static let companions = ["-wal", "-shm", "-journal"]
    /// The suffix of the folder with the payloads of a database that are files.
    static let payloads = "-payloads"

    /// Whether writing a file at `path` would destroy the database: it is the database's own file, one that belongs to it, whether that exists or
    /// not, or a hard link to one of them.
    package static func isPart(_ path: String, of database: String) -> Bool {
        if database == ":memory:" { return false }
        // If the path is a symbolic link, the files that belong to it are next to the file itself.
        let own = location(database) ?? database
        return ([database, own] + companions.map { own + $0 } + companions.map { database + $0 }).contains { isSame($0, path) }
    }

    /// Whether two paths refer to one file, or would if it existed.
    package static func isSame(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        if stat(first, &one) == 0, stat(second, &other) == 0 { return one.st_dev == other.st_dev && one.st_ino == other.st_ino }
        return place(first) == place(second)
    }

    /// The database that a file at `path` would be taken for a part of, or for a payload in the folder beside it; nil if there is none.
    package static func database(with path: String) -> String? {
        var folder = Substring(path)
        while !folder.isEmpty {
            let suffixes = folder.endIndex == path.endIndex ? companions + [payloads] : [payloads]
            for suffix in suffixes where folder.hasSuffix(suffix) {
                let database = String(folder.dropLast(suffix.count))
                var status = stat()
                if !database.isEmpty, !database.hasSuffix("/"), lstat(database, &status) == 0 { return database }
            }
            folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
        }
        return nil
    }

    private static func location(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The path with its folder's symbolic links resolved.
    private static func place(_ path: String) -> String {
        if let location = location(path) { return location }
        let url = URL(fileURLWithPath: path)
        return (location(url.deletingLastPathComponent().path) ?? url.deletingLastPathComponent().path) + "/" + url.lastPathComponent
    }
}
