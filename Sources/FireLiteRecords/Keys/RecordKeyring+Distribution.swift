import FireLiteCrypto
import Foundation

extension RecordKeyring {
    // MARK: - One common key

    /// A common key, wrapped for the public key of another device or user.
    ///
    /// - Parameters:
    ///   - id: the id of the common key.
    ///   - publicPEM: the receiver's public RSA key, or its certificate, as PEM.
    /// - Throws: ``RecordError``: `missingKey` if there is no common key with this id, `invalidArgument` for the public key.
    public func wireKey(_ id: String, for publicPEM: String) throws -> WireKey {
        guard let bytes = bytes(ofKey: id) else {
            throw RecordError(.missingKey, "the keyring has no common key with this id: add it first")
        }
        return WireKey(commonKeyID: id, commonKey: try RecordKeyPair.wrap(bytes, for: publicPEM).base64EncodedString())
    }

    /// Adds a common key that was wrapped for a key pair. It opens records, and wraps new keys only after ``makePrimary(_:)``.
    ///
    /// - Throws: ``RecordError``: `invalidContent` if it is not base64, `cannotOpen`, `invalidArgument` for an id that has another key.
    public func receive(_ wire: WireKey, with pair: RecordKeyPair) throws {
        guard let wrapped = Data(base64Encoded: wire.commonKey) else {
            throw RecordError(.invalidContent, "the wrapped common key is no base64")
        }
        try addKey(id: wire.commonKeyID, bytes: pair.unwrap(wrapped).withBytes { Data($0) })
    }

    // MARK: - The whole keyring

    /// The whole keyring for another device of the same user: all common keys, and the hash key, with which that device finds sealed
    /// annotations and equal payloads. It is encrypted with AES-256-GCM and a random key, which is wrapped for the device.
    ///
    /// - Parameter publicPEM: the device's public RSA key, as PEM.
    /// - Throws: ``RecordError``: `invalidArgument` for the public key, `system` if the system has no random numbers.
    public func exported(for publicPEM: String) throws -> Data {
        let key = try Self.random()
        let wrapped = try RecordKeyPair.wrap(key.withBytes { Data($0) }, for: publicPEM)
        let sealed = try SealedBytes.seal(exported(), key: key, context: Self.context)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(Envelope(key: wrapped, keyring: sealed))
    }

    /// The keyring that ``exported(for:)`` returned.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - pair: the key pair of this device.
    /// - Throws: ``RecordError``: `invalidContent` for other bytes, `cannotOpen` if they were changed or are for another key pair.
    public convenience init(exported data: Data, with pair: RecordKeyPair) throws {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: data) else {
            throw RecordError(.invalidContent, "these bytes are no keyring that was exported for a key pair")
        }
        let key = try pair.unwrap(envelope.key)
        try self.init(
            exported: SealedBytes.open(envelope.keyring, key: key, context: Self.context) {
                RecordError(.cannotOpen, "the exported keyring was changed")
            })
    }

    private static let context = Data("firelite/1\nkeyring".utf8)

    private struct Envelope: Codable {
        let key: Data
        let keyring: Data
    }
}
