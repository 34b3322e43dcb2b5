import Foundation

/// A private key that signs. Where it is kept is its own business: in memory, in a file, in a keychain, or in hardware that never gives it out.
public protocol IdentityKey: Sendable {
    /// The public half.
    var verificationKey: VerificationKey { get }

    /// Signs a message.
    ///
    /// - Parameter message: what is signed.
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

    /// Makes a new P-256 key and keeps it under a name.
    ///
    /// - Parameter name: the key's name, for which there is no key yet.
    /// - Throws: ``TrustError/Code/key``, also if there is a key of this name.
    func makeKey(named name: String) throws -> any IdentityKey

    /// Removes the key with a name, if there is one. What it has signed stays verifiable.
    ///
    /// - Parameter name: the key's name.
    /// - Throws: ``TrustError/Code/key``.
    func removeKey(named name: String) throws
}
