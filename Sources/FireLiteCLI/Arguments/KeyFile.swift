import FireLite
import Foundation

/// The file that an option names for the key of a database, so that the key is neither among the arguments, which others on the machine
/// can list, nor in a shell's history.
enum KeyFile {
    static let option = OptionDefinition.option("key-file", "FILE", "the file with the key of an encrypted database")

    /// What help texts say of the contents.
    static let discussion = """
        A key file's bytes are the key, a line break at its end too. 32 bytes are the key itself, others a passphrase. A file
        that others than its owner may use is refused (chmod 600 FILE), unless it is root's and only its group may read it.
        """

    /// More than this is no key.
    private static let maximumSize = 4_096

    /// - Throws: `ToolError` with status 3 where the file cannot be read, may be used by others, or holds no key.
    static func key(path: String) throws -> EncryptionKey {
        // Pipes have no size to ask for, so it is read until it ends.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system("key file \(path)") }
        defer { close(descriptor) }
        try refuseOpenFile(descriptor, path)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumSize + 1, alignment: 1)
        defer {
            wipe(bytes)
            bytes.deallocate()
        }
        var count = 0
        while count < bytes.count {
            let part = read(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
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

    /// A key that others can read protects from nobody on the machine. A group may read a file of root's: so servers hand keys to those who run
    /// without root's rights, and libpq has the same rule for its keys.
    private static func refuseOpenFile(_ descriptor: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let forbidden = status.st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO
        guard status.st_mode & forbidden != 0 else { return }
        let mode = String(status.st_mode & 0o777, radix: 8)
        throw ToolError.failed("key file \(path) may be used by others than its owner (mode \(mode)): chmod 600 \(path)")
    }
}
