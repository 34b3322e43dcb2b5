import FireLiteCore
import Foundation

/// A folder whose new files appear when all of them are complete.
package final class ExportFolder {
    private let path: String
    private let database: String
    private let pending: PendingFolder
    private var files: [PendingFile] = []

    /// - Parameters:
    ///   - path: created with mode 0700 if it does not exist.
    ///   - database: the file that no file may overwrite.
    package init(path: String, database: String) throws {
        self.path = path
        self.database = database
        do throws(POSIXError) { try PrivateFile.makeFolder(path) } catch { throw FHIRStoreError(.cannotOpen, "\(path): \(error.reason)") }
        pending = try PendingFolder(in: path)
    }

    /// Writes one file under a temporary name.
    package func write<Value>(_ name: String, _ body: (any ByteOutput) throws -> Value) throws -> Value {
        let file = try PendingFile(.text, path: "\(path)/\(name)", replaces: true, database: database, in: pending)
        let result = try file.write(body)
        files.append(file)
        return result
    }

    /// Gives the files their names.
    package func finish() throws {
        try PendingFile.finish(files)
        files = []
    }
}

extension PendingFile {
    /// Writes the file's content.
    package func write<Value>(_ body: (any ByteOutput) throws -> Value) throws -> Value {
        let descriptor = try open()
        let buffer = BufferedOutput(DescriptorOutput(descriptor, name: path))
        let result: Value
        do {
            result = try body(buffer)
            try buffer.flush()
        } catch {
            close(descriptor)
            throw error
        }
        // Some file systems report only now that the disk is full. The descriptor is closed all the same.
        guard close(descriptor) == 0 else { throw TransferError.system(path) }
        return result
    }
}
