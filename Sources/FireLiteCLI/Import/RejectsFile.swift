import Foundation

/// NDJSON with a line for each text that could not be stored: `file`, `line`, `reason`, `text`.
final class RejectsFile {
    let path: String
    private var descriptor: Int32 = -1
    private let encoder = JSONEncoder()

    /// - Parameter path: a file there is replaced when the first text comes, or by `create`.
    init(path: String) {
        self.path = path
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes the empty file. Only the owner may read it, as it will hold health data.
    func create() throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw ToolError.system(path) }
    }

    func append(_ faults: [ImportFault]) throws {
        guard !faults.isEmpty else { return }
        if descriptor < 0 { try create() }
        var lines = Data()
        for fault in faults {
            lines += try encoder.encode(fault)
            lines.append(UInt8(ascii: "\n"))
        }
        try DescriptorOutput(descriptor, name: path).write(lines)
    }
}
