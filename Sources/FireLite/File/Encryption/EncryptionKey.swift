import FireLiteSQLiteBridge

/// The key of an encrypted store: bytes that are shown to nobody.
///
/// 32 bytes are the key itself: make them at random (`(0..<32).map { _ in UInt8.random(in: .min ... .max) }`) and keep them where the
/// system keeps secrets, such as the Keychain. Any other number of bytes is a passphrase, from which SQLCipher derives the key; that takes
/// long on purpose, for each connection that a store opens.
///
/// The bytes are never part of an error, a description, a dump or a statement. They are in the program's memory while the key or a store that
/// was opened with it is, once, and are overwritten when the last of them is released. What they were made of is the app's to wipe.
public struct EncryptionKey: Sendable {
    let secret: SecretBytes

    /// - Parameter bytes: all of them count, a line break at the end too. None at all is an error when the key is used.
    public init(_ bytes: some Sequence<UInt8>) { secret = SecretBytes(bytes) }

    /// - Throws: `FHIRStoreError`: `noEncryption`, `invalidArgument`. Nothing has been opened or made then.
    func verify(for path: String) throws {
        guard Connection.isBuiltForEncryption else {
            throw FHIRStoreError(
                .noEncryption, "\(path): a key needs SQLCipher: build the package with the trait SQLCipher (swift build --traits SQLCipher)"
            )
        }
        if secret.isEmpty { throw FHIRStoreError(.invalidArgument, "\(path): the key has no bytes: give 32, or a passphrase") }
        if path == ":memory:" { throw FHIRStoreError(.invalidArgument, "a store in memory is in no file to encrypt: give it no key") }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "EncryptionKey" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
