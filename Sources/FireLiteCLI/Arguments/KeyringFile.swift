import FireLiteRecords
import Foundation

/// The file with the keyring of sealed records, app data and payloads, as `RecordKeyring.exported()` writes it.
struct KeyringFile {
    static let option = OptionDefinition.option(
        "keyring", "FILE", kind: .file, "the file with the keyring that opens what is sealed; for its owner only (0600)")

    let path: String

    /// The keyring.
    ///
    /// - Throws: `ToolError` with status 3 if the file cannot be read, can be used by others, or holds no keyring.
    func read() throws -> RecordKeyring {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system("keyring \(path)") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try KeyFile.refuseOpenFile(descriptor, path)
        do {
            return try RecordKeyring(exported: file.readToEnd() ?? Data())
        } catch is RecordError {
            throw ToolError.failed("\(path) is no keyring: name one that an app has exported, or that `firelite records keyring` has made")
        }
    }

    /// Replaces the file by one with this keyring, in one step.
    ///
    /// - Parameter isNew: whether there must be no such file yet.
    /// - Throws: `ToolError` with status 3.
    func write(_ keyring: RecordKeyring, isNew: Bool = false) throws {
        let part = isNew ? path : "\(path).\(UUID().uuidString).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ToolError.system("keyring \(part)") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: keyring.exported())
            try file.synchronize()
        } catch {
            unlink(part)
            throw ToolError.failed("keyring \(path) cannot be written")
        }
        guard !isNew, rename(part, path) != 0 else { return }
        let failure = ToolError.system("keyring \(path)")
        unlink(part)
        throw failure
    }
}
