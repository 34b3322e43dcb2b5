import FireLite
import Foundation

/// The source of an import.
enum ImportSource: Sendable, Equatable {
    case file(path: String)
    /// The descriptor of standard input.
    case standardInput(Int32)

    /// The name in messages.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }

    /// The sources that operands name; a folder stands for its files, `-` for standard input.
    ///
    /// - Throws: `ToolError` if a folder cannot be read or has no input file.
    static func all(_ operands: [String], standardInput: Int32) throws -> [ImportSource] {
        try operands.flatMap { operand in
            if operand == "-" { return [ImportSource.standardInput(standardInput)] }
            let paths = InputFolder.isFolder(operand) ? try InputFolder.files(in: operand) : [operand]
            return paths.map { ImportSource.file(path: $0) }
        }
    }

    /// Standard input can be read only once.
    ///
    /// - Throws: `ToolError` with status 2 if it is named twice.
    static func checkOperands(_ operands: [String]) throws {
        guard operands.count(where: { $0 == "-" }) <= 1 else {
            throw ToolError.usage("- is given twice, but standard input can be read only once")
        }
    }

    /// Checks that every file can be read before anything is stored, and adds up their sizes if all are known.
    static func totalSize(_ sources: [ImportSource]) throws -> Int? {
        var total: Int? = 0
        for case .file(let path) in sources {
            var status = stat()
            guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw ToolError.system(path) }
            switch status.st_mode & S_IFMT {
            // The unpacked size of compressed content is unknown.
            case S_IFREG where !path.lowercased().hasSuffix(".gz"): total = total.map { $0 + Int(status.st_size) }
            default: total = nil
            }
        }
        return sources.contains { if case .standardInput = $0 { true } else { false } } ? nil : total
    }

    /// An output file is replaced, so it must be neither an input file nor the database.
    ///
    /// - Throws: `ToolError` with status 2.
    static func checkOutput(_ path: String?, option: String, _ sources: [ImportSource], database: String) throws {
        guard let path else { return }
        if sources.contains(where: { if case .file(let input) = $0 { FileTarget.isSame(input, path) } else { false } }) {
            throw ToolError.usage("--\(option) is \(path), which is an input file: name another file")
        }
        if FileTarget.isPart(path, of: database) {
            throw ToolError.usage("--\(option) is \(path), the database itself or a part of it: name another file")
        }
    }
}
