import FireLiteCore
import FireLiteCrypto
import Foundation

/// Keeps each private key in a file that only its owner can read (mode 0600).
public struct FileKeyStore: IdentityKeyStore {
    private let folder: URL

    /// Creates a store.
    ///
    /// - Parameter folder: the folder, which is created with the first key.
    public init(folder: URL) { self.folder = folder }

    /// The key with a name; nil if there is none.
    public func key(named name: String) throws -> (any IdentityKey)? {
        let path = try path(name)
        var status = stat()
        if stat(path, &status) != 0 {
            if errno == ENOENT { return nil }
            throw TrustError(.key, "\(path) cannot be read: check its permissions")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw TrustError(.key, "\(path) can be read by others: chmod 600 it, and rotate the key in it")
        }
        guard let pem = try? WholeFile.bytes(path) else {
            throw TrustError(.key, "\(path) cannot be read: check its permissions")
        }
        do { return try PrivateKey(pem: Secret(pem)) } catch let error as CryptoError {
            throw TrustError(.key, "\(path): \(error.message)")
        }
    }

    /// Makes a key and stores it in a file of its own.
    public func makeKey(named name: String) throws -> any IdentityKey {
        let path = try path(name)
        guard access(path, F_OK) != 0 else { throw TrustError(.key, "\(path) is there already: choose another name") }
        do {
            let key = try PrivateKey()
            try PrivateFile.makeFolder(folder.filePath)
            try PrivateFile.write(key.pem().bytes, to: path)
            return key
        } catch let error as CryptoError { throw TrustError(.key, "no key can be made: \(error.message)") } catch {
            throw TrustError(.key, "\(path) cannot be written: check the permissions of its folder")
        }
    }

    /// Deletes the file of a key.
    public func removeKey(named name: String) throws {
        let path = try path(name)
        guard unlink(path) == 0 || errno == ENOENT else { throw TrustError(.key, "\(path) cannot be removed: check its permissions") }
    }

    /// The path of a key's file. A name is never a path.
    private func path(_ name: String) throws -> String {
        let isName = name.utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 46 || $0 == 95 }
        guard isName, !name.isEmpty, name.utf8.count <= 100, !name.hasPrefix(".") else {
            throw TrustError(.invalidArgument, "the name of a key has up to 100 letters, digits, '-', '.' and '_'")
        }
        return folder.appendingPathComponent(name + ".pem").filePath
    }
}
