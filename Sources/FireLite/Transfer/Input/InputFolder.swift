import Foundation

/// The files of a folder that contain resources.
package enum InputFolder {
    private static let endings = [".ndjson", ".jsonl", ".json", ".xml"]

    /// Whether a file's name says that it contains resources.
    static func isInput(_ name: String) -> Bool {
        let name = name.lowercased()
        let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
        return !name.hasPrefix(".") && endings.contains { plain.hasSuffix($0) }
    }

    /// The paths of the files in a folder and its subfolders, sorted by name; hidden ones are skipped, and links to folders are not followed.
    ///
    /// - Throws: `TransferError` if a folder cannot be read or has no such file.
    package static func files(in folder: String) throws -> [String] {
        let found = try list(folder)
        if found.isEmpty {
            throw TransferError(
                .noResources, "\(folder): it contains no file that ends in .ndjson, .jsonl, .json or .xml, with or without .gz")
        }
        return found
    }

    private static func list(_ folder: String) throws -> [String] {
        try checkNames(in: folder)
        var found: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else {
                // It was removed since the folder was listed; anything else would leave out resources in silence.
                if errno == ENOENT { continue }
                throw TransferError.system(path)
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: found += try list(path)
            case S_IFREG, S_IFLNK: if isInput(name), !isFolder(path) { found.append(path) }
            default: continue
            }
        }
        return found
    }

    /// Foundation's list leaves out names that are not UTF-8.
    ///
    /// - Throws: `TransferError` if the folder cannot be read, or has such a file that its name says to contain resources.
    private static func checkNames(in folder: String) throws {
        guard let directory = opendir(folder) else { throw TransferError.system(folder) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) { name in
                    String(validatingCString: name) == nil ? String(cString: name) : nil
                }
            }
            if let name, isInput(name) {
                throw TransferError(.system, "\(folder): the name of the file '\(name)' is not UTF-8: rename it")
            }
        }
    }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
