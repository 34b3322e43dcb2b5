import FireLiteCore
import Foundation

/// What is in a file that a command reads as a whole, with the tool's errors.
enum FileContents {
    /// The bytes of a file or a pipe.
    ///
    /// - Throws: `ToolError` with status 3 that names the file.
    static func bytes(of path: String) throws -> Data {
        try located(path) { () throws(WholeFile.Failure) in try WholeFile.bytes(path) }
    }

    /// The bytes of a file or a pipe, and for `-` those of standard input.
    static func bytes(of path: String, _ console: Console) throws -> Data {
        if path != "-" { return try bytes(of: path) }
        return try bytes(of: WholeFile(descriptor: console.standardInput), named: "standard input")
    }

    /// The bytes of an open file or pipe, up to its end.
    ///
    /// - Throws: `ToolError` with status 3, also if there are more than `limit` bytes.
    static func bytes(of file: borrowing WholeFile, named name: String, limit: Int = WholeFile.maximumSize) throws -> Data {
        do throws(WholeFile.Failure) { return try file.bytes(limit: limit) } catch { throw ToolError(error, name) }
    }

    /// The bytes of a file or a pipe that has no more than so many; nil for a larger one, of which no more is read, and its size if it has one.
    ///
    /// - Throws: `ToolError` with status 3 that names the file.
    static func bytes(of path: String, upTo limit: Int) throws -> (bytes: Data?, size: Int?) {
        do throws(WholeFile.Failure) {
            let file = try WholeFile(path)
            let size = file.size
            do throws(WholeFile.Failure) { return (try file.bytes(limit: limit), size) } catch .tooLong { return (nil, size) }
        } catch { throw ToolError(error, path) }
    }

    /// The text of a file or a pipe.
    static func text(of path: String) throws -> String {
        try located(path) { () throws(WholeFile.Failure) in try WholeFile.text(path) }
    }

    /// Names the file in what is wrong with it.
    static func located<Value: ~Copyable>(_ name: String, _ body: () throws(WholeFile.Failure) -> Value) throws(ToolError) -> Value {
        do throws(WholeFile.Failure) { return try body() } catch { throw ToolError(error, name) }
    }
}

extension ToolError {
    /// A file that is read as a whole cannot be read.
    init(_ failure: WholeFile.Failure, _ name: String) {
        self =
            switch failure {
            case .opening(let code): .system(name, code: code)
            case .reading: .failed("\(name) cannot be read: it is a folder, or its disk fails")
            case .tooLong(let limit): .failed("\(name) has more than \(limit) bytes, which is too much here")
            case .notText: .failed("\(name) cannot be read as text: it is not UTF-8")
            }
    }
}
