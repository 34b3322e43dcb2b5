import FireLiteCore
import Foundation

/// Keeps secrets in a file that only its owner can read (mode 0600). Whoever can read the owner's files can read them.
///
/// Programs that use one file at the same time overwrite each other's changes.
public actor FileCredentialStore: CredentialStore {
    private let url: URL
    private var path: String { url.filePath }

    /// Creates a store. The file is created with the first secret.
    public init(_ url: URL) { self.url = url }

    /// The credential with a name; nil if there is none.
    public func credential(named name: String) throws -> Secret? { try read()[name].map { Secret($0) } }

    /// Stores a credential under a name; nil removes it.
    public func setCredential(_ credential: Secret?, named name: String) throws {
        var credentials = try read()
        credentials[name] = credential?.bytes
        do {
            try PrivateFile.write(JSONEncoder().encode(credentials), to: path)
        } catch { throw AuthorizationError(.storage, "\(path) cannot be written: check the permissions of its folder") }
    }

    private func read() throws -> [String: Data] {
        var status = stat()
        if stat(path, &status) != 0 {
            if errno == ENOENT { return [:] }
            throw AuthorizationError(.storage, "\(path) cannot be read: check its permissions")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw AuthorizationError(.storage, "\(path) can be read by others: chmod 600 it, and replace the secrets in it")
        }
        do {
            return try JSONDecoder().decode([String: Data].self, from: WholeFile.bytes(path))
        } catch { throw AuthorizationError(.storage, "\(path) is not a file of credentials") }
    }
}
