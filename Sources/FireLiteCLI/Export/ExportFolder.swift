import Foundation

/// A folder whose new files appear when all of them are complete.
final class ExportFolder {
    private let path: String
    private var files: [(temporary: String, final: String)] = []

    /// - Parameter path: made if it is not there.
    init(path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            var status = stat()
            let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
            throw isFile ? ToolError.system(path, code: ENOTDIR) : ToolError.failed("\(path): the folder cannot be made")
        }
    }

    deinit {
        for file in files { unlink(file.temporary) }
    }

    /// Writes one file under a temporary name.
    func write<Result>(_ name: String, _ body: (any ByteOutput) throws -> Result) throws -> Result {
        let final = "\(path)/\(name)"
        // Hidden, and with the process in its name so that two exports do not meet; health data are for their owner only.
        let temporary = "\(path)/.\(name).\(ProcessInfo.processInfo.processIdentifier)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ToolError.system(final) }
        files.append((temporary, final))
        let buffer = BufferedOutput(DescriptorOutput(descriptor, name: final))
        do {
            let result = try body(buffer)
            try buffer.flush()
            // Some file systems report only now that there was no room.
            guard close(descriptor) == 0 else { throw ToolError.system(final) }
            return result
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Gives the files their names.
    func finish() throws {
        while let file = files.first {
            guard rename(file.temporary, file.final) == 0 else { throw ToolError.system(file.final) }
            files.removeFirst()
        }
    }
}
