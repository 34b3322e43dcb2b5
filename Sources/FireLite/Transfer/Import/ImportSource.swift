import Foundation

/// The source of an import.
package enum ImportSource: Sendable {
    case file(path: String)
    /// The descriptor of standard input.
    case standardInput(Int32)
    /// The lines of a sequence of bytes.
    case stream(ByteStream)

    /// The name in messages.
    package var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        case .stream: "stream"
        }
    }

    /// The sources at a path; a folder stands for its files.
    ///
    /// - Throws: `TransferError` if a folder cannot be read or has no input file.
    package static func all(at path: String) throws -> [ImportSource] {
        let paths = InputFolder.isFolder(path) ? try InputFolder.files(in: path) : [path]
        return paths.map { .file(path: $0) }
    }

    /// Checks that every file can be read before anything is stored, and adds up their sizes if all are known.
    package static func totalSize(_ sources: [ImportSource]) throws -> Int? {
        var total: Int? = 0
        for source in sources {
            guard case .file(let path) = source else {
                total = nil
                continue
            }
            var status = stat()
            guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw TransferError.system(path) }
            switch status.st_mode & S_IFMT {
            // The unpacked size of compressed content is unknown.
            case S_IFREG where !path.lowercased().hasSuffix(".gz"): total = total.map { $0 + Int(status.st_size) }
            default: total = nil
            }
        }
        return total
    }
}
