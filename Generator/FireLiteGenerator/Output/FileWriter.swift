import Foundation

/// Brings files on disk up to date.
enum FileWriter {
    /// Removes what is superfluous and writes what differs; what is right stays untouched, so that builds stay incremental.
    ///
    /// Files are removed first: if only the case of a name changes, some file systems have one file for both names.
    ///
    /// - Throws: `GeneratorError` when a file cannot be written or removed.
    static func apply(_ differences: OutputFolder.Differences) throws {
        for path in differences.superfluous {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw GeneratorError("cannot remove this file", because: error, at: SourceLocation(file: path))
            }
        }
        for file in differences.missing + differences.changed { try write(file) }
    }

    private static func write(_ file: PlannedFile) throws {
        let url = URL(fileURLWithPath: file.path)
        do {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.content.utf8).write(to: url, options: .atomic)
        } catch {
            throw GeneratorError("cannot write this file", because: error, at: SourceLocation(file: file.path))
        }
    }
}
