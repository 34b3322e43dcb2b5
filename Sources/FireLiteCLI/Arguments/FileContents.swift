import Foundation

/// What is in a file that a command reads as a whole.
enum FileContents {
    /// The bytes of a file or a pipe. Foundation's `Data(contentsOf:)` refuses pipes, so a shell's `<(command)` would not be read.
    /// - Throws: `ToolError` with status 3 that names the file.
    static func bytes(of path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system(path) }
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
        } catch {
            throw ToolError.failed("\(path) cannot be read: it is a folder, or its disk fails")
        }
    }

    /// The bytes of a file or a pipe, and for `-` those of standard input.
    static func bytes(of path: String, _ console: Console) throws -> Data {
        if path != "-" { return try bytes(of: path) }
        return try FileHandle(fileDescriptor: console.standardInput, closeOnDealloc: false).readToEnd() ?? Data()
    }

    /// The text of a file or a pipe.
    static func text(of path: String) throws -> String {
        guard let text = String(bytes: try bytes(of: path), encoding: .utf8) else {
            throw ToolError.failed("\(path) cannot be read as text: it is not UTF-8")
        }
        return text
    }
}
