import FireLiteCrypto
import Foundation

/// A key that signs for an identity: a `PrivateKey` in memory, or one in hardware that never reveals it.
public protocol IdentityKey: Sendable {
    /// The public key.
    var publicKey: PublicKey { get }

    /// Signs a message.
    ///
    /// - Returns: the signature as in JOSE: r and s of equal length with a curve.
    /// - Throws: ``TrustError/Code/key``.
    func signature(of message: Data) throws -> Data
}

extension PrivateKey: IdentityKey {
    /// Signs a message with the key's algorithm.
    public func signature(of message: Data) throws -> Data {
        do { return try signature(of: message, algorithm: publicKey.algorithm) } catch {
            throw TrustError(.key, "the key cannot sign: \(error)")
        }
    }
}

/// A place that keeps private keys by name.
public protocol IdentityKeyStore: Sendable {
    /// The key with a name; nil if there is none.
    ///
    /// - Throws: ``TrustError/Code/key``.
    func key(named name: String) throws -> (any IdentityKey)?

    /// Makes a new P-256 key and stores it under a name.
    ///
    /// - Parameter name: a name without a key.
    /// - Throws: ``TrustError/Code/key``, also if the name already has a key.
    func makeKey(named name: String) throws -> any IdentityKey

    /// Removes the key with a name, if there is one. Its signatures can still be verified.
    ///
    /// - Throws: ``TrustError/Code/key``.
    func removeKey(named name: String) throws
}
