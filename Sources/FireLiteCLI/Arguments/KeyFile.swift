import FireLite
import Foundation

/// The file that an option names for the key of a database, so that the key is neither among the arguments, which others on the machine
/// can list, nor in a shell's history.
enum KeyFile {
    static let option = OptionDefinition.option("key-file", "FILE", "the file with the key of an encrypted database")

    /// What help texts say of the contents.
    static let discussion = """
        A key file's bytes are the key, a line break at its end too. 32 bytes are the key itself, others a passphrase.
        """

    /// More than this is no key.
    private static let maximumSize = 4_096

    /// - Throws: `ToolError` with status 3 where the file cannot be read or holds no key.
    static func key(path: String) throws -> EncryptionKey {
        // Pipes have no size to ask for, so it is read until it ends.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system("key file \(path)") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumSize + 1)
        var count = 0
        while count < bytes.count {
            let part = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count) }
            if part < 0, errno == EINTR { continue }
            guard part >= 0 else { throw ToolError.system("key file \(path)") }
            if part == 0 { break }
            count += part
        }
        guard count > 0 else { throw ToolError.failed("key file \(path) is empty: put the key into it") }
        guard count <= maximumSize else {
            throw ToolError.failed("key file \(path) has more than \(maximumSize) bytes: that is no key, give another file")
        }
        return EncryptionKey(bytes[..<count])
    }
}
