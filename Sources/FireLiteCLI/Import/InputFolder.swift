import Foundation

/// The files of a folder that hold resources.
enum InputFolder {
    private static let endings = [".ndjson", ".jsonl", ".json"]

    /// Whether a file is read for its name.
    static func isInput(_ name: String) -> Bool {
        let name = name.lowercased()
        let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
        return !name.hasPrefix(".") && endings.contains { plain.hasSuffix($0) }
    }

    /// The paths of the files in a folder and the folders in it, by name; hidden ones are left out, and links to folders are not followed.
    ///
    /// - Throws: `ToolError` where a folder cannot be read, or there is no such file.
    static func files(in folder: String) throws -> [String] {
        let found = try list(folder)
        if found.isEmpty {
            throw ToolError.incomplete("\(folder): there is no file with the ending .ndjson, .jsonl or .json in it, with or without .gz")
        }
        return found
    }

    private static func list(_ folder: String) throws -> [String] {
        guard let directory = opendir(folder) else { throw ToolError.system(folder) }
        closedir(directory)
        var found: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: found += try list(path)
            case S_IFREG, S_IFLNK: if isInput(name), !isFolder(path) { found.append(path) }
            default: continue
            }
        }
        return found
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
