import Foundation

/// The files under a folder.
enum FileTree {
    /// A file in a folder or in one of its sub-folders.
    struct Entry: Equatable {
        /// Relative to the folder.
        var path: String
        /// Whether it is a symbolic link, which is never followed into another folder.
        var isLink: Bool
    }

    /// Every file below a folder in the order of their paths. What is hidden, by a dot before its name, is skipped.
    ///
    /// - Throws: `GeneratorError` with the system's reason if a folder cannot be read.
    static func files(in folder: String) throws -> [Entry] {
        try files(in: folder, below: "").sorted { $0.path < $1.path }
    }

    /// Names in a folder, unsorted.
    static func names(in folder: String, _ what: String = "folder") throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw GeneratorError("cannot read this \(what)", because: error, at: SourceLocation(file: folder))
        }
    }

    private static func files(in folder: String, below prefix: String) throws -> [Entry] {
        try names(in: folder).filter { !$0.hasPrefix(".") }.flatMap { name in
            let path = folder + "/" + name
            let type: FileAttributeType?
            do {
                type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            } catch {
                throw GeneratorError("cannot read this file", because: error, at: SourceLocation(file: path))
            }
            if type == .typeDirectory { return try files(in: path, below: prefix + name + "/") }
            return [Entry(path: prefix + name, isLink: type == .typeSymbolicLink)]
        }
    }
}
