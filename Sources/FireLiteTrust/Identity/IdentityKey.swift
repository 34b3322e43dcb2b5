import Foundation

/// A private key that signs. It may be kept in memory, in a file, in a keychain, or in hardware that never reveals it.
public protocol IdentityKey: Sendable {
    /// The public half.
    var verificationKey: VerificationKey { get }

    /// Signs a message.
    ///
    /// - Returns: the signature as in JOSE: r and s of equal length with a curve.
    /// - Throws: ``TrustError/Code/key``.
    func signature(of message: Data) throws -> Data
}

/// A place that keeps private keys by name.
public protocol IdentityKeyStore: Sendable {
    /// The key with a name; nil if there is none.
    ///
    /// - Parameter name: the key's name.
    /// - Throws: ``TrustError/Code/key``.
    func key(named name: String) throws -> (any IdentityKey)?

    /// Makes a new P-256 key and stores it under a name.
    ///
    /// - Parameter name: a name without a key.
    /// - Throws: ``TrustError/Code/key``, also if the name already has a key.
    func makeKey(named name: String) throws -> any IdentityKey

    /// Removes the key with a name, if there is one. Its signatures can still be verified.
    ///
    /// - Parameter name: the key's name.
    /// - Throws: ``TrustError/Code/key``.
    func removeKey(named name: String) throws
}
