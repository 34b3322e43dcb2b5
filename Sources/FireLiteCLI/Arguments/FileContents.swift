import Foundation

/// What is in a file that a command reads as a whole.
enum FileContents {
    /// The bytes of a file or a pipe. Foundation's `Data(contentsOf:)` refuses pipes, so a shell's `<(command)` would not be read.
    /// - Throws: `ToolError` with status 3 that names the file.
    static func bytes(of path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system(path) }
        return try bytes(of: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), named: path)
    }

    /// What is read as a whole is in memory. A device or a pipe may have no end.
    static let maximumSize = 256 << 20

    /// The bytes of an open file or pipe, up to its end.
    ///
    /// - Throws: `ToolError` with status 3, also if there are more than `limit` bytes.
    static func bytes(of file: FileHandle, named name: String, limit: Int = maximumSize) throws -> Data {
        var bytes = Data()
        do {
            while let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
                bytes += part
                if bytes.count > limit { break }
            }
        } catch {
            throw ToolError.failed("\(name) cannot be read: it is a folder, or its disk fails")
        }
        guard bytes.count <= limit else { throw ToolError.failed("\(name) has more than \(limit) bytes, which is too much here") }
        return bytes
    }

    /// The bytes of a file or a pipe that has no more than so many; nil for a larger one, of which no more is read, and its size if it has one.
    ///
    /// - Throws: `ToolError` with status 3 that names the file.
    static func bytes(of path: String, upTo limit: Int) throws -> (bytes: Data?, size: Int?) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system(path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ToolError.system(path) }
        let size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        if let size, size > limit { return (nil, size) }
        var bytes = Data()
        do {
            // A byte more shows that there is more; a file may also have grown.
            while bytes.count <= limit, let more = try file.read(upToCount: min(limit + 1 - bytes.count, 1 << 20)), !more.isEmpty {
                bytes += more
            }
        } catch {
            throw ToolError.failed("\(path) cannot be read: it is a folder, or its disk fails")
        }
        return bytes.count > limit ? (nil, size) : (bytes, size)
    }

    /// The bytes of a file or a pipe, and for `-` those of standard input.
    static func bytes(of path: String, _ console: Console) throws -> Data {
        if path != "-" { return try bytes(of: path) }
        return try bytes(of: FileHandle(fileDescriptor: console.standardInput, closeOnDealloc: false), named: "standard input")
    }

    /// The text of a file or a pipe.
    static func text(of path: String) throws -> String {
        guard let text = String(bytes: try bytes(of: path), encoding: .utf8) else {
            throw ToolError.failed("\(path) cannot be read as text: it is not UTF-8")
        }
        return text
    }
}
