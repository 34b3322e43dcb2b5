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
