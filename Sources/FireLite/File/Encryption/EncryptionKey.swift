import FireLiteSQLiteBridge

/// The key of an encrypted store: bytes that are never shown.
///
/// 32 bytes are the key itself: generate them at random (`(0..<32).map { _ in UInt8.random(in: .min ... .max) }`) and keep them in the
/// system's keychain. Any other number of bytes is a passphrase, from which SQLCipher derives the key; that is deliberately
/// slow, for each connection that a store opens.
///
/// The bytes are never part of an error, a description, a dump or a statement. The program's memory holds one copy while the key or a store
/// opened with it exists, which is overwritten when the last of them is released. The app must wipe the bytes it created the key from.
public struct EncryptionKey: Sendable {
    let secret: SecretBytes

    /// - Parameter bytes: all bytes count, including a line break at the end. An empty key is an error when it is used.
    public init(_ bytes: some Sequence<UInt8>) { secret = SecretBytes(bytes) }

    /// - Throws: `FHIRStoreError`: `noEncryption`, `invalidArgument`. Nothing has been opened or created then.
    func verify(for path: String) throws {
        guard Connection.isBuiltForEncryption else {
            throw FHIRStoreError(
                .noEncryption, "\(path): a key needs SQLCipher: build the package with the trait SQLCipher (swift build --traits SQLCipher)"
            )
        }
        if secret.isEmpty { throw FHIRStoreError(.invalidArgument, "\(path): the key is empty: give 32 bytes, or a passphrase") }
        if path == ":memory:" { throw FHIRStoreError(.invalidArgument, "an in-memory store cannot be encrypted: open it without a key") }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "EncryptionKey" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FHIRStore {
    /// The encryption of a copy of a store.
    public enum BackupEncryption: Sendable {
        /// The same as the store: with its key, or not encrypted.
        case same
        /// With this key, whether the store is encrypted or not. Requires the package's trait `SQLCipher`.
        case key(EncryptionKey)
        /// Not encrypted, even if the store is.
        case none
    }

    /// The key of a copy.
    func key(of encryption: BackupEncryption) -> EncryptionKey? {
        switch encryption {
        case .same: configuration.key
        case .key(let key): key
        case .none: nil
        }
    }
}
