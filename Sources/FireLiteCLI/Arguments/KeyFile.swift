import FireLite
import Foundation

/// The file with the key of a database, named by an option. So the key is neither among the arguments, which others on the machine can
/// list, nor in a shell's history.
enum KeyFile {
    static let option = OptionDefinition.option("key-file", "FILE", kind: .file, "the file with the key of an encrypted database")

    /// What help texts say about the contents.
    static let discussion = """
        All bytes of a key file are the key, including a line break at its end. 32 bytes are the key itself, any other number is
        a passphrase. A file that others than its owner can use is refused (chmod 600 FILE), unless root owns it and only its
        group can read it.
        """

    /// A larger file is not a key.
    private static let maximumSize = 4_096

    /// - Throws: `ToolError` with status 3 if the file cannot be read, can be used by others, or holds no key.
    static func key(path: String) throws -> Secret {
        let name = "key file \(path)"
        let file = try FileContents.located(name) { () throws(WholeFile.Failure) in try WholeFile(path) }
        try refuseOpenFile(file.descriptor, path)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumSize + 1, alignment: 1)
        defer {
            SecretData.wipe(bytes)
            bytes.deallocate()
        }
        let count: Int
        do throws(WholeFile.Failure) { count = try file.fill(bytes) } catch {
            if case .reading(let code) = error { throw ToolError.system(name, code: code) }
            throw ToolError(error, name)
        }
        guard count > 0 else { throw ToolError.failed("\(name) is empty: put the key into it") }
        guard count <= maximumSize else {
            throw ToolError.failed("\(name) has more than \(maximumSize) bytes and so is not a key: give another file")
        }
        return Secret(bytes[..<count])
    }

    /// A key that others can read protects from nobody on the machine. A group may read root's file: that is how servers pass keys to processes
    /// without root's rights, and libpq has the same rule for its keys.
    static func refuseOpenFile(_ descriptor: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let forbidden = status.st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO
        guard status.st_mode & forbidden != 0 else { return }
        let mode = String(status.st_mode & 0o777, radix: 8)
        throw ToolError.failed("key file \(path) can be used by others than its owner (mode \(mode)): chmod 600 \(path)")
    }
}
