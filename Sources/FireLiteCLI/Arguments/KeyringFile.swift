import FireLiteRecords
import Foundation

/// The file with the keyring of sealed records, app data and payloads, as `RecordKeyring.exported()` writes it.
struct KeyringFile {
    static let option = OptionDefinition.option(
        "keyring", "FILE", kind: .file, "the file with the keyring that opens what is sealed; for its owner only (0600)")

    /// The option of a command that makes and changes keyrings.
    static let writtenOption = OptionDefinition.option(
        "keyring", "FILE", kind: .output(.secret), "the file with the keyring; for its owner only (0600)")

    let path: String

    /// The keyring.
    ///
    /// - Throws: `ToolError` with status 3 if the file cannot be read, can be used by others, or holds no keyring.
    func read() throws -> RecordKeyring {
        let file = try FileContents.located("keyring \(path)") { () throws(WholeFile.Failure) in try WholeFile(path) }
        try KeyFile.refuseOpenFile(file.descriptor, path)
        do {
            return try RecordKeyring(exported: Secret(FileContents.bytes(of: file, named: "keyring \(path)")))
        } catch is RecordError {
            throw ToolError.failed("\(path) is no keyring: name one that an app has exported, or that `firelite records keyring` has made")
        }
    }
}
