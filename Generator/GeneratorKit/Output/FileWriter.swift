import Foundation

/// Brings files on disk up to date.
enum FileWriter {
    /// Writes what differs and removes what is superfluous; what is right stays untouched, so that builds stay incremental.
    ///
    /// - Throws: `GeneratorError` when a file cannot be written or removed.
    static func apply(_ differences: OutputFolder.Differences) throws {
        for file in differences.missing + differences.changed { try write(file) }
        for path in differences.superfluous {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw GeneratorError("cannot remove this file", at: SourceLocation(file: path))
            }
        }
    }

    private static func write(_ file: PlannedFile) throws {
        let url = URL(fileURLWithPath: file.path)
        do {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.content.utf8).write(to: url, options: .atomic)
        } catch {
            throw GeneratorError("cannot write this file", at: SourceLocation(file: file.path))
        }
    }
}
