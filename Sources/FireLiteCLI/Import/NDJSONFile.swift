import FireLite
import Foundation

/// A file with a line of JSON for each value: the texts that could not be stored, or the places that were mended.
final class NDJSONFile {
    let output: OutputPath
    private let database: String
    private var file: PendingFile?
    private var descriptor: Int32 = -1
    private let encoder = JSONEncoder()

    /// - Parameters:
    ///   - output: `finish` replaces an existing file, if a value was appended or `create` was called.
    ///   - database: the file that it must not overwrite.
    init(_ output: OutputPath, database: String) {
        self.output = output
        self.database = database
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes the empty file.
    func create() throws {
        let file = try output.pendingFile(database: database)
        descriptor = try file.open()
        self.file = file
    }

    func append(_ values: [some Encodable]) throws {
        guard !values.isEmpty else { return }
        if file == nil { try create() }
        var lines = Data()
        for value in values {
            lines += try encoder.encode(value)
            lines.append(UInt8(ascii: "\n"))
        }
        try DescriptorOutput(descriptor, name: output.path).write(lines)
    }

    /// Gives the file its name.
    func finish() throws {
        guard let file else { return }
        let result = close(descriptor)
        descriptor = -1
        guard result == 0 else { throw TransferError.system(output.path) }
        try file.finish()
        self.file = nil
    }
}
