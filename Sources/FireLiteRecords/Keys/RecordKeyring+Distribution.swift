import FireLiteCrypto
import Foundation

extension RecordKeyring {
    // MARK: - One common key

    /// A common key, wrapped for the public key of another device or user.
    ///
    /// - Parameters:
    ///   - id: the id of the common key.
    ///   - receiver: the receiver's public RSA key. Verify whose it is.
    /// - Throws: ``RecordError``: `missingKey` if there is no common key with this id, `invalidArgument` for the public key.
    public func wireKey(_ id: String, for receiver: PublicKey) throws -> WireKey {
        guard let key = key(id) else {
            throw RecordError(.missingKey, "the keyring has no common key with this id: add it first")
        }
        return WireKey(commonKeyID: id, commonKey: try KeyWrapping.wrap(key.data, for: receiver).base64EncodedString())
    }

    /// Adds a common key that was wrapped for a private key. It opens records, and wraps new keys only after ``makePrimary(_:)``.
    ///
    /// - Throws: ``RecordError``: `invalidContent` if it is not base64, `cannotOpen`, `invalidArgument` for a key that is not RSA, and for an
    ///   id that has another key.
    public func receive(_ wire: WireKey, with key: PrivateKey) throws {
        guard let wrapped = Data(base64Encoded: wire.commonKey) else {
            throw RecordError(.invalidContent, "the wrapped common key is no base64")
        }
        try addKey(Secret(KeyWrapping.unwrap(wrapped, with: key)), id: wire.commonKeyID)
    }

    // MARK: - The whole keyring

    /// The whole keyring for another device of the same user: all common keys, and the hash key, with which that device finds sealed
    /// annotations and equal payloads. It is encrypted with AES-256-GCM and a random key, which is wrapped for the device.
    ///
    /// - Parameter device: the device's public RSA key. Verify whose it is.
    /// - Throws: ``RecordError``: `invalidArgument` for the public key, `system` if the system has no random numbers.
    public func exported(for device: PublicKey) throws -> Data {
        let key = try Self.random()
        let wrapped = try KeyWrapping.wrap(key, for: device)
        let sealed = try SealedBytes.seal(exported().bytes, key: key, context: Self.context)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(Envelope(key: wrapped, keyring: sealed))
    }

    /// The keyring that ``exported(for:)`` returned.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - key: the private key of this device.
    /// - Throws: ``RecordError``: `invalidContent` for other bytes, `cannotOpen` if they were changed or are for another key.
    public convenience init(exported data: Data, with key: PrivateKey) throws {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: data) else {
            throw RecordError(.invalidContent, "these bytes are no keyring that was exported for a public key")
        }
        let bytes = try SealedBytes.open(
            envelope.keyring, key: KeyWrapping.unwrap(envelope.key, with: key), context: Self.context
        ) { RecordError(.cannotOpen, "the exported keyring was changed") }
        try self.init(exported: Secret(bytes))
    }

    private static let context = Data("firelite/1\nkeyring".utf8)

    private struct Envelope: Codable {
        let key: Data
        let keyring: Data
    }
}
