import FireLiteCrypto
import Foundation

/// The common keys that wrap the keys of records, and the key of the hashes that find sealed annotations.
///
/// The store does not keep the keyring: keep ``exported()`` in the keychain or another safe place. Rotate in stages, so that every device
/// can open what the others seal: add a key, distribute the keyring, make the key primary, and then ``Records/rewrap(progress:)``.
public final class RecordKeyring: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    // `lock` guards the variables.
    private let lock = NSLock()
    private var keys: [String: SecretData]
    private var primary: String
    private let index: SecretData

    /// The id of the first common key: the zero UUID.
    public static let firstID = "00000000-0000-0000-0000-000000000000"

    /// A keyring with one random common key.
    ///
    /// - Throws: ``RecordError/Code/system`` if the system has no random numbers.
    public init() throws {
        keys = [Self.firstID: try Self.random()]
        index = try Self.random()
        primary = Self.firstID
    }

    /// The keyring that ``exported()`` returned.
    ///
    /// - Throws: ``RecordError/Code/invalidArgument`` for other secrets.
    public init(exported secret: Secret) throws {
        guard let form = try? JSONDecoder().decode(Exported.self, from: secret.bytes), form.index.count == 32,
            form.keys[form.primary] != nil,
            form.keys.values.allSatisfy({ $0.count == 32 })
        else { throw RecordError(.invalidArgument, "this is no exported keyring") }
        keys = form.keys.mapValues { SecretData($0) }
        index = SecretData(form.index)
        primary = form.primary
    }

    /// All keys in the clear, as JSON.
    public func exported() throws -> Secret {
        let form = lock.withLock {
            Exported(primary: primary, index: index.withBytes { Data($0) }, keys: keys.mapValues { $0.withBytes { Data($0) } })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Secret(try encoder.encode(form))
    }

    private struct Exported: Codable {
        let primary: String
        let index: Data
        let keys: [String: Data]
    }

    /// A random key.
    ///
    /// - Throws: `RecordError.system`.
    static func random() throws -> SecretData {
        do { return try SealedBytes.newKey() } catch let error as CryptoError {
            throw RecordError(.system, "no key can be made: \(error.description)")
        }
    }

    // MARK: - Common keys

    /// The id of the common key that wraps new keys.
    public var primaryID: String { lock.withLock { primary } }

    /// The ids of the common keys, sorted.
    public var ids: [String] { lock.withLock { keys.keys.sorted() } }

    /// Adds a random common key, which does not wrap new keys yet.
    ///
    /// - Returns: its id.
    /// - Throws: ``RecordError/Code/system`` if the system has no random numbers.
    public func addKey() throws -> String {
        let key = try Self.random()
        let id = UUID().uuidString.lowercased()
        lock.withLock { keys[id] = key }
        return id
    }

    /// Adds a common key that another device made.
    ///
    /// - Parameters:
    ///   - key: its 32 bytes.
    ///   - id: its id.
    /// - Throws: ``RecordError/Code/invalidArgument`` for another number of bytes, and for an id that has another key.
    public func addKey(_ key: Secret, id: String) throws {
        guard key.data.count == 32, !id.isEmpty else { throw RecordError(.invalidArgument, "a common key has 32 bytes and an id") }
        try lock.withLock {
            guard keys[id].map({ $0.isEqual(to: key.data) }) ?? true else {
                throw RecordError(.invalidArgument, "the keyring has another key with this id")
            }
            keys[id] = key.data
        }
    }

    /// A common key in the clear, for another device; nil for an unknown id.
    public func key(_ id: String) -> Secret? { lock.withLock { keys[id].map { Secret($0) } } }

    /// Wraps new keys with another common key from now on.
    ///
    /// - Throws: ``RecordError/Code/missingKey`` if the keyring does not have it.
    public func makePrimary(_ id: String) throws {
        try lock.withLock {
            guard keys[id] != nil else { throw RecordError(.missingKey, "the keyring has no common key with this id: add it first") }
            primary = id
        }
    }

    /// Removes a common key. Keys that it wraps can no longer be opened.
    ///
    /// - Throws: ``RecordError/Code/invalidArgument`` for the primary key.
    public func removeKey(_ id: String) throws {
        try lock.withLock {
            guard id != primary else {
                throw RecordError(.invalidArgument, "the primary key wraps new keys: make another one primary first")
            }
            keys[id] = nil
        }
    }

    // MARK: - Wrapping

    /// Seals a record's key with the primary common key.
    ///
    /// - Throws: `CryptoError`.
    package func wrap(_ key: SecretData, context: Data) throws -> WrappedKey {
        let (id, common) = lock.withLock { (primary, keys[primary]) }
        guard let common else { throw RecordError(.missingKey, "the keyring has lost its primary key") }
        return WrappedKey(commonID: id, bytes: try SealedBytes.seal(key.withBytes { Data($0) }, key: common, context: context))
    }

    /// Opens a record's key.
    ///
    /// - Parameter failure: the error if it was changed.
    /// - Throws: `RecordError.missingKey`; `failure`.
    package func unwrap(_ wrapped: WrappedKey, context: Data, failure: () -> any Error) throws -> SecretData {
        guard let common = lock.withLock({ keys[wrapped.commonID] }) else {
            throw RecordError(.missingKey, "the keyring has no common key with the id that wraps this record's key: add it")
        }
        let bytes = try SealedBytes.open(wrapped.bytes, key: common, context: context, failure: failure)
        guard bytes.count == 32 else { throw failure() }
        return SecretData(bytes)
    }

    /// The keyed hash of an annotation: HMAC-SHA-256, in base64url.
    package func code(of annotation: String) -> String {
        HashAlgorithm.sha256.authenticationCode(of: Data(annotation.utf8), key: index).base64URL
    }

    /// The keyed hash of a payload.
    ///
    /// - Parameter digest: its SHA-256.
    func code(ofPayload digest: Data) -> Data {
        HashAlgorithm.sha256.authenticationCode(of: Data("payload\n".utf8) + digest, key: index)
    }

    /// The keyed hash of a tag of the wire form, which differs from that of an annotation with the same text.
    func tagCode(of tag: String) -> Data { HashAlgorithm.sha256.authenticationCode(of: Data(("tag\n" + tag).utf8), key: index) }

    /// Without keys.
    public var description: String { "keyring of \(ids.count) common keys" }
    /// Without children, so that no key is printed.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
