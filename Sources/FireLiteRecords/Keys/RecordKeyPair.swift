import FireLiteCrypto
import Foundation

/// The RSA key pair of a device. Others wrap common keys for it with RSA-OAEP and SHA-256.
///
/// ```swift
/// let pair = try RecordKeyPair()
/// let wire = try keyring.wireKey(keyring.primaryID, for: pair.publicPEM)
/// ```
/// Keep ``pem()`` in the keychain or another safe place. The public key is not secret, but verify its owner.
public struct RecordKeyPair: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: PrivateKey

    /// Makes a new key pair.
    ///
    /// - Parameter bits: the length of the modulus, 2,048 or more. Default: 2,048.
    /// - Throws: ``RecordError/Code/invalidArgument`` for a shorter one; ``RecordError/Code/system`` if the system cannot make keys.
    public init(bits: Int = 2_048) throws {
        do { key = try PrivateKey(.rsa(bits: bits)) } catch let error as CryptoError {
            throw RecordError(error.code == .system ? .system : .invalidArgument, "no key pair can be made: \(error.description)")
        }
    }

    /// The key pair that ``pem()`` returned, or any private RSA key as PEM.
    ///
    /// - Throws: ``RecordError/Code/invalidArgument`` for other texts and keys.
    public init(pem: String) throws {
        do { key = try PrivateKey(pem: pem) } catch let error as CryptoError {
            throw RecordError(.invalidArgument, "the key pair cannot be read: \(error.description)")
        }
        guard case .rsa = key.kind else { throw RecordError(.invalidArgument, "a key pair for common keys is RSA, not \(key.kind)") }
    }

    /// The public key as PEM, with which others wrap keys.
    public var publicPEM: String { key.publicKey.pem }

    /// The private key as PEM (PKCS #8): a secret.
    ///
    /// - Throws: ``RecordError/Code/system`` if the system does not hand it out.
    public func pem() throws -> String {
        do { return try key.pem() } catch { throw RecordError(.system, "the system does not hand out the private key") }
    }

    /// Opens a key that was wrapped for this pair.
    ///
    /// - Throws: `RecordError`: `cannotOpen`, `system`.
    func unwrap(_ wrapped: Data) throws -> SecretData {
        do { return try key.decrypt(wrapped, hash: .sha256) } catch let error as CryptoError {
            guard error.code != .system else { throw RecordError(.system, error.description) }
            throw RecordError(.cannotOpen, "the wrapped key was changed, or is for another key pair")
        }
    }

    /// Wraps a secret for a public key.
    ///
    /// - Throws: `RecordError`: `invalidArgument`, `system`.
    static func wrap(_ secret: Data, for publicPEM: String) throws -> Data {
        do { return try PublicKey(pem: publicPEM).encrypt(secret, hash: .sha256) } catch let error as CryptoError {
            throw RecordError(error.code == .system ? .system : .invalidArgument, "the public key cannot be used: \(error.description)")
        }
    }

    /// Without the key.
    public var description: String { "key pair, \(key.kind)" }
    /// Without children, so that no key is printed.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
