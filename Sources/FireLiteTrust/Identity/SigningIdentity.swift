import Foundation

/// An identity together with its private key.
public struct SigningIdentity: Sendable, CustomStringConvertible {
    /// The identity's id.
    public let id: String
    /// The key.
    public let key: any IdentityKey

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - id: the identity's id.
    ///   - key: its current key.
    public init(id: String, key: any IdentityKey) {
        self.id = id
        self.key = key
    }

    /// The key's id.
    public var keyID: String { key.publicKey.id }
    /// The ids.
    public var description: String { "\(id) with \(key.publicKey)" }
}
