import FireLite
import FireLiteCore
import Foundation

/// The ways in which the tool creates files. Each goes through `PendingFile`: what is written appears when it is complete, with mode 0600, and never
/// through a link.
extension OutputPath {
    /// A file under a temporary name.
    ///
    /// - Parameters:
    ///   - replaces: whether to replace an existing file.
    ///   - database: the database that the command works on; nil for none.
    /// - Throws: `FHIRStoreError`; `ToolError` with status 2 for standard output.
    func pendingFile(replaces: Bool = true, database: String?) throws -> PendingFile {
        if isStandardOutput { throw ToolError.usage("\(name) is -, but only a file is possible here: name one") }
        return try PendingFile(.text, path: path, replaces: replaces, database: database)
    }

    /// Writes a file, which appears when `body` has ended.
    func write<Value>(database: String?, _ body: (any ByteOutput) throws -> Value) throws -> Value {
        let file = try pendingFile(database: database)
        let result = try file.write(body)
        try file.finish()
        return result
    }

    /// Writes a file with these bytes.
    ///
    /// - Parameter replaces: whether to replace an existing file.
    /// - Throws: `FHIRStoreError`; `ToolError` with status 2 if a file exists that must not be replaced.
    func write(_ bytes: Data, replaces: Bool) throws {
        do {
            let file = try pendingFile(replaces: replaces, database: nil)
            try file.write { try $0.write(bytes) }
            try file.finish()
        } catch let error as FHIRStoreError where error.code == .alreadyExists {
            throw Self.exists(path)
        }
    }

    /// The folder for the files of an export.
    func exportFolder(database: String) throws -> ExportFolder { try ExportFolder(path: path, database: database) }

    /// Writes a text for an editor into a new file, in a folder of its own that only the user can read.
    ///
    /// - Returns: the path of the folder.
    /// - Throws: `ToolError` with status 3.
    static func temporaryFolder(holding text: String, named name: String) throws -> String {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("firelite-\(UUID().uuidString)").path
        do throws(POSIXError) {
            try PrivateFile.makeFolder(folder)
            let descriptor = try PrivateFile.open(folder + "/" + name, .new)
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do { try handle.write(contentsOf: Data(text.utf8)) } catch { throw POSIXError(.ENOSPC) }
        } catch { throw ToolError.system(folder + "/" + name, code: Int32(error.code.rawValue)) }
        return folder
    }
}
