import FireLite
import Foundation

/// NDJSON with a line for each text that could not be stored: `file`, `line`, `reason`, `text`.
final class RejectsFile {
    let path: String
    private let database: String
    private var file: PendingFile?
    private var descriptor: Int32 = -1
    private let encoder = JSONEncoder()

    /// - Parameters:
    ///   - path: `finish` replaces an existing file, if a text was rejected or `create` was called.
    ///   - database: the file that it must not overwrite.
    init(path: String, database: String) {
        self.path = path
        self.database = database
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes the empty file.
    func create() throws {
        let file = try PendingFile(.text, path: path, replaces: true, database: database)
        descriptor = try file.open()
        self.file = file
    }

    func append(_ faults: [ImportFault]) throws {
        guard !faults.isEmpty else { return }
        if file == nil { try create() }
        var lines = Data()
        for fault in faults {
            lines += try encoder.encode(fault)
            lines.append(UInt8(ascii: "\n"))
        }
        try DescriptorOutput(descriptor, name: path).write(lines)
    }

    /// Gives the file its name.
    func finish() throws {
        guard let file else { return }
        let result = close(descriptor)
        descriptor = -1
        guard result == 0 else { throw ToolError.system(path) }
        try file.finish()
        self.file = nil
    }
}
